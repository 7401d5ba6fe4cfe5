import Foundation
import Kingfisher
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(1)))
struct CurlSteeringTests {
    let server: ImageServer
    let transport = CurlTransport()
    let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })

    init() throws {
        server = try ImageServer()
        server.route("/a", .body(bytes))
    }

    private func start(
        _ path: String,
        settings: TransferSettings = .patient,
        _ recorder: TransferRecorder
    ) -> any HTTPTransfer {
        transport.start(
            URLRequest(url: server.url(path)),
            settings: settings,
            handler: recorder
        )
    }

    // MARK: Answers to the response

    @Test func `a response can be refused, and says why`() async {
        struct NotWanted: Error {}
        let recorder = TransferRecorder(response: { $2(.reject(NotWanted())) })
        _ = start("/a", recorder)
        let outcome = await recorder.outcome()
        guard case .rejected(let reason, _) = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(reason is NotWanted)
        #expect(recorder.byteCount == 0)
    }

    @Test func `LNX-5: a body that is not wanted is not read`() async {
        server.route("/e", .endless(bytes))
        let recorder = TransferRecorder(response: { $2(.cancel) })
        _ = start("/e", recorder)
        let outcome = await recorder.outcome()
        #expect(outcome.error?.isCancellation == true)
        #expect(recorder.events == [.response(200), .finish])
        await server.abandoned(1)
    }

    @Test(arguments: [true, false])
    func `the answer may come later`(isAllowed: Bool) async {
        let recorder = TransferRecorder(response: { [server, transport] _, _, reply in
            Task {
                // By the time another transfer is complete, the body has arrived.
                _ = await transport.load(server.url("/other"))
                reply(isAllowed ? .allow : .cancel)
            }
        })
        _ = start("/a", recorder)
        let outcome = await recorder.outcome()
        #expect((outcome.error == nil) == isAllowed)
        #expect(outcome.hasBody(isAllowed ? bytes : Data()))
        #expect(recorder.finishCount == 1)
    }

    @Test func `the answer to an empty body may come later`() async {
        server.route("/none", .status(200))
        let recorder = TransferRecorder(response: { [server, transport] _, _, reply in
            Task {
                _ = await transport.load(server.url("/other"))
                reply(.allow)
            }
        })
        _ = start("/none", recorder)
        let outcome = await recorder.outcome()
        #expect(outcome.error == nil)
        #expect(recorder.events == [.response(200), .finish])
    }

    // MARK: Cancellation

    @Test func `cancel right after start`() async {
        let recorder = TransferRecorder()
        start("/a", recorder).cancel()
        #expect(await recorder.outcome().error?.isCancellation == true)
        #expect(recorder.events == [.finish])
    }

    @Test func `cancel while waiting for a connection`() async {
        let gate = ServerGate()
        server.route("/held", .held(gate, then: .text("x")))
        var settings = TransferSettings.patient
        settings.maxConnectionsPerHost = 1
        let first = TransferRecorder()
        _ = start("/held", settings: settings, first)
        await gate.reached()
        let second = TransferRecorder()
        start("/a", settings: settings, second).cancel()
        #expect(await second.outcome().error?.isCancellation == true)
        gate.open()
        #expect(await first.outcome().error == nil)
        #expect(server.requests.count == 1)
    }

    @Test func `cancel before the head`() async {
        let gate = ServerGate()
        server.route("/held", .held(gate, then: .text("x")))
        let recorder = TransferRecorder()
        let transfer = start("/held", recorder)
        await gate.reached()
        transfer.cancel()
        #expect(await recorder.outcome().error?.isCancellation == true)
        await server.abandoned(1)
        #expect(recorder.events == [.finish])
    }

    @Test func `cancel in the body`() async {
        server.route("/g", .gated(bytes, at: [(5000, ServerGate())]))
        let recorder = TransferRecorder()
        let transfer = start("/g", recorder)
        await recorder.wait { $0.contains(.response(200)) }
        transfer.cancel()
        transfer.cancel()
        #expect(await recorder.outcome().error?.isCancellation == true)
        await server.abandoned(1)
        #expect(recorder.finishCount == 1)
    }

    @Test func `cancel from within an event`() async {
        server.route("/e", .endless(bytes))
        let recorder = TransferRecorder(chunk: { $0.cancel() })
        _ = start("/e", recorder)
        #expect(await recorder.outcome().error?.isCancellation == true)
        let chunks = recorder.events.filter { if case .chunk = $0 { true } else { false } }
        #expect(chunks.count == 1)
    }

    @Test func `cancel while the handler thinks, and a late answer`() async {
        let box = Late()
        let recorder = TransferRecorder(response: { box.set($2) })
        let transfer = start("/a", recorder)
        await recorder.wait { $0.contains(.response(200)) }
        transfer.cancel()
        #expect(await recorder.outcome().error?.isCancellation == true)
        box.call(.allow)
        _ = await transport.census()
        #expect(recorder.events == [.response(200), .finish])
    }

    @Test func `cancel after the end does nothing`() async {
        let recorder = TransferRecorder()
        let transfer = start("/a", recorder)
        #expect(await recorder.outcome().error == nil)
        transfer.cancel()
        transfer.pause()
        transfer.resume()
        _ = await transport.census()
        #expect(recorder.finishCount == 1)
    }

    @Test func `a transport that is released ends its transfers`() async {
        server.route("/held", .held(ServerGate(), then: .text("x")))
        let recorder = TransferRecorder()
        do {
            let own = CurlTransport()
            _ = own.start(
                URLRequest(url: server.url("/held")),
                settings: .patient,
                handler: recorder
            )
            await server.received(1)
        }
        #expect(await recorder.outcome().error?.isCancellation == true)
    }

    // MARK: Back-pressure

    @Test func `a paused transfer slows the server down, and goes on`() async {
        // Far more than the socket buffers can store.
        let large = Data(repeating: 9, count: 32 << 20)
        let gate = ServerGate()
        server.route(
            "/large",
            ServerReply(steps: [
                .send(ServerReply.head(200, [("Content-Length", "\(large.count)")]) + large),
                .wait(gate),
            ])
        )
        let recorder = TransferRecorder(response: { transfer, _, reply in
            transfer.pause()
            reply(.allow)
        })
        let transfer = start("/large", recorder)
        await recorder.wait { $0.contains(.response(200)) }
        // During two round trips of another transfer, the paused one could have read.
        _ = await transport.load(server.url("/a"))
        let held = recorder.byteCount
        _ = await transport.load(server.url("/a"))
        #expect(recorder.byteCount == held)
        #expect(held < 1 << 20)
        transfer.resume()
        let outcome = await recorder.outcome()
        gate.open()
        #expect(outcome.error == nil)
        #expect(outcome.hasBody(large))
    }

    // MARK: Limits and order

    @Test func `no more transfers per host than allowed`() async {
        let gate = ServerGate()
        server.route("/held", .held(gate, then: .text("x")))
        var settings = TransferSettings.patient
        settings.maxConnectionsPerHost = 3
        let recorders = (0..<10).map { _ in TransferRecorder() }
        for recorder in recorders { _ = start("/held", settings: settings, recorder) }
        await gate.reached(3)
        let census = await transport.census()
        #expect(census.running == 3)
        #expect(census.queued == 7)
        #expect(server.requests.count == 3)
        gate.open()
        for recorder in recorders { #expect(await recorder.outcome().error == nil) }
        #expect(server.connectionCount == 3)
    }

    @Test func `no more transfers in all than allowed`() async throws {
        let others = try (0..<4).map { _ in try ImageServer() }
        let gate = ServerGate()
        var configuration = CurlTransport.Configuration()
        configuration.maxConnections = 2
        let own = CurlTransport(configuration: configuration)
        let recorders = others.map { other in
            other.route("/held", .held(gate, then: .text("x")))
            let recorder = TransferRecorder()
            _ = own.start(
                URLRequest(url: other.url("/held")),
                settings: .patient,
                handler: recorder
            )
            return recorder
        }
        await gate.reached(2)
        #expect(await own.census().running == 2)
        gate.open()
        for recorder in recorders { #expect(await recorder.outcome().error == nil) }
    }

    @Test func `the higher priority goes first, then the older`() async {
        let gate = ServerGate()
        server.route("/held", .held(gate, then: .text("x")))
        server.fallback { _ in .text("ok") }
        var settings = TransferSettings.patient
        settings.maxConnectionsPerHost = 1
        let first = TransferRecorder()
        _ = start("/held", settings: settings, first)
        await gate.reached()
        var recorders: [TransferRecorder] = []
        var transfers: [any HTTPTransfer] = []
        for (path, priority) in [("/low", 0.1), ("/mid1", 0.5), ("/mid2", 0.5), ("/up", 0.2)] {
            let recorder = TransferRecorder()
            settings.priority = Float(priority)
            transfers.append(start(path, settings: settings, recorder))
            recorders.append(recorder)
        }
        transfers.last?.setPriority(0.9)
        gate.open()
        for recorder in recorders { _ = await recorder.outcome() }
        #expect(server.requests.map(\.path) == ["/held", "/up", "/mid1", "/mid2", "/low"])
    }

    @Test func `a priority set by the end of a transfer counts for the next one`() async {
        let gate = ServerGate()
        server.route("/held", .held(gate, then: .text("x")))
        server.fallback { _ in .text("ok") }
        var settings = TransferSettings.patient
        settings.maxConnectionsPerHost = 1
        let waiting = Locked<[any HTTPTransfer]>([])
        let first = TransferRecorder(chunk: { _ in waiting.value.last?.setPriority(0.9) })
        _ = start("/held", settings: settings, first)
        await gate.reached()
        let recorders = ["/old", "/urgent"].map { path in
            let recorder = TransferRecorder()
            waiting.change { $0.append(start(path, settings: settings, recorder)) }
            return recorder
        }
        _ = await transport.census()
        gate.open()
        for recorder in recorders { _ = await recorder.outcome() }
        #expect(server.requests.map(\.path) == ["/held", "/urgent", "/old"])
    }

    // MARK: Challenges

    @Test func `name and password are given when asked for`() async {
        server.route("/p", ImageServer.secret(.text("in")))
        let recorder = TransferRecorder(challenge: { challenge, reply in
            reply(TransferCredential(user: "me", password: "p:w"))
        })
        _ = start("/p", recorder)
        let outcome = await recorder.outcome()
        #expect(outcome.error == nil)
        #expect(recorder.events == [.challenge("test"), .response(200), .chunk(2), .finish])
        #expect(server.requests.count == 2)
    }

    @Test func `wrong ones are asked for again, and nil takes the 401`() async {
        server.route("/p", ImageServer.secret(.text("in")))
        let recorder = TransferRecorder(challenge: { challenge, reply in
            Task {
                let isFirst = challenge.previousFailureCount == 0
                reply(isFirst ? TransferCredential(user: "me", password: "no") : nil)
            }
        })
        _ = start("/p", recorder)
        let outcome = await recorder.outcome()
        #expect(outcome.response?.statusCode == 401)
        #expect(
            recorder.events == [.challenge("test"), .challenge("test"), .response(401), .finish]
        )
    }

    @Test func `after 20 refused credentials the 401 is the response`() async {
        server.route("/p", ImageServer.secret(.text("in")))
        let recorder = TransferRecorder(challenge: { challenge, reply in
            let isFar = challenge.previousFailureCount >= 20
            reply(isFar ? nil : TransferCredential(user: "me", password: "no"))
        })
        _ = start("/p", recorder)
        #expect(await recorder.outcome().response?.statusCode == 401)
        #expect(recorder.events.filter { $0 == .challenge("test") }.count == 20)
        #expect(server.requests.count == 21)
    }

    @Test func `a credential does not follow to another origin`() async throws {
        let other = try ImageServer()
        other.fallback { _ in .text("there") }
        server.route("/p", ImageServer.secret(.redirect(to: other.url("/x").absoluteString)))
        let recorder = TransferRecorder(challenge: { _, reply in
            reply(TransferCredential(user: "me", password: "p:w"))
        })
        _ = start("/p", recorder)
        #expect(await recorder.outcome().body == Data("there".utf8))
        #expect(other.requests.first?.value(for: "Authorization") == nil)
    }
}

extension ImageServer {
    fileprivate static func secret(
        _ reply: ServerReply
    ) -> @Sendable (ServerRequest) -> ServerReply {
        ServerReply.protected(user: "me", password: "p:w", reply)
    }
}

/// Stores a reply for later.
private final class Late: Sendable {
    private let reply = Mutex<(@Sendable (TransferDisposition) -> Void)?>(nil)

    func set(_ reply: @escaping @Sendable (TransferDisposition) -> Void) {
        self.reply.withLock { $0 = reply }
    }

    func call(_ disposition: TransferDisposition) {
        reply.withLock { $0 }?(disposition)
    }
}
