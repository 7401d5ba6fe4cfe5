import Foundation
import Testing

/// The completions of `kf completions bash`, as bash makes them.
@Suite(.timeLimit(.minutes(1)))
struct CompletionTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try Data().write(to: folder.url.appending(path: "notes and a photo.jpg"))
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "notes"),
            withIntermediateDirectories: true
        )
    }

    /// The completions of the last word.
    private func completions(_ words: [String]) async throws -> Set<String> {
        let script = """
            source <("$0" completions bash)
            COMP_WORDS=(kf "$@") COMP_CWORD=$# COMP_LINE="kf $*"
            COMP_POINT=${#COMP_LINE}
            _kf kf "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let outcome = try await KFProgram.bash(script, words, in: folder)
        return Set(outcome.text.split(separator: "\n").map(String.init))
    }

    @Test(arguments: [
        ["get", "not"], ["convert", "not"], ["info", "-v", "not"], ["show", "not"],
        ["diff", "a.png", "not"], ["compare", "not"], ["placeholder", "not"], ["explain", "not"],
        ["trace", "a.png", "not"], ["get", "a.png", "-o", "not"], ["diff", "-o", "not"],
        ["trace", "--output", "not"], ["prefetch", "--from-file", "not"],
        ["cache", "path", "not"],
    ])
    func `files and folders are completed`(words: [String]) async throws {
        #expect(try await completions(words) == ["notes", "notes and a photo.jpg"])
    }

    @Test(arguments: [
        ["convert", "a.png", "-o", "not"], ["man", "-o", "not"], ["get", "--cache", "not"],
        ["cache", "list", "--cache", "not"],
    ])
    func `folders are completed where only a folder fits`(words: [String]) async throws {
        #expect(try await completions(words) == ["notes"])
    }

    @Test func `the options of every command are completed in bash`() async throws {
        for command in try await CommandHelp.reporting() {
            let words = command.split(separator: " ").map(String.init)
            let found = try await completions(words + ["--"])
            #expect(found.contains("--json") && found.contains("--help"), "\(command): \(found)")
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fish")))
    func `the options of every command are completed in fish`() async throws {
        let commands = try await CommandHelp.reporting()
        let script = """
            $argv[1] completions fish | source
            for command in \(commands.map { "'\($0)'" }.joined(separator: " "))
                complete -C "kf $command --" | count
            end
            """
        let outcome = try await KFProgram.run(
            ["--no-config", "-c", script, KFProgram.executable.path],
            in: folder,
            program: URL(fileURLWithPath: "/usr/bin/fish")
        )
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == commands.count, "\(outcome.errors)")
        for (command, count) in zip(commands, lines) {
            #expect(Int(count) ?? 0 > 3, "\(command)")
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/zsh")))
    func `the script for zsh is one that zsh can read`() async throws {
        let outcome = try await KFProgram.bash(
            "\"$0\" completions zsh > _kf && zsh -n _kf",
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test(arguments: [
        (["get", "--format", "p"], ["png"]), (["convert", "--format", "w"], ["webp"]),
        (["show", "--protocol", "k"], ["kitty"]), (["get", "--keep", "c"], ["copyright"]),
        (["completions", "f"], ["fish"]), (["con"], ["convert"]),
        (["get", "-p", "smart"], ["smartcrop:"]), (["convert", "--strip", "g"], ["gps"]),
    ])
    func `commands and values are completed`(words: [String], found: [String]) async throws {
        #expect(try await completions(words) == Set(found))
    }
}
