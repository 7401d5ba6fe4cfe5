import Foundation
import Kingfisher
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// `kf watch`.
@Suite(.timeLimit(.minutes(1)))
struct WatchTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["in/old.png", "in/below/deep.png", "new.png", "newer.png"] {
            let file = folder.url.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try TestPictures.png().write(to: file)
        }
    }

    /// Runs a script in which `next` waits for a line of the program and keeps it in `$line`.
    private func watch(
        _ script: String,
        _ options: String = "--format jpeg"
    ) async throws -> KFProgram.Outcome {
        let head = """
            set -eu
            exec 3< <(exec "$0" watch in -o out \(options) --json 2>errors)
            program=$!
            trap 'kill $program 2>/dev/null || true' EXIT
            next() { IFS= read -r -t 50 line <&3 || { echo "no line"; cat errors; exit 1; }; }

            """
        return try await KFProgram.bash(head + script, in: folder)
    }

    @Test func `images are converted at the start, when they are written, and when they move in`()
        async throws
    {
        let outcome = try await watch(
            """
            next; next
            cp new.png in/new.png; next; echo "$line"
            mv newer.png in/below/; next; echo "$line"
            mkdir in/later; cp new.png in/later/a.png; next; echo "$line"
            cp new.png in/.hidden.png; cp new.png in/last.png; next; echo "$line"
            """
        )
        #expect(outcome.status == 0, "\(outcome.text) \(outcome.errors)")
        let lines = outcome.text.split(separator: "\n")
        for (line, name) in zip(lines, ["new", "below/newer", "later/a", "last"]) {
            #expect(line.contains("\"output\":\"out/\(name).jpg\""), "\(line)")
            #expect(line.contains(#""status":"converted""#))
        }
        for name in ["old", "below/deep", "new", "below/newer", "later/a", "last"] {
            #expect(try folder.data("out/\(name).jpg").kf.imageFormat == .JPEG)
        }
    }

    @Test func `a folder that cannot be listed is reported`() async throws {
        // Permissions do not apply to an administrator with all rights.
        let limits = "setpriv --bounding-set=-dac_override,-dac_read_search"
        let outcome = try await KFProgram.bash(
            """
            mkdir in/secret; chmod 0 in/secret
            exec 3< <(exec \(geteuid() == 0 ? limits : "") "$0" watch in -o out --json 2>&1)
            program=$!
            trap 'kill $program 2>/dev/null || true; chmod 700 in/secret' EXIT
            for number in 1 2; do IFS= read -r -t 50 line <&3; echo "$line"; done
            """,
            in: folder
        )
        let reason = "cannot list in/secret: Permission denied"
        #expect(outcome.text.contains(reason), "\(outcome.text) \(outcome.errors)")
        #expect(outcome.text.contains("\"source\":\"in/secret\""))
    }

    @Test func `names that are excluded are left alone`() async throws {
        let outcome = try await watch(
            """
            next
            cp new.png in/old.png; cp new.png in/last.png; next; echo "$line"
            """,
            "--format jpeg --exclude old.png"
        )
        #expect(outcome.status == 0, "\(outcome.text) \(outcome.errors)")
        #expect(outcome.text.contains("out/last.jpg"), "\(outcome.text)")
        let written = FileManager.default.enumerator(atPath: folder.path("out"))?.allObjects ?? []
        #expect(!written.contains { "\($0)".hasPrefix("old") }, "\(written)")
    }

    @Test func `a file that is being written is converted when it is closed`() async throws {
        let outcome = try await watch(
            """
            next; next
            exec 4>in/half.png; head -c 50 new.png >&4
            mkdir in/later; cp new.png in/later/a.png; next; echo "$line"
            tail -c +51 new.png >&4; exec 4>&-; next; echo "$line"
            """
        )
        #expect(outcome.status == 0, "\(outcome.text) \(outcome.errors)")
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.allSatisfy { $0.contains(#""status":"converted""#) }, "\(lines)")
        #expect(lines.first?.contains("out/later/a.jpg") == true, "\(lines)")
        #expect(lines.last?.contains("out/half.jpg") == true, "\(lines)")
    }

    @Test func `outputs that are newer stay, and failures do not end the watch`() async throws {
        let outcome = try await watch(
            """
            next; next
            kill $program; wait $program || true
            exec 3< <(exec "$0" watch in -o out --format jpeg --json 2>errors)
            program=$!
            echo bad >in/bad.png.part; mv in/bad.png.part in/bad.png; next; echo "$line"
            cp new.png in/last.png; next; echo "$line"
            """
        )
        #expect(outcome.status == 0, "\(outcome.text) \(outcome.errors)")
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.contains(#""status":"failed""#) == true, "\(lines)")
        #expect(lines.last?.contains("last.jpg") == true, "\(lines)")
    }

    @Test func `a file that takes too long fails alone, leaves nothing, and the watch goes on`()
        async throws
    {
        let outcome = try await watch(
            """
            next; echo "$line"; next; echo "$line"
            cp new.png in/last.png; next; echo "$line"
            kill -0 $program
            """,
            "--format avif -p resize:8000x4000:none --timeout 0.1"
        )
        #expect(outcome.status == 0, "\(outcome.text) \(outcome.errors)")
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 3)
        for line in lines {
            #expect(line.contains(#""status":"failed""#), "\(line)")
            #expect(line.contains("timed out after 0.1 s; increase --timeout"), "\(line)")
        }
        let written = FileManager.default.enumerator(atPath: folder.path("out"))?.allObjects ?? []
        #expect(written.allSatisfy { !"\($0)".hasSuffix("avif") }, "\(written)")
    }

    @Test func `folders that change without pause are converted, and removed ones end the watch`()
        async throws
    {
        let outcome = try await watch(
            """
            next; next
            # Not by a signal: programs that a test starts may have them blocked.
            (while kill -0 $$ 2>/dev/null && [ ! -e stop ]; do echo more >>in/log.txt; done) &
            writer=$!
            cp new.png in/new.png; next; echo "$line"
            touch stop; wait $writer
            rm -r in; wait $program || echo "status $?"; cat errors
            """
        )
        #expect(outcome.status == 0, "\(outcome.text) \(outcome.errors)")
        #expect(outcome.text.contains("out/new.jpg"), "\(outcome.text)")
        #expect(outcome.text.contains("status 1"), "\(outcome.text)")
        #expect(outcome.text.contains("in was removed"), "\(outcome.text)")
    }

    @Test func `a folder that is none, or the output itself, is refused`() async throws {
        for (arguments, reason) in [
            (["nothing", "-o", "out"], "is no folder"), (["in", "-o", "in"], "also the output"),
        ] {
            let outcome = try await KFProgram.run(["watch"] + arguments, in: folder)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains(reason), "\(outcome.errors)")
        }
    }

    @Test func `a folder that is moved ends the watch`() async throws {
        let outcome = try await watch(
            """
            next; next
            mv in elsewhere; wait $program || echo "status $?"; cat errors
            """
        )
        #expect(outcome.status == 0, "\(outcome.text) \(outcome.errors)")
        #expect(outcome.text.contains("status 1"), "\(outcome.text)")
        #expect(outcome.text.contains("in was moved"), "\(outcome.text)")
    }

    @Test func `a conflict of names holds up its own files only, until it ends`() async throws {
        let outcome = try await watch(
            """
            next; next
            cp new.png in/below/old.png; next; echo "$line"
            cp newer.png in/held.png; next; echo "$line"
            touch -d 2001-01-01 newer.png; mv newer.png in/old.png; next; echo "$line"
            rm in/below/old.png; next; echo "$line"
            """,
            "--format jpeg --name {stem}"
        )
        #expect(outcome.status == 0, "\(outcome.text) \(outcome.errors)")
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.first?.contains(#""status":"failed""#) == true, "\(lines)")
        try #require(lines.count == 4)
        #expect(lines[1].contains("out/held.jpg") && lines[3].contains("out/old.jpg"), "\(lines)")
        #expect(lines[2].contains(#""status":"failed""#), "\(lines)")
    }

    @Test(arguments: ["in/{stem}-{width}", "in/{dir}/{width}/{stem}", "in/small/{stem}"])
    func `no output becomes an input`(name: String) async throws {
        let words = ["watch", "in", "-o", ".", "--name", name]
        let outcome = try await KFProgram.run(words, in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("would be in the watched folder"), "\(outcome.errors)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path("in")).count == 3)
    }

    @Test(arguments: ["in/{stem}-small", "in/.{stem}"])
    func `an output beside its input that is no input is written`(name: String) async throws {
        let outcome = try await KFProgram.bash(
            """
            exec 3< <(exec "$0" watch in -o . --name "$1" --exclude '*-small.*' --json 2>&1)
            program=$!
            for number in 1 2; do read -r -t 50 line <&3; echo "$line"; done; kill $program
            """,
            [name],
            in: folder
        )
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains(#""status":"converted""#) }, "\(lines)")
    }
}
