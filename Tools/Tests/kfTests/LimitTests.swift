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
    @Test func `a user without threads is told at the start`() async throws {
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
}
