import ArgumentParser
import Foundation
import Kingfisher

/// Runs the command that was typed.
@main
enum Program {
    static func main() async {
        ProcessIsolation.runWorkerIfAsked()
        UnfinishedFiles.shared.removeOnSignals()
        LibraryLog.shared.start()
        do {
            var command = try KFCommand.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }

    /// Prints the parser's message for an error or a wish for help, and exits.
    private static func end(with error: any Error) -> Never {
        let code = KFCommand.exitCode(for: error)
        let message = KFCommand.fullMessage(for: error)
        // Help is a result, wrong usage an error; a command has printed its own errors before.
        if !message.isEmpty {
            if code.isSuccess { Terminal.print(message) } else { Terminal.note(message) }
        }
        exit(code.rawValue)
    }
}
