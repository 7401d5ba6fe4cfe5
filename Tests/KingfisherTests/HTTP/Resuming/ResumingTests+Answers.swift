import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Answers that do not fit the part that is there, or the request.
extension ResumingTests {
    @Test(arguments: [
        (39_999, "\"v1\"", 206), (40_000, "\"v2\"", 206), (40_000, "", 206), (0, "", 416),
    ])
    func `after a response that does not fit, the file is requested again`(
        first: Int,
        tag: String,
        status: Int
    ) async throws {
        let whole = ServerReply.body(bytes, fields: [("ETag", "\"v1\"")])
        let asked = Locked(0)
        let unfit = status == 416 ? ServerReply.status(416) : part(from: first, tag: tag)
        let fields = [("Content-Length", "\(bytes.count)"), ("ETag", "\"v1\"")]
        let broken = ServerReply(steps: [
            .send(ServerReply.head(200, fields) + bytes.prefix(40_000)), .close,
        ])
        server.route("/a") { request in
            asked.change { $0 += 1 }
            if request.value(for: "Range") != nil { return unfit }
            return asked.value == 1 ? broken : whole
        }
        _ = await download()
        let body = try await download().get()
        #expect(body.data == bytes)
        #expect(ranges() == [nil, "bytes=40000-", nil])
        await partials.flush()
        #expect(partials.isEmpty)
    }

    @Test func `a server in trouble does not cost the part that is there`() async throws {
        serve { [self] in part() }
        _ = await download()
        server.route("/a", .status(503))
        let answer = try await download().get()
        #expect(answer.response.statusCode == 503)
        #expect(answer.data.isEmpty)
        serve { [self] in part() }
        #expect(try await download().get().data == bytes)
        #expect(ranges() == [nil, "bytes=40000-", nil, "bytes=40000-"])
    }

    /// Ways in which a server fails a request for a range, and only that.
    enum Refusal: Sendable, CaseIterable {
        case badRequest, unauthorized, forbidden, notFound, notAllowed, precondition, tooMany, error
        case notImplemented, unavailable, notModified, reset, close, hang, cutAtOnce, tooLong,
            garbage

        var reply: ServerReply {
            switch self {
            case .badRequest: .status(400)
            case .unauthorized: .status(401)
            case .forbidden: .status(403)
            case .notFound: .status(404)
            case .notAllowed: .status(405)
            case .precondition: .status(412)
            case .tooMany: .status(429)
            case .error: .status(500)
            case .notImplemented: .status(501)
            case .unavailable: .status(503)
            case .notModified: .status(304)
            case .reset: ServerReply(steps: [.reset])
            case .close: ServerReply(steps: [.close])
            case .hang: .held(ServerGate(), then: .status(500))
            case .cutAtOnce: ServerReply(steps: [.send(ServerReply.head(206, fields)), .close])
            case .tooLong: ServerReply(steps: [.send(ServerReply.head(206, chunked) + long)])
            case .garbage: ServerReply(steps: [.send(Data("garbage\r\n\r\n".utf8)), .close])
            }
        }

        private var range: [(String, String)] {
            [("ETag", "\"v1\""), ("Content-Range", "bytes 40000-99999/100000")]
        }
        private var fields: [(String, String)] { range + [("Content-Length", "60000")] }
        private var chunked: [(String, String)] { range + [("Transfer-Encoding", "chunked")] }
        private var long: Data {
            Data("ea61\r\n".utf8) + Data(count: 60_001) + Data("\r\n0\r\n\r\n".utf8)
        }
    }

    @Test(arguments: Refusal.allCases)
    func `DL-48: a server that fails only requests for a range loses no download`(
        refusal: Refusal
    ) async throws {
        serve { refusal.reply }
        _ = await download()
        let whole = ServerReply.body(bytes, fields: [("ETag", "\"v1\"")])
        server.route("/a") { $0.value(for: "Range") == nil ? whole : refusal.reply }
        var settings = TransferSettings.patient
        if refusal == .hang { settings.idleTimeout = .seconds(1) }
        let body = try await download(settings: settings).get()
        #expect(body.data == bytes)
        #expect(body.metrics.resumedBytes == 0)
        await partials.flush()
        #expect(partials.isEmpty)
    }

    @Test(arguments: ["W/\"v1\"", ""])
    func `without a strong validator nothing is kept`(tag: String) async {
        serve(tag: tag) { .status(500) }
        _ = await download()
        await partials.flush()
        #expect(partials.isEmpty)
    }

    @Test func `a request with other headers does not continue it`() async throws {
        serve { [self] in part() }
        _ = await download()
        _ = await download(fields: ["Authorization": "me"])
        #expect(ranges() == [nil, nil])
    }

    @Test func `an unrequested part is not taken for the whole`() async {
        server.route("/a", part())
        let result = await download()
        guard case .failure(.badResponse) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test(arguments: [100_000, 99_999])
    func `an unrequested part is taken if it is the whole`(length: Int) async {
        let fields = [
            ("Content-Range", "bytes 0-99999/100000"), ("Transfer-Encoding", "chunked"),
        ]
        let size = Data("\(String(length, radix: 16))\r\n".utf8)
        let body = size + bytes.prefix(length) + Data("\r\n0\r\n\r\n".utf8)
        server.route("/a", ServerReply(steps: [.send(ServerReply.head(206, fields) + body)]))
        let result = await download()
        if length == bytes.count {
            let body = try? result.get()
            #expect(body?.data == bytes)
            #expect(body?.response.statusCode == 200)
        } else {
            #expect(throws: TransferError.self) { try result.get() }
        }
    }

    @Test(arguments: [(204, "no body"), (205, "no body"), (304, "confirms")])
    func `a response without an image says so`(status: Int, words: String) async {
        server.route("/a", .status(status))
        guard case .failure(.badResponse(let reason, _)) = await download() else {
            Issue.record("not refused")
            return
        }
        #expect(reason.contains(words) && reason.contains("\(status)"))
    }

    @Test func `a request for a range is left as it is`() async throws {
        serve { [self] in part() }
        _ = await download()
        let body = try await download(fields: ["Range": "bytes=40000-"]).get()
        #expect(body.response.statusCode == 206)
        #expect(body.data == bytes.dropFirst(40_000))
    }
}
