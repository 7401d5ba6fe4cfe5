import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Kingfisher

@Suite(.timeLimit(.minutes(1)))
struct DiskWriteQueueTests {
    /// Lets writes through when it is told to.
    private final class Valve: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let isOpen = Mutex(false)

        func wait() {
            if isOpen.withLock({ $0 }) { return }
            semaphore.wait()
            semaphore.signal()
        }

        func open() {
            isOpen.withLock { $0 = true }
            semaphore.signal()
        }
    }

    private let folder: TemporaryDirectory
    private let files = FaultyFileSystem()
    private let valve = Valve()
    private let queue: DiskWriteQueue

    init() throws {
        folder = try TemporaryDirectory()
        let store = DiskStore(directory: folder.url.path, files: files)
        try store.prepare()
        queue = DiskWriteQueue(store: store, capacity: 100)
        files.fail { [valve] operation, path in
            if operation == .write, path.contains("tmp") { valve.wait() }
            return nil
        }
    }

    private func enqueue(
        _ text: String,
        _ name: String,
        _ log: EventLog,
        replacing: Bool = true
    ) {
        queue.enqueueStore(
            .ready(Data(text.utf8)),
            named: name,
            key: name,
            division: .atFirst,
            expiration: .never,
            replacing: replacing
        ) { result in
            log.add("\(name)=\(text) \(result.isSuccess)")
        }
    }

    /// Waits until all is done that was queued before.
    private func drain() async {
        await withCheckedContinuation { continuation in
            queue.enqueueAlone { continuation.resume() }
        }
    }

    @Test func `what is reported as done no longer waits`() async {
        valve.open()
        let pending = await withCheckedContinuation { continuation in
            queue.enqueueStore(
                .ready(Data("bytes".utf8)),
                named: "a",
                key: "a",
                division: .atFirst,
                expiration: .never
            ) { [queue] _ in
                continuation.resume(returning: queue.pending("a"))
            }
        }
        #expect(pending == nil)
        #expect(queue.store.contains("a"))
    }

    @Test func `names that differ only in their bytes have lines of their own`() async throws {
        let (one, two) = ("caf\u{E9}", "cafe\u{301}")
        let log = EventLog()
        enqueue("one", one, log)
        enqueue("two", two, log)
        #expect(queue.pending(one)?.data == Data("one".utf8))
        #expect(queue.pending(two)?.data == Data("two".utf8))
        queue.enqueue(.removal, on: two) { _ in }
        #expect(queue.pending(one)?.data == Data("one".utf8))
        #expect(queue.pending(two)?.isRemoval == true)
        valve.open()
        await drain()
        #expect(try queue.store.data(named: one) == Data("one".utf8))
        #expect(!queue.store.contains(two))
    }

    @Test func `what waits can be read, and is found on disk afterwards`() async throws {
        let log = EventLog()
        enqueue("one", "a", log)
        enqueue("two", "b", log)
        #expect(queue.pending("a")?.data == Data("one".utf8))
        #expect(queue.pending("c") == nil)
        #expect(queue.byteCount == 6)
        #expect(!queue.store.contains("a"))
        valve.open()
        await drain()
        #expect(queue.pending("a") == nil)
        #expect(queue.byteCount == 0)
        #expect(try queue.store.data(named: "a") == Data("one".utf8))
        #expect(log.events.sorted() == ["a=one true", "b=two true"])
    }

    @Test func `changes of one name keep their order`() async throws {
        let log = EventLog()
        for step in 0..<50 {
            enqueue("\(step)", "a", log)
            if step % 10 == 3 {
                queue.enqueue(.removal, on: "a") { log.add("removed \($0.isSuccess)") }
                #expect(queue.pending("a")?.isRemoval == true)
            }
        }
        #expect(queue.pending("a")?.data == Data("49".utf8))
        valve.open()
        await drain()
        #expect(try queue.store.data(named: "a") == Data("49".utf8))
        let expected = (0..<50).flatMap { step in
            ["a=\(step) true"] + (step % 10 == 3 ? ["removed true"] : [])
        }
        #expect(log.events == expected)
        #expect(queue.store.statistics.stores < 15)
    }

    @Test func `work that runs alone comes after what was before and before what is later`()
        async throws
    {
        let log = EventLog()
        for number in 0..<10 { enqueue("1", "n\(number)", log) }
        queue.enqueueAlone { [store = queue.store] in
            log.add("alone with \(store.statistics.count)")
            #expect(throws: Never.self) { try store.removeAll() }
        }
        enqueue("2", "n3", log)
        #expect(queue.pending("n3")?.data == Data("2".utf8))
        valve.open()
        await drain()
        #expect(log.events.count == 12)
        #expect(log.events[10] == "alone with 10")
        #expect(queue.store.entries.map(\.name) == ["n3"])
    }

    @Test func `what is removed with everything is not found from then on`() async {
        let log = EventLog()
        enqueue("1", "a", log)
        queue.enqueueRemovalOfAll { log.add("removed \($0.isSuccess)") }
        #expect(queue.pending("a")?.isRemoval == true)
        #expect(queue.pending("stored before")?.isRemoval == true)
        enqueue("2", "b", log)
        #expect(queue.pending("b")?.data == Data("2".utf8))
        valve.open()
        await drain()
        #expect(log.events == ["a=1 true", "removed true", "b=2 true"])
        #expect(queue.pending("a") == nil)
    }

    @Test func `bytes from before everything was removed are not stored after it`() async {
        let log = EventLog()
        valve.open()
        let version = queue.version(of: "a")
        queue.enqueueRemovalOfAll { log.add("removed \($0.isSuccess)") }
        queue.enqueueStore(
            .ready(Data("old".utf8)),
            named: "a",
            key: "a",
            division: .atFirst,
            expiration: .never,
            ifUnchangedSince: version
        ) { _ in }
        enqueue("new", "b", log)
        await drain()
        #expect(log.events == ["removed true", "b=new true"])
        #expect(queue.store.entries.map(\.name) == ["b"])
    }

    @Test func `a task that a completion begins waits for the line`() async throws {
        let (log, begun, ended) = (EventLog(), Gate(), Gate())
        enqueue("1", "a", log)
        queue.enqueue(.removal, on: "absent") { [queue] _ in
            Task {
                begun.open()
                let result = Result { try queue.perform(.removal, on: "a") }
                log.add("removed \((try? result.get()) != nil)")
                ended.open()
            }
        }
        await begun.wait()
        valve.open()
        await ended.wait()
        #expect(log.events == ["a=1 true", "removed true"])
        #expect(queue.store.entries.isEmpty)
    }

    @Test func `an expired store neither waits nor hides another`() async throws {
        let log = EventLog()
        enqueue("one", "a", log)
        queue.enqueueStore(
            .ready(Data()),
            named: "a",
            key: "a",
            division: .atFirst,
            expiration: .expired
        ) { result in
            log.add("expired \(result.isSuccess)")
        }
        #expect(log.events == ["expired true"])
        valve.open()
        await drain()
        #expect(try queue.store.data(named: "a") == Data("one".utf8))
    }

    @Test func `what does not fit is refused, unless nothing else waits`() async throws {
        let log = EventLog()
        enqueue(String(repeating: "x", count: 150), "large", log)
        enqueue("y", "small", log)
        #expect(log.events == ["small=y false"])
        valve.open()
        await drain()
        #expect(queue.store.contains("large"))
        enqueue("y", "small", log)
        await drain()
        #expect(queue.store.contains("small"))
    }

    @Test func `bytes are made when they are next, and a failure to make them is reported`()
        async throws
    {
        let log = EventLog()
        let made = Locked(0)
        // All that the queue does at once is to wait at the valve.
        for name in ["x", "y"] { enqueue("1", name, EventLog()) }
        for (name, bytes) in [("a", Data("made".utf8)), ("b", nil)] as [(String, Data?)] {
            queue.enqueueStore(
                .made(estimate: 10) {
                    made.change { $0 += 1 }
                    return bytes
                },
                named: name,
                key: name,
                division: .atFirst,
                expiration: .never
            ) { log.add("\(name) \($0.isSuccess)") }
        }
        #expect(made.value == 0)
        #expect(queue.pending("a")?.data == Data("made".utf8))
        #expect(queue.pending("b")?.data == nil)
        valve.open()
        await drain()
        #expect(made.value == 2)
        #expect(log.events.sorted() == ["a true", "b false"])
        #expect(try queue.store.data(named: "a") == Data("made".utf8))
    }

    @Test func `a store that does not replace is seen behind a removal`() async throws {
        let log = EventLog()
        // All that the queue does at once is to wait at the valve.
        for name in ["x", "y"] { enqueue("1", name, log) }
        for (name, removes) in [("a", true), ("b", false)] {
            enqueue("one", name, log)
            if removes { queue.enqueue(.removal, on: name) { _ in } }
            for text in ["two", "three"] { enqueue(text, name, log, replacing: false) }
        }
        #expect(queue.pending("a")?.data == Data("two".utf8))
        #expect(queue.pending("b")?.data == Data("one".utf8))
        valve.open()
        await drain()
        #expect(try queue.store.data(named: "a") == Data("two".utf8))
        #expect(try queue.store.data(named: "b") == Data("one".utf8))
    }

    @Test func `a store that fails by itself leaves the one before it`() async throws {
        let log = EventLog()
        queue.store.sizeLimit = 50
        // All that the queue does at once is to wait at the valve.
        for name in ["x", "y"] { enqueue("1", name, EventLog()) }
        for text in ["zero", "one", String(repeating: "x", count: 60)] { enqueue(text, "a", log) }
        queue.enqueueStore(
            .made(estimate: 1) { nil },
            named: "a",
            key: "a",
            division: .atFirst,
            expiration: .never
        ) { log.add("nothing \($0.isSuccess)") }
        valve.open()
        await drain()
        #expect(try queue.store.data(named: "a") == Data("one".utf8))
        #expect(log.events.map { $0.suffix(5) } == [" true", " true", "false", "false"])
        #expect(queue.store.statistics.stores == 3)
    }

    @Test func `each change is reported once, though the next comes as its line ends`() async {
        let queue = DiskWriteQueue(store: queue.store)
        let told = Locked(0)
        // A change that comes when the one before it was told meets the end of its line.
        await withTaskGroup { group in
            for name in 0..<8 {
                group.addTask {
                    for _ in 0..<1_000 {
                        await withCheckedContinuation { continuation in
                            let once = Mutex<CheckedContinuation<Void, Never>?>(continuation)
                            queue.enqueue(.removal, on: "missing \(name)") { _ in
                                told.change { $0 += 1 }
                                once.withLock { $0.take() }?.resume()
                            }
                        }
                    }
                }
            }
        }
        await withCheckedContinuation { continuation in
            queue.enqueueAlone { continuation.resume() }
        }
        #expect(told.value == 8_000)
    }

    @Test func `failures are reported to everybody whose store they are`() async throws {
        let log = EventLog()
        files.fail { [valve] operation, path in
            guard operation == .write, path.contains("tmp") else { return nil }
            valve.wait()
            return .noSpace
        }
        enqueue("one", "a", log)
        enqueue("two", "a", log)
        valve.open()
        await drain()
        #expect(log.events == ["a=one false", "a=two false"])
        #expect(queue.byteCount == 0)
    }
}

private final class EventLog: Sendable {
    private let state = Mutex<[String]>([])

    var events: [String] { state.withLock { $0 } }

    func add(_ event: String) { state.withLock { $0.append(event) } }
}

extension DiskWriteQueue.Pending {
    fileprivate var data: Data? {
        if case .bytes(let bytes, _, _) = self { bytes.data } else { nil }
    }

    fileprivate var isRemoval: Bool {
        if case .removal = self { true } else { false }
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
