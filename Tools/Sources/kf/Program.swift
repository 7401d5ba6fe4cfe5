import ArgumentParser
import Foundation
@_spi(Programs) import Kingfisher

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Parses the arguments and runs the command.
@main
enum Program {
    /// Ends the program when the system refuses it threads for too long.
    static let watch = RuntimeWatch()

    static func main() async {
        ProcessIsolation.runWorkerIfAsked()
        Terminal.occupyClosedStreams()
        checkLimits()
        UnfinishedFiles.shared.removeOnSignals()
        watchRuntime()
        LibraryLog.shared.start()
        if let option = CommandLineArguments.brokenOption() {
            let name = Terminal.line(option)
            Terminal.note("Error: the value of \(name) is not UTF-8; choose another name")
            exit(ExitCode.validationFailure.rawValue)
        }
        var running: any ParsableCommand.Type = KFCommand.self
        do {
            var command = try KFCommand.parseAsRoot(CommandLineArguments.all)
            running = type(of: command)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            try checkOutput()
        } catch {
            // The next run continues a download that was interrupted.
            await ImageDownloader.flushInterruptedDownloads()
            end(with: error is Failure ? ErrorReport.exit(for: error) : error, of: running)
        }
    }

    /// Ends the program if the system does not allow it enough to run.
    private static func checkLimits() {
        do throws(UnfitSystem) {
            try ProgramLimits.prepare()
        } catch {
            Terminal.note("kf: error: \(error)", style: .red)
            exit(EXIT_FAILURE)
        }
    }

    private static func watchRuntime() {
        do throws(ThreadRefused) {
            try watch.start { stall in
                Terminal.note("kf: error: \(stall)", style: .red)
                UnfinishedFiles.shared.end(status: EXIT_FAILURE)
            }
        } catch {
            Terminal.note("kf: error: \(error)", style: .red)
            exit(EXIT_FAILURE)
        }
    }

    /// Reports that standard output could not be written.
    private static func checkOutput() throws {
        do {
            try Terminal.checkOutput()
        } catch {
            throw ErrorReport.exit(for: error)
        }
    }

    /// Prints the parser's message for an error or a help request, and exits.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - running: The command that has thrown it; the root if the parser has.
    private static func end(with error: any Error, of running: any ParsableCommand.Type) -> Never {
        var code = KFCommand.exitCode(for: error)
        var message = KFCommand.fullMessage(for: error)
        let isHelp = code.isSuccess && message.hasPrefix("OVERVIEW")
        var usage = message.split(separator: "\n").drop { !$0.hasPrefix("Usage:") }
        if isHelp { usage = usageLines(of: KFCommand.self)[...] }
        if let wrong = error as? ValidationError, running != KFCommand.self {
            // The parser takes an error of a run for one of the root.
            usage = usageLines(of: running)[...]
            message = (["Error: \(wrong.message)"] + usage).joined(separator: "\n")
        }
        // A file such as -dash.png has the letter that asks for help.
        let isForced = isHelp && !CommandLineArguments.askForHelp
        if code == .validationFailure || isForced,
            let option = CommandLineArguments.firstUnknownOption(),
            let advice = CommandLineArguments.advice(for: option)
                ?? (message.contains("Unknown option") ? nil : "")
        {
            code = .validationFailure
            let first = "Error: Unknown option '\(option)'\(advice)"
            message = ([Substring(first)] + usage).joined(separator: "\n")
        } else if code == .validationFailure || isHelp,
            let advice = CommandLineArguments.unknownCommand()
        {
            code = .validationFailure
            message = (["Error: \(advice)"] + usage).joined(separator: "\n")
        }
        if !code.isSuccess {
            message = CommandLineArguments.withoutSecrets(message)
            message = CommandLineArguments.withAdviceForDash(message)
        }
        // Help goes to standard output, wrong usage to standard error. Commands print their own
        // errors.
        if !message.isEmpty {
            if code.isSuccess { Terminal.print(message) } else { Terminal.note(message) }
        }
        let isWritten = (try? checkOutput()) != nil
        exit(code.isSuccess && !isWritten ? EXIT_FAILURE : code.rawValue)
    }

    /// The lines that the parser prints below an error of a command.
    private static func usageLines(of command: any ParsableCommand.Type) -> [Substring] {
        let usage = KFCommand.usageString(for: command)
        // `kf cache list [<options>]`.
        let words = usage.split(separator: " ").prefix { !"[<-".contains($0.prefix(1)) }
        let name = words.joined(separator: " ")
        return ["Usage: \(usage)", "  See '\(name) --help' for more information."]
    }
}
