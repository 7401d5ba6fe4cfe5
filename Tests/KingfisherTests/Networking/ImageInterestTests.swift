import Dispatch
import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

/// The order of loads whose images will be seen at different times.
@Suite(.timeLimit(.minutes(1)))
struct ImageInterestTests {
    private typealias Deadline = ImageInterest.Deadline

    @Test func `an image in sight comes first, then those expected soonest, then the others`() {
        let order: [Deadline] = [
            .now, .after(.milliseconds(10)), .after(.milliseconds(200)), .after(.seconds(1)),
            .prefetch, .gone,
        ]
        let priorities = order.map { ImageInterest($0).priority }
        #expect(priorities == priorities.sorted(by: >))
        #expect(Set(priorities).count == order.count)
        #expect(priorities.first == TransferSettings.defaultPriority)
        #expect(ImageInterest(.prefetch).priority == PrefetchLoader.priority)
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.max), .seconds(Int64.min)])
    func `any time is between now and a prefetch`(time: Duration) {
        let range = ImageInterest(.prefetch).priority...ImageInterest(.now).priority
        #expect(range.contains(ImageInterest(.after(time)).priority))
    }

    @Test func `downloads wait in the order of their deadlines, which change meanwhile`()
        async throws
    {
        let line = try Line()
        await line.block()
        let loads = line.start([
            ("left", .now), ("ahead", .prefetch), ("later", .after(.seconds(2))),
            ("returned", .gone), ("soon", .after(.milliseconds(100))), ("seen", .now),
        ])
        line.interests["left"]?.deadline = .gone
        line.interests["returned"]?.deadline = .after(.milliseconds(50))
        try await line.finish(loads)
        #expect(line.order == ["seen", "returned", "soon", "later", "ahead", "left"])
    }

    @Test func `a prefetch and an image that has left the screen end, too`() async throws {
        let line = try Line()
        await line.block()
        let seen = (1...40).map { ("\($0)", Deadline.now) }
        let loads = line.start([("gone", .gone), ("ahead", .prefetch)] + seen)
        try await line.finish(loads)
        #expect(line.order == seen.map(\.0) + ["ahead", "gone"])
    }

    @Test func `a shared download follows the most urgent interest`() async throws {
        let transport = FakeTransport()
        let downloader = ImageDownloader(name: "test", transport: transport)
        let url = try #require(URL(string: "http://example.com/shared.jpg"))
        let interests = [ImageInterest(.prefetch), ImageInterest(.gone)]
        let tasks = interests.map { interest in
            downloader.downloadImage(with: url, options: [.interest(interest)]) { _ in }
        }
        await transport.started(1)
        let transfer = try transport.transfer(0)
        #expect(transfer.settings.priority == 0.25)
        interests[1].deadline = .now
        interests[1].deadline = .gone
        interests[0].deadline = .gone
        #expect(transfer.priorities == [0.5, 0.25, 0.125])
        #expect(tasks[0].priority == 0.125)
        for task in tasks { task.cancel() }
    }

    @Test func `decoding follows the deadlines, too`() async throws {
        let order = Locked<[String]>([])
        let pool = WorkPool(label: "test", width: 1)
        let maker = ImageMaker(pool: pool)
        let blocker = DispatchSemaphore(value: 0)
        pool.submit { blocker.wait() }
        let names = ["left", "ahead", "seen"]
        let interests = [ImageInterest(.now), ImageInterest(.prefetch), ImageInterest(.gone)]
        let loads = zip(names, interests).map { name, interest in
            let recording = Recording(identifier: name) { order.change { $0.append(name) } }
            let options = KingfisherParsedOptionsInfo([
                .processor(recording), .interest(interest),
            ])
            // Its bytes are here: while one file is read, the next load begins.
            let file = EncodedImage()
            file.supply(TestImage.png())
            return Task.immediate { try await file.image(DecodeRequest(options), by: maker) }
        }
        interests[0].deadline = .gone
        interests[2].deadline = .now
        blocker.signal()
        for load in loads { _ = try await load.value }
        #expect(order.value == ["seen", "ahead", "left"])
    }

    @Test func `a follower that is still told of an old deadline ends with the new one`() {
        let interest = ImageInterest(.prefetch)
        let told = Locked<Float>(0)
        let isFirst = Locked(true)
        _ = interest.follow { priority in
            // Another thread may do this before this one has noted the priority.
            if isFirst.value {
                isFirst.change { $0 = false }
                interest.deadline = .now
            }
            told.change { $0 = priority }
        }
        #expect(told.value == interest.priority)
    }

    @Test func `a finished load no longer follows its interest`() async throws {
        let line = try Line()
        let interest = ImageInterest()
        _ = try await line.bench.manager.retrieveImage(
            with: line.bench.serveJPEG("/done"),
            options: [.interest(interest)]
        )
        #expect(interest.followerCount == 0)
    }
}

/// Loads over one connection.
private final class Line {
    let bench: TestBench
    var interests: [String: ImageInterest] = [:]
    private let gate = ServerGate()
    private var blocking: Task<RetrieveImageResult, any Error>?

    init() throws {
        bench = try TestBench()
        bench.downloader.transferSettings.maxConnectionsPerHost = 1
    }

    /// Occupies the connection.
    func block() async {
        bench.server.fallback { _ in .body(TestImage.png(), type: "image/png") }
        bench.server.route("/first", .held(gate, then: .body(TestImage.png(), type: "image/png")))
        blocking = load("first", [])
        await bench.server.received(1)
    }

    func start(
        _ loads: [(String, ImageInterest.Deadline)]
    ) -> [Task<RetrieveImageResult, any Error>] {
        loads.map { name, deadline in
            let interest = ImageInterest(deadline)
            interests[name] = interest
            return load(name, [.interest(interest)])
        }
    }

    private func load(
        _ name: String,
        _ options: KingfisherOptionsInfo
    ) -> Task<RetrieveImageResult, any Error> {
        let (manager, url) = (bench.manager, bench.server.url("/\(name)"))
        return Task.immediate { try await manager.retrieveImage(with: url, options: options) }
    }

    func finish(_ loads: [Task<RetrieveImageResult, any Error>]) async throws {
        gate.open()
        for load in loads { _ = try await load.value }
        _ = try await blocking?.value
    }

    /// The names in the order of their requests.
    var order: [String] { bench.server.requests.dropFirst().map { String($0.path.dropFirst()) } }
}

/// Reports when it runs and otherwise behaves as the default processor.
private struct Recording: ImageProcessor {
    let identifier: String
    let runs: @Sendable () -> Void

    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        runs()
        return DefaultImageProcessor.default.process(item: item, options: options)
    }
}
