import ArgumentParser
import Foundation

/// `kf completions`: prints a shell's completion script.
struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Prints a completion script for a shell.",
        discussion: """
            Examples:
              source <(kf completions bash)
              kf completions fish | source

            A line like these in the shell's start-up file loads it in every session.
            """
    )

    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish
    }

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    func run() throws {
        let kind: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        // Printed directly: scripts contain tabs, which `Terminal.print` would escape.
        try Terminal.write(Data((KFCommand.completionScript(for: kind) + "\n").utf8))
    }
}
