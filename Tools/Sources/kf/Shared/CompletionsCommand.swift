import ArgumentParser

/// `kf completions`: prints a shell's completion script.
struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Prints a completion script for a shell.",
        discussion: """
            Examples:
              kf completions bash > ~/.local/share/bash-completion/completions/kf
              kf completions fish > ~/.config/fish/completions/kf.fish
            """
    )

    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish
    }

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    func run() {
        let kind: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        // Printed directly: scripts contain tabs, which `Terminal.print` would escape.
        print(KFCommand.completionScript(for: kind))
    }
}
