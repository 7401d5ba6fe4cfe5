import Foundation
import KingfisherTesting
import Testing

/// The lists of `kf prefetch`.
@Suite(.timeLimit(.minutes(1)))
struct PrefetchTests {
    @Test func `a list may have comments, blank lines, a byte order mark and any line ends`()
        async throws
    {
        let folder = try TemporaryFolder()
        let image = try TestPictures.jpeg()
        let server = try LoopbackServer { _, _ in .init(body: image) }
        defer { server.stop() }
        let list =
            "\u{FEFF}\(server.url("/1"))\r\n\t # all\r\n \t \r\n\(server.url("/2")) # second\n"
            + "\(server.url("/3#part"))\t#third\n\n  \(server.url("/1"))  "
        let outcome = try await KFProgram.run(
            ["prefetch", "--from", "-", "--cache", "cache", "--concurrency", "1"],
            in: folder,
            input: Data(list.utf8)
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(server.requests == ["/1", "/2", "/3"], "\(outcome.text)")
    }
}
