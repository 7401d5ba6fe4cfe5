import ArgumentParser
import CArguments
import Foundation

/// The arguments of the program.
enum CommandLineArguments {
    /// The arguments without the name of the program.
    static let all: [String] = {
        let count = kf_argument_count()
        // Another C library than glibc does not tell them.
        guard count > 0 else { return Array(CommandLine.arguments.dropFirst()) }
        return (1..<max(1, Int(count))).map { String(cString: kf_argument(Int32($0))) }
    }()

    /// The first option that the named command does not have; nil without one.
    ///
    /// The parser reports missing arguments and wrong values before it.
    static func firstUnknownOption(in arguments: [String] = all) -> String? {
        let help = try? JSONDecoder().decode(Help.self, from: Data(KFCommand._dumpHelp().utf8))
        guard var command = help?.command else { return nil }
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if word == "--" { return nil }
            guard word.hasPrefix("-"), word.count > 1, Double(word) == nil else {
                command = command.subcommands?.first { $0.commandName == word } ?? command
                continue
            }
            let name = String(word.prefix { $0 != "=" })
            guard let option = command.option(name) else {
                return command.hasShortFlags(name) ? nil : name
            }
            if option.kind == "option", !word.contains("=") { _ = rest.popFirst() }
        }
        return nil
    }

    /// The part of the parser's description that names options.
    private struct Help: Decodable {
        struct Command: Decodable {
            struct Argument: Decodable {
                struct Name: Decodable {
                    let kind: String
                    let name: String
                }

                let kind: String
                let names: [Name]?
            }

            let commandName: String
            let subcommands: [Command]?
            let arguments: [Argument]?

            func option(_ text: String) -> Argument? {
                arguments?.first { argument in
                    argument.names?.contains { text == ($0.kind == "long" ? "--" : "-") + $0.name }
                        == true
                }
            }

            /// Whether a word is several flags of one letter, such as `-qv`.
            func hasShortFlags(_ text: String) -> Bool {
                !text.hasPrefix("--") && text.dropFirst().allSatisfy { option("-\($0)") != nil }
            }
        }

        let command: Command
    }
}
