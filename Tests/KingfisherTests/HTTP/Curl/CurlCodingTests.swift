import Foundation
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Bodies with a content coding.
@Suite(.timeLimit(.minutes(1)))
struct CurlCodingTests {
    let server: ImageServer
    let transport = CurlTransport()

    init() throws {
        server = try ImageServer()
    }

    private func route(_ body: Data, _ coding: String) {
        server.route("/a", .body(body, fields: [("Content-Encoding", coding)]))
    }

    @Test(arguments: CodedText.all)
    func `DL-51: a coded body arrives decoded, in one piece and byte by byte`(
        coded: CodedText
    )
        async
    {
        for size in [coded.bytes.count, 1] {
            let pieces = stride(from: 0, to: coded.bytes.count, by: size).map {
                coded.bytes[$0..<min($0 + size, coded.bytes.count)]
            }
            var reply = ServerReply.chunked(pieces.map { Data($0) })
            let fields = [("Transfer-Encoding", "chunked"), ("Content-Encoding", coded.name)]
            reply.steps[0] = .send(ServerReply.head(200, fields))
            server.route("/a", reply)
            let outcome = await transport.load(server.url("/a"))
            #expect(outcome.error == nil)
            #expect(outcome.hasBody(CodedText.text))
            #expect(outcome.metrics.bytes == CodedText.text.count)
            #expect(outcome.metrics.wireBytes >= coded.bytes.count)
        }
    }

    @Test(arguments: ["gzip", "zstd"])
    func `DL-51: the members of a body are decoded one after another`(name: String) async throws {
        let coded = try #require(CodedText.all.first { $0.name == name })
        route(coded.bytes + coded.bytes + coded.bytes, name)
        let outcome = await transport.load(server.url("/a"))
        #expect(outcome.error == nil)
        #expect(outcome.hasBody(CodedText.text + CodedText.text + CodedText.text))
    }

    // libcurl keeps what it has decoded while a transfer is paused, up to 64 MB.
    @Test(arguments: [("deflate", Zeros.deflated), ("br", Zeros.brotli)])
    func `DL-51: a body that is paused may have any size decoded`(
        coding: String,
        body: Data
    ) async {
        route(body, coding)
        let recorder = TransferRecorder(chunk: { transfer in
            transfer.pause()
            Task { transfer.resume() }
        })
        let outcome = await transport.load(server.url("/a"), recorder: recorder)
        #expect(outcome.error == nil)
        #expect(outcome.body.count == Zeros.count)
    }

    @Test func `a coded body is decoded beside the thread of the network`() async {
        route(CodedText.all[0].bytes, "gzip")
        let threads = Locked<[pthread_t]>([])
        let note = { @Sendable in threads.change { $0.append(pthread_self()) } }
        let recorder = TransferRecorder(
            response: { _, _, reply in
                note()
                reply(.allow)
            },
            chunk: { _ in note() }
        )
        _ = await transport.load(server.url("/a"), recorder: recorder)
        #expect(threads.value.count == 2)
        #expect(Set(threads.value).count == 2)
    }

    @Test func `a refused thread is an error of the coded body alone`() async {
        let threads = RefusingThreads { $0 == 2 }
        let transport = CurlTransport(configuration: .init(), threads: threads.starter)
        route(CodedText.all[0].bytes, "gzip")
        guard case .noThread = await transport.load(server.url("/a")).error else {
            Issue.record("no error")
            return
        }
        let next = await transport.load(server.url("/a"))
        #expect(next.error == nil)
        #expect(next.hasBody(CodedText.text))
    }

    // MARK: Damage

    @Test(arguments: CodedText.all)
    func `DL-51: a coded body that is cut is incomplete`(coded: CodedText) async {
        route(coded.bytes.dropLast(3), coded.name)
        let outcome = await transport.load(server.url("/a"))
        guard case .truncatedBody(let received, nil, _) = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(received == outcome.body.count)
        #expect(outcome.metrics.bytes == outcome.body.count)
    }

    @Test(arguments: CodedText.all)
    func `DL-51: bytes after the end of a coded body are an error that says so`(
        coded: CodedText
    ) async {
        route(coded.bytes + Data("rest".utf8), coded.name)
        guard case .badResponse(let reason, _) = await transport.load(server.url("/a")).error else {
            Issue.record("accepted")
            return
        }
        #expect(reason == "bytes follow the end of its encoded body (\(coded.name))")
    }

    // Most bytes are codes of plain deflate.
    @Test(arguments: CodedText.all.filter { $0.bytes.first != 0x4B })
    func `DL-51: a damaged coded body is an error that names the coding`(coded: CodedText) async {
        route(Data(coded.bytes.prefix(2)) + Data(repeating: 0xFF, count: 60), coded.name)
        guard case .badResponse(let reason, _) = await transport.load(server.url("/a")).error else {
            Issue.record("accepted")
            return
        }
        #expect(reason == "its encoded body is damaged (\(coded.name))")
    }

    @Test(arguments: CodedText.all)
    func `a body without a byte is empty, whatever its coding`(coded: CodedText) async {
        route(Data(), coded.name)
        let outcome = await transport.load(server.url("/a"))
        #expect(outcome.error == nil)
        #expect(outcome.body.isEmpty)
    }

    // MARK: Limits

    @Test(arguments: [("deflate", Zeros.deflated), ("br", Zeros.brotli)])
    func `a coded body ends at the limit of decoded bytes`(coding: String, body: Data) async {
        route(body, coding)
        var settings = TransferSettings.patient
        settings.maxBodyBytes = 1 << 20
        let outcome = await transport.load(server.url("/a"), settings: settings)
        guard case .bodyTooLarge(limit: 1 << 20, _) = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(outcome.body.count <= 1 << 20)
    }

    @Test(arguments: [Flood.emptyBlocks, .metadata])
    func `a coded body without a decoded byte ends at the same limit`(flood: Flood) async {
        server.route("/a", flood.reply)
        var settings = TransferSettings.patient
        settings.maxBodyBytes = 1 << 20
        let outcome = await transport.load(server.url("/a"), settings: settings)
        guard case .bodyTooLarge(limit: 1 << 20, _) = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(outcome.body.isEmpty)
    }

    @Test func `a window of zstd above 8 MB is refused`() async {
        // A frame of one raw byte that declares 128 MB (RFC 8878, 3.1.1; RFC 9659).
        route(Data([0x28, 0xB5, 0x2F, 0xFD, 0, 0x88, 9, 0, 0, 0x61]), "zstd")
        guard case .badResponse = await transport.load(server.url("/a")).error else {
            Issue.record("accepted")
            return
        }
    }

    @Test func `a cancelled coded transfer has one end, and nothing follows it`() async {
        route(Zeros.brotli, "br")
        for _ in 0..<30 {
            let recorder = TransferRecorder(chunk: { $0.cancel() })
            let outcome = await transport.load(server.url("/a"), recorder: recorder)
            #expect(outcome.error?.isCancellation == true)
            #expect(recorder.events.filter { $0 == .finish }.count == 1)
            #expect(recorder.events.filter { $0 != .finish && $0 != .response(200) }.count == 1)
        }
    }

    @Test func `a transport that is released ends the bodies that it decodes`() async {
        route(Zeros.brotli, "br")
        let transport = Locked<CurlTransport?>(CurlTransport())
        let recorder = TransferRecorder(chunk: { _ in transport.change { $0 = nil } })
        let url = server.url("/a")
        _ = transport.value?.start(URLRequest(url: url), settings: .patient, handler: recorder)
        let outcome = await recorder.outcome()
        #expect(outcome.error == nil || outcome.error?.isCancellation == true)
        #expect(recorder.finishCount == 1)
    }
}

/// One text in every coding.
struct CodedText: Sendable, CustomTestStringConvertible {
    static let text = Data(String(repeating: "all work and no play ", count: 20).utf8)

    static let all = [
        CodedText("gzip", "H4sIAAAAAAACA0vMyVEozy/KVkjMS1HIy1coyEmsVEgcFRxMggA3txjapAEAAA=="),
        CodedText("deflate", "eNpLzMlRKM8vylZIzEtRyMtXKMhJrFRIHBUcTIIAm3eTqQ=="),
        // Without the header of zlib, as some servers send it.
        CodedText("deflate", "S8zJUSjPL8pWSMxLUcjLVyjISaxUSBwVHEyCAA=="),
        CodedText("br", "G6MB+I3UTndzpqIECWMrt7fURBTGkoQbFqr3PeokAA=="),
        CodedText("zstd", "KLUv/WSkAOUAAKhhbGwgd29yayBhbmQgbm8gcGxheSABABlRnUy3cIs3"),
    ]

    let name: String
    let bytes: Data

    private init(_ name: String, _ text: String) {
        self.name = name
        bytes = Data(base64Encoded: text) ?? Data()
    }

    var testDescription: String { "\(name), \(bytes.count) bytes" }
}

/// 100 MB of zeros in a few bytes.
enum Zeros {
    static let count = 100_000_000

    /// Made by brotli with quality 9 and a window of 16 MB.
    static let brotli =
        Data(
            base64Encoded:
                "z///fwAkAOKxQHLv//n//w+ABEAcFoDu/T////8BkACIwwLQvf/n//8/ABIAcVgAuvf//P//"
                + "B0ACIA4LQPf+P//B6wFIAMRhAehi1wM="
        ) ?? Data()

    /// 95 times a block of 1 MiB made by zlib, and one of the rest.
    static let deflated: Data = {
        let head: [UInt8] = [
            0xEC, 0xC1, 0x31, 1, 0, 0, 0, 0xC2, 0xA0, 0xF5, 0x4F, 0x6D, 8, 0x5F, 0xA0,
        ]
        let block = Data(head) + Data(count: 1016) + Data([0x3E, 3, 0, 0, 0xFF, 0xFF])
        var data = Data()
        for _ in 0..<95 { data += block }
        // Stored blocks (RFC 1951, 3.2.4).
        var rest = count - 95 << 20
        while rest > 0 {
            let size = min(rest, 65_535)
            rest -= size
            let (low, high) = (UInt8(size & 255), UInt8(size >> 8))
            data += [rest == 0 ? 1 : 0, low, high, ~low, ~high] + Data(count: size)
        }
        return data
    }()
}
