import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
import KingfisherTesting
#endif

@Suite(.timeLimit(.minutes(1)))
struct SharedDownloadsTests {
    let transport = FakeTransport()
    let downloads: SharedDownloads<NoAttachment>
    let journal = Journal()
    let request: URLRequest
    let hello = Data("hello".utf8)

    init() throws {
        downloads = SharedDownloads(transport: transport)
        request = URLRequest(url: try #require(URL(string: "http://host/a.jpg")))
    }

    /// Joins a download, and starts it if this caller created it.
    @discardableResult
    func join(
        _ name: String,
        _ request: URLRequest? = nil,
        settings: TransferSettings = .init(),
        hooks: DownloadHooks<NoAttachment> = .init(),
        priority: Float = 0.5
    ) -> DownloadToken<NoAttachment> {
        let ticket = downloads.join(
            request ?? self.request,
            settings: settings,
            hooks: hooks,
            caller: journal.caller(name, priority: priority)
        )
        if ticket.isCreator { ticket.download.start() }
        return ticket
    }

    @Test func `DL-8: equal requests share one transfer, and are called in order of joining`() {
        let names = (0..<20).map { "\($0)" }
        for name in names { join(name) }
        #expect(transport.transfers.count == 1)
        transport.transfers.first?.complete(hello)
        #expect(journal.lines == names.map { "\($0) 5/5" } + names.map { "\($0) done hello" })
        #expect(downloads.running.isEmpty)
    }

    @Test func `DL-10: create-or-join is one step`() async {
        let count = 200
        await withTaskGroup { group in
            for index in 0..<count { group.addTask { join("\(index)") } }
        }
        #expect(transport.transfers.count == 1)
        transport.transfers.first?.complete(hello)
        #expect(journal.lines.filter { $0.hasSuffix("done hello") }.count == count)
    }

    @Test func `DL-11: a download that has ended takes no one, not even from its callbacks`() throws
    {
        join("a")
        journal.onFinish = { [self] name in if name == "a" { join("b") } }
        try transport.transfer(0).complete(hello)
        #expect(transport.transfers.count == 2)
        try transport.transfer(1).complete(Data("again".utf8))
        #expect(journal.lines.last == "b done again")
    }

    @Test func `DL-26: after a failure the same request starts afresh`() throws {
        join("a")
        try transport.transfer(0).finish(.cannotResolve(host: "host", url: URL(filePath: "/")))
        join("b")
        try transport.transfer(1).complete(hello)
        #expect(journal.lines == ["a failed", "b 5/5", "b done hello"])
    }

    @Test func `W-5: late events of an old transfer are not taken for the new one's`() throws {
        let first = join("a")
        first.leave()
        let second = join("b")
        let other = SharedDownloads(transport: transport)
        let third = other.join(request, caller: journal.caller("c"))
        third.download.start()
        #expect(Set([first, second, third].map(\.download.id)).count == 3)
        let transfers = transport.transfers
        try #require(transfers.count == 3)
        transfers[0].respond(404, length: 5)
        transfers[0].send(Data("wrong".utf8))
        transfers[0].finish()
        #expect(journal.lines == ["a cancelled"])
        // A download of another instance with the same request is independent.
        transfers[2].finish(.cannotResolve(host: "host", url: URL(filePath: "/")))
        transfers[1].complete(hello)
        #expect(journal.lines == ["a cancelled", "c failed", "b 5/5", "b done hello"])
    }

    // MARK: Identity

    @Test func `W-28: another header, method or body is another download`() {
        var others: [URLRequest] = []
        var other = request
        other.setValue("image/webp", forHTTPHeaderField: "Accept")
        others.append(other)
        other = request
        other.httpMethod = "POST"
        others.append(other)
        other.httpBody = hello
        others.append(other)
        join("a")
        for (index, other) in others.enumerated() { join("\(index)", other) }
        #expect(transport.transfers.count == 4)
        #expect(downloads.running.count == 4)
    }

    @Test func `a fragment, the case of header names and tracing headers do not matter`() {
        var first = request
        first.setValue("1", forHTTPHeaderField: "accept")
        first.setValue("1", forHTTPHeaderField: "X-Request-ID")
        var second = request
        second.url = URL(string: "http://host/a.jpg#part")
        second.setValue("1", forHTTPHeaderField: "Accept")
        second.setValue("2", forHTTPHeaderField: "traceparent")
        join("a", first)
        join("b", second)
        #expect(transport.transfers.count == 1)
    }

    @Test func `rules that can change the answer keep callers apart`() {
        var settings = TransferSettings()
        join("open")
        settings.addressPolicy = .publicOnly
        join("guarded", settings: settings)
        settings.trustedHosts = ["host"]
        join("trusting", settings: settings)
        settings = TransferSettings()
        settings.idleTimeout = .seconds(99)
        settings.priority = 1
        join("patient", settings: settings)
        #expect(transport.transfers.count == 3)
    }

    @Test func `different owners keep equal requests apart`() {
        let (a, b) = (Locked(0), Locked(0))
        for owner in [a, b, a] {
            _ = downloads.join(request, owner: .object(owner), caller: journal.caller("a"))
        }
        #expect(downloads.running.count == 2)
    }

    // MARK: After the end

    private func keep(_ name: String, mayJoinFinished: Bool = true) -> DownloadToken<NoAttachment> {
        var caller = journal.caller(name)
        caller.keepsBytes = true
        let token = downloads.join(request, mayJoinFinished: mayJoinFinished, caller: caller)
        if token.isCreator { token.download.start() }
        return token
    }

    @Test func `a late caller gets the bytes that others keep, until the last one leaves`() throws {
        let first = keep("a")
        try transport.transfer(0).complete(hello)
        let second = keep("b")
        first.leave()
        first.leave()
        let third = keep("c")
        #expect(transport.transfers.count == 1)
        #expect(downloads.running.isEmpty)
        #expect(!downloads.isEmpty)
        second.leave()
        third.leave()
        #expect(downloads.isEmpty)
        let fourth = keep("d")
        #expect(transport.transfers.count == 2)
        #expect(journal.lines == ["a 5/5", "a done hello", "b done hello", "c done hello"])
        fourth.leave()
        #expect(downloads.isEmpty)
    }

    @Test func `a token that is dropped keeps nothing`() throws {
        do {
            let token = keep("a")
            try transport.transfer(0).complete(hello)
            #expect(!downloads.isEmpty)
            _ = token.number
        }
        #expect(downloads.isEmpty)
    }

    @Test func `a caller that wants a fresh response gets its own download`() throws {
        let kept = keep("a")
        try transport.transfer(0).complete(hello)
        let fresh = keep("b", mayJoinFinished: false)
        #expect(transport.transfers.count == 2)
        kept.leave()
        #expect(downloads.running.map(\.id) == [fresh.download.id])
        try transport.transfer(1).complete(Data("fresh".utf8))
        #expect(journal.lines.last == "b done fresh")
        fresh.leave()
        #expect(downloads.isEmpty)
    }

    @Test func `a caller that joins during the hook gets the hook's result`() throws {
        let replies = Locked<[@Sendable (Result<DownloadedBody, TransferError>) -> Void]>([])
        let isAbandoned = Locked(0)
        var hooks = DownloadHooks<NoAttachment>()
        hooks.finished = { _, _, reply in replies.change { $0.append(reply) } }
        hooks.abandoned = { _ in isAbandoned.change { $0 += 1 } }
        var caller = journal.caller("a")
        caller.keepsBytes = true
        let first = downloads.join(request, hooks: hooks, caller: caller)
        first.download.start()
        try transport.transfer(0).complete(hello)
        let second = keep("b")
        let early = keep("c")
        early.leave()
        #expect(journal.lines == ["a 5/5", "c cancelled"])
        let body = DownloadedBody(
            data: Data("made".utf8),
            response: TransferResponse(url: URL(filePath: "/"), statusCode: 200, fields: []),
            metrics: TransferMetrics()
        )
        for _ in 0..<2 { replies.value.first?(.success(body)) }
        #expect(journal.lines == ["a 5/5", "c cancelled", "a done made", "b done made"])
        #expect(isAbandoned.value == 0)
        first.leave()
        second.leave()
        #expect(isAbandoned.value == 1)
        #expect(downloads.isEmpty)
        #expect(transport.transfers.count == 1)
    }

    // MARK: Progress and data

    @Test func `a later caller gets the progress from where it is`() throws {
        join("a")
        try transport.transfer(0).respond(length: 15)
        try transport.transfer(0).send(hello)
        let b = join("b")
        #expect(b.download.progress == TransferProgress(received: 5, expected: 15))
        try transport.transfer(0).send(hello)
        #expect(journal.lines == ["a 5/15", "a 10/15", "b 10/15"])
        #expect(b.download.data == hello + hello)
        #expect(b.download.data(from: 7) == Data("llo".utf8))
        #expect(b.download.data(from: 99).isEmpty)
    }

    @Test func `an unknown length is nil`() throws {
        join("a")
        try transport.transfer(0).respond()
        try transport.transfer(0).send(hello)
        #expect(journal.lines == ["a 5/?"])
    }

    // MARK: Priority

    @Test func `the priority is the highest of the callers'`() throws {
        join("a", priority: 0.3)
        let b = join("b", priority: 0.8)
        join("c", priority: 0.5)
        #expect(try transport.transfer(0).settings.priority == 0.3)
        #expect(try transport.transfer(0).priorities == [0.8])
        b.setPriority(0.4)
        b.leave()
        #expect(try transport.transfer(0).priorities == [0.8, 0.5])
    }

    // MARK: Hooks

    @Test func `the creator's hooks decide for all, and get the end once, first`() throws {
        struct NotWanted: Error {}
        var hooks = DownloadHooks<NoAttachment>()
        hooks.response = { [journal] _, response, reply in
            journal.note("asked \(response.statusCode)")
            reply(.reject(NotWanted()))
        }
        hooks.finished = { [journal] _, result, reply in
            journal.note("ended")
            reply(result)
        }
        join("a", hooks: hooks)
        join("b", hooks: DownloadHooks())
        try transport.transfer(0).respond(404)
        guard case .reject(let reason) = try transport.transfer(0).disposition else {
            Issue.record("no answer")
            return
        }
        try transport.transfer(0).finish(.rejected(reason: reason, url: URL(filePath: "/")))
        #expect(journal.lines == ["asked 404", "ended", "a failed", "b failed"])
    }

    @Test func `a download that ends before its start is announced as ended when started`() {
        var hooks = DownloadHooks<NoAttachment>()
        hooks.finished = { [journal] _, result, reply in
            journal.note("ended")
            reply(result)
        }
        let ticket = downloads.join(request, hooks: hooks, caller: journal.caller("a"))
        ticket.leave()
        #expect(journal.lines == ["a cancelled"])
        ticket.download.start()
        ticket.download.start()
        #expect(journal.lines == ["a cancelled", "ended"])
    }

    @Test func `late events of a cancelled transfer are ignored`() throws {
        join("a").leave()
        try transport.transfer(0).respond()
        try transport.transfer(0).send(hello)
        #expect(journal.lines == ["a cancelled"])
    }
}

/// Records the calls that the callers receive.
final class Journal: Sendable {
    private struct State {
        var lines: [String] = []
        var onProgress: @Sendable (String) -> Void = { _ in }
        var onFinish: @Sendable (String) -> Void = { _ in }
    }

    private let state = Mutex(State())

    var lines: [String] { state.withLock { $0.lines } }

    var onProgress: @Sendable (String) -> Void {
        get { state.withLock { $0.onProgress } }
        set { state.withLock { $0.onProgress = newValue } }
    }

    var onFinish: @Sendable (String) -> Void {
        get { state.withLock { $0.onFinish } }
        set { state.withLock { $0.onFinish = newValue } }
    }

    func note(_ line: String) { state.withLock { $0.lines.append(line) } }

    func caller(_ name: String, priority: Float = 0.5) -> DownloadCaller {
        DownloadCaller(
            priority: priority,
            progress: { [self] progress in
                note("\(name) \(progress.received)/\(progress.expected.map { "\($0)" } ?? "?")")
                onProgress(name)
            },
            finished: { [self] result in
                switch result {
                case .success(let body):
                    note("\(name) done \(String(decoding: body.data, as: UTF8.self))")
                case .failure(let error):
                    note("\(name) \(error.isCancellation ? "cancelled" : "failed")")
                }
                onFinish(name)
            }
        )
    }
}
