import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

/// Servers that fail conditional requests, and only those.
@Suite(.timeLimit(.minutes(1)))
struct RefusedConditionTests {
    enum Refusal: Sendable, CaseIterable {
        case badRequest, forbidden, notFound, precondition, tooMany, error, unavailable
        case reset, close, hang, garbage, truncated

        var reply: ServerReply {
            switch self {
            case .badRequest: .status(400)
            case .forbidden: .status(403)
            case .notFound: .status(404)
            case .precondition: .status(412)
            case .tooMany: .status(429)
            case .error: .status(500)
            case .unavailable: .status(503)
            case .reset: ServerReply(steps: [.reset])
            case .close: ServerReply(steps: [.close])
            case .hang: .held(ServerGate(), then: .status(500))
            case .garbage: ServerReply(steps: [.send(Data("garbage\r\n\r\n".utf8)), .close])
            case .truncated: .truncated(Data("x".utf8), declared: 1000)
            }
        }
    }

    @Test(arguments: Refusal.allCases)
    func `DL-48: a stale image comes again if the server fails only conditional requests`(
        refusal: Refusal
    ) async throws {
        let bench = try TestBench()
        let fields = [("Cache-Control", "max-age=60"), ("Age", "70"), ("ETag", "\"1\"")]
        let image = TestImage.jpeg(width: 20, height: 10)
        let whole = ServerReply.body(image, type: "image/jpeg", fields: fields)
        bench.server.route("/a.jpg") {
            $0.value(for: "If-None-Match") == nil ? whole : refusal.reply
        }
        if refusal == .hang { bench.downloader.downloadTimeout = 1 }
        for _ in 1...2 {
            let result = try await bench.manager.retrieveImage(
                with: bench.server.url("/a.jpg"),
                options: [.httpCaching, .waitForCache]
            )
            #expect(result.freshness == .fresh)
            #expect(result.cacheType == .none)
        }
        let conditions = bench.server.requests.map { $0.value(for: "If-None-Match") }
        #expect(conditions.first == .some(nil))
        #expect(conditions.last == .some(nil))
        #expect(conditions.contains("\"1\""))
    }
}
