import Foundation
import Kingfisher
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Runs under limits of the system, each of which once made the program wait forever or end by a
/// signal.
@Suite(.timeLimit(.minutes(2)))
struct LimitTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try TestPictures.png().write(to: folder.url.appending(path: "in.png"))
    }

    /// Runs a conversion after `limit`; the status is 124 if it does not end in time.
    private func convert(under limit: String) async throws -> KFProgram.Outcome {
        try await KFProgram.bash(
            limit + #"; exec timeout 30 "$0" get in.png -o out.png -p resize:10x10 --timeout 20"#,
            in: folder
        )
    }

    @Test(arguments: [
        ("ulimit -n 4", "ulimit -n"), ("ulimit -n 8", "ulimit -n"), ("ulimit -n 30", "ulimit -n"),
        ("ulimit -v 200000", "ulimit -v"), ("ulimit -v 500000", "ulimit -v"),
    ])
    func `too low a limit is reported at the start`(limit: String, advice: String) async throws {
        let outcome = try await convert(under: limit)
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("kf: error: the system allows "), "\(outcome.errors)")
        #expect(outcome.errors.contains(advice), "\(outcome.errors)")
    }

    // The limit does not apply to root.
    @Test func `a user without threads gets an error at the start`() async throws {
        let user = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : ""
        let outcome = try await KFProgram.bash(
            "exec timeout 30 \(user)bash -c 'ulimit -u 1; exec \"$0\" --version' \"$0\"",
            in: folder
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("0 further threads"), "\(outcome.errors)")
        #expect(outcome.errors.contains("ulimit -u"))
    }

    @Test(arguments: ["ulimit -Sn 10", "ulimit -n 64", "ulimit -v 1300000"])
    func `under limits above the minimum the program does its work and ends`(
        limit: String
    ) async throws {
        let outcome = try await convert(under: limit)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(KFCrossPlatformImage(data: try folder.data("out.png"))?.pixelWidth == 10)
    }

    @Test(arguments: [
        "get in.png -o out.jpg", "get in.png -o out.jpg --isolate", "convert in.png -o out",
    ])
    func `files that may not grow are an error, and nothing is left of them`(
        arguments: String
    ) async throws {
        // The pipe is no file.
        let outcome = try await KFProgram.bash(
            "set -o pipefail; (ulimit -f 0; exec timeout 30 \"$0\" \(arguments) 2>&1) | cat",
            in: folder
        )
        #expect(outcome.status == 1, "\(outcome.text)")
        #expect(outcome.text.contains("kf: "), "\(outcome.text)")
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
        #expect(Set(files).subtracting(["out"]) == ["in.png"])
    }

    @Test(arguments: ["--version", "info in.png", "cache stats"])
    func `output to a file that may not grow ends with an exit status`(
        arguments: String
    ) async throws {
        let outcome = try await KFProgram.bash(
            "ulimit -f 0; exec timeout 30 \"$0\" \(arguments)",
            in: folder
        )
        #expect(outcome.status == 1)
    }
}
