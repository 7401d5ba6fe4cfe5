import Foundation
import Testing

/// A command of `kf`, as the program describes itself.
struct CommandHelp {
    /// The words of the command without `kf`, such as `cache list`; empty for `kf` itself.
    let words: String
    /// The names of its options, such as `long json`, once for each option that has the name.
    let options: [String]

    /// All commands.
    static func all() async throws -> [CommandHelp] {
        struct Help: Decodable {
            struct Command: Decodable {
                let commandName: String
                let superCommands: [String]?
                let arguments: [Argument]?
                let subcommands: [Command]?
            }
            struct Argument: Decodable { let names: [Name]? }
            struct Name: Decodable {
                let kind: String
                let name: String
            }

            let command: Command
        }
        let outcome = try await KFProgram.run(["--experimental-dump-help"], in: TemporaryFolder())
        var left = [try JSONDecoder().decode(Help.self, from: outcome.output).command]
        var found: [CommandHelp] = []
        while let command = left.popLast() {
            left += command.subcommands ?? []
            let words = (command.superCommands ?? []) + [command.commandName]
            let names = (command.arguments ?? []).flatMap { $0.names ?? [] }
            found.append(
                CommandHelp(
                    words: words.dropFirst().joined(separator: " "),
                    options: names.map { "\($0.kind) \($0.name)" }
                )
            )
        }
        try #require(found.count > 20, "\(outcome.errors)")
        return found
    }

    /// The commands that have `--json`.
    static func reporting() async throws -> [String] { try await having("json") }

    /// The commands that have an option.
    static func having(_ option: String) async throws -> [String] {
        try await all().filter { $0.options.contains("long \(option)") }.map(\.words)
    }
}
