import Foundation
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Random answers through the real transport: each transfer ends once, with a body that was sent or
/// an error.
///
/// `FuzzSeeds` sets their number. A failure reports the seed of its answer.
@Suite(.timeLimit(.minutes(10)))
struct CurlAnswerFuzzTests {
    @Test func `every answer ends once, as its bytes or as an error`() async throws {
        let server = try ImageServer()
        let transport = CurlTransport()
        var settings = TransferSettings.patient
        settings.maxBodyBytes = 4_096
        settings.maxRedirects = 4
        server.route("/fine", .text("fine"))
        var (rounds, bodies) = (0, 0)
        for seed in FuzzSeeds(usually: 150) {
            rounds += 1
            var answers = RandomAnswers(seed: seed, target: server.url("/b").absoluteString)
            server.route("/a", answers.nextReply())
            server.route("/b", answers.nextReply())
            let recorder = TransferRecorder()
            let outcome = await transport.load(
                server.url("/a"),
                settings: settings,
                recorder: recorder
            )
            #expect(recorder.finishCount == 1, "seed \(seed)")
            #expect(outcome.body.count <= settings.maxBodyBytes, "seed \(seed)")
            if outcome.error != nil { continue }
            bodies += 1
            let response = try #require(outcome.response, "seed \(seed)")
            #expect((100...999).contains(response.statusCode), "seed \(seed)")
            if let length = response.expectedLength, ![204, 304].contains(response.statusCode) {
                #expect(outcome.body.count == length, "seed \(seed)")
            }
            #expect(answers.sent(outcome.body), "seed \(seed)")
        }
        // Some answers must be valid, or the test proves nothing.
        #expect(rounds < 100 || bodies > 5)
        #expect(await transport.load(server.url("/fine")).body == Data("fine".utf8))
    }
}

/// Answers made of valid, unusual and invalid pieces.
private struct RandomAnswers {
    private var chance: SplitMix
    private let target: String
    private var bodies: [Data] = []

    init(seed: UInt64, target: String) {
        chance = SplitMix(seed: seed)
        self.target = target
    }

    /// Whether the bytes are a body that was sent, or the beginning of one.
    func sent(_ body: Data) -> Bool {
        bodies.contains { $0.range(of: body) != nil || body.isEmpty }
    }

    /// A response, after which the server closes the connection or floods it.
    ///
    /// Floods that are no part of a body or head have their own test, because they never end.
    mutating func nextReply() -> ServerReply {
        guard oneIn(6) else { return ServerReply(steps: [.send(next()), .close]) }
        let floods: [Flood] = [.chunks, .redirect, .lines, .trailers, .interim, .pieces]
        let flood = floods[number(below: floods.count)]
        bodies.append(Data(repeating: UInt8(ascii: "x"), count: 8_192))
        bodies.append(flood.piece + flood.piece)
        return flood.reply
    }

    private mutating func next() -> Data {
        let body = Data((0..<number(below: 600)).map { UInt8(65 + $0 % 26) })
        var fields = (0..<number(below: 5)).map { _ in field(for: body) }
        let isChunked = oneIn(4)
        if isChunked {
            fields.append("Transfer-Encoding: chunked")
        } else if !oneIn(4) {
            fields.append("Content-Length: \(body.count)")
        }
        let lineEnd = oneIn(12) ? "\n" : "\r\n"
        let head = ([statusLine()] + fields).joined(separator: lineEnd) + lineEnd + lineEnd
        var answer = Data(head.utf8) + (isChunked ? chunked(body) : body)
        bodies.append(answer)
        bodies.append(body)
        if oneIn(5), !answer.isEmpty { answer = answer.prefix(number(below: answer.count)) }
        for _ in 0..<(oneIn(4) ? 1 + number(below: 4) : 0) where !answer.isEmpty {
            answer[answer.startIndex + number(below: answer.count)] = UInt8(number(below: 256))
        }
        bodies.append(answer)
        return answer
    }

    private mutating func statusLine() -> String {
        pick([
            "HTTP/1.1 200 OK", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK", "HTTP/1.0 200 OK",
            "HTTP/1.1 302 Found", "HTTP/1.1 307 Moved", "HTTP/1.1 206 Partial Content",
            "HTTP/1.1 204 No Content", "HTTP/1.1 304 Not Modified", "HTTP/1.1 401 No",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK", "HTTP/1.1 999 ?", "HTTP/1.1 99999 ?",
            "HTTP/9.9 200 OK", "HTTP/1.1", "ICY 200 OK", "", "\u{0}",
        ])
    }

    private mutating func field(for body: Data) -> String {
        pick([
            "Location: \(target)", "Location: \(target)", "Location: ///", "Location: file:///etc",
            "Content-Length: \(body.count)", "Content-Length: -1", "Content-Length: 1, 2",
            "Content-Length: 99999999999999999999", "Content-Length: 0x10",
            " folded: into nothing", "X-A: b\r\n\tfolded", "X-\u{0}: b", ": no name", "no colon",
            "Content-Encoding: gzip", "Content-Encoding: identity", "Content-Encoding: zstd",
            "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: identity",
            "Content-Range: bytes 0-1/2", "Content-Range: bytes 9-1/*", "ETag: \"\u{fc}",
            "WWW-Authenticate: Digest realm=", "WWW-Authenticate: Basic realm=\"a\"",
            "Cache-Control: max-age=99999999999999999999, \"", "Age: -5", "Retry-After: 1e99",
            "Set-Cookie: a=b", "Connection: close",
            "X-Long: " + String(repeating: "l", count: 9_000),
        ])
    }

    private mutating func chunked(_ body: Data) -> Data {
        let size = pick([
            String(body.count, radix: 16), String(body.count, radix: 16), "-1", "zz",
            "ffffffffffffffffff", "\(String(body.count, radix: 16));a=b", "",
        ])
        let end = pick(["0\r\n\r\n", "0\r\n\r\n", "0\r\nX-Trailer: a\r\n\r\n", "", "5\r\n"])
        return Data("\(size)\r\n".utf8) + body + Data("\r\n\(end)".utf8)
    }

    private mutating func number(below limit: Int) -> Int {
        Int.random(in: 0..<max(1, limit), using: &chance)
    }

    private mutating func oneIn(_ count: Int) -> Bool { number(below: count) == 0 }

    private mutating func pick(_ choices: [String]) -> String {
        choices[number(below: choices.count)]
    }
}
