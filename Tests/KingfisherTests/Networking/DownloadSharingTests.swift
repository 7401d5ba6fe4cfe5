import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Which loads share a download, and which share its processed image.
@Suite(.timeLimit(.minutes(1)))
struct DownloadSharingTests {
    private let transport = FakeTransport()
    private let downloader: ImageDownloader
    private let url: URL
    private let jpeg = TestImage.jpeg(width: 40, height: 20)

    init() throws {
        downloader = ImageDownloader(name: "fake", transport: transport)
        downloader.resumption = nil
        url = try #require(URL(string: "http://host/a.jpg"))
    }

    private typealias Load = Task<ImageLoadingResult, any Error>

    /// Joins or starts a download before it returns.
    private func load(_ options: KingfisherOptionsInfo = []) -> Load {
        Task.immediate { [downloader, url] in
            try await downloader.downloadImage(with: url, options: options)
        }
    }

    private func modifier(
        _ change: @escaping @Sendable (inout URLRequest) -> Void
    ) -> KingfisherOptionsInfoItem {
        .requestModifier(
            AnyModifier { request in
                var request = request
                change(&request)
                return request
            }
        )
    }

    @Test func `different redirect handlers are different requests`() async throws {
        let handlers = (0..<2).map { _ in AnyRedirectHandler { $3($2) } }
        let loads = [
            load([.redirectHandler(handlers[0])]), load([.redirectHandler(handlers[1])]),
            load([.redirectHandler(handlers[0])]), load([.redirectHandler(Follow())]),
            load([.redirectHandler(Follow())]), load([.redirectHandler(Refuse())]),
            load([.redirectHandler(Carrying(value: 1))]),
            load([.redirectHandler(Carrying(value: 2))]), load(),
        ]
        // One transfer for each closure, for each of the two types without state, for each value,
        // and one without a handler.
        await transport.started(7)
        for transfer in transport.transfers { transfer.complete(jpeg) }
        for load in loads { _ = try await load.value }
        #expect(transport.transfers.count == 7)
    }

    @Test(arguments: [TimeInterval.infinity, .nan, 1e300, -1e300, 0])
    func `a time-out that is no usable number is no crash`(timeout: TimeInterval) async throws {
        downloader.downloadTimeout = timeout
        let one = load()
        await transport.started(1)
        #expect(try transport.transfer(0).settings.idleTimeout > .zero)
        try transport.transfer(0).complete(jpeg)
        _ = try await one.value
    }

    @Test func `DL-9, W-28: requests with different responses are not shared`() async throws {
        let loads = [
            load(),
            load([modifier { $0.setValue("de", forHTTPHeaderField: "Accept-Language") }]),
            load([modifier { $0.httpMethod = "POST" }]),
            load([
                modifier { request in
                    request.httpMethod = "POST"
                    request.httpBody = Data([1])
                }
            ]),
        ]
        await transport.started(4)
        for transfer in transport.transfers { transfer.complete(jpeg) }
        for load in loads { _ = try await load.value }
        #expect(
            transport.requests.map { $0.httpMethod ?? "GET" } == ["GET", "GET", "POST", "POST"]
        )
    }

    @Test func `DL-9: a joiner's time-out is not asked, its priority counts`() async throws {
        let first = load([.downloadPriority(0.2)])
        let second = load([modifier { $0.timeoutInterval = 1 }, .downloadPriority(0.8)])
        #expect(transport.transfers.count == 1)
        #expect(try transport.transfer(0).settings.idleTimeout == .seconds(15))
        #expect(try transport.transfer(0).priorities == [0.8])
        try transport.transfer(0).complete(jpeg)
        _ = try await (first.value, second.value)
    }

    @Test func `the session task shows the highest priority of its callers`() async throws {
        let first = load([.downloadPriority(0.2)])
        let tasks = Locked<[SessionDataTask]>([])
        let starting = modifierOfTask { task in
            tasks.change { $0.append(contentsOf: [task.sessionTask].compactMap(\.self)) }
        }
        let second = load([starting, .downloadPriority(0.8)])
        let task = try #require(tasks.value.first)
        #expect(task.task.priority == 0.8)
        try transport.transfer(0).complete(jpeg)
        _ = try await (first.value, second.value)
        #expect(task.task.priority == 0.8)
    }

    private func modifierOfTask(
        _ started: @escaping @Sendable (DownloadTask) -> Void
    ) -> KingfisherOptionsInfoItem {
        struct Modifier: AsyncImageDownloadRequestModifier {
            let onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)?

            func modified(for request: URLRequest) async -> URLRequest? { request }
        }
        return .requestModifier(Modifier { $0.map(started) })
    }

    @Test func `DL-14: a processing queue of the caller's is where its processor works`()
        async throws
    {
        let queue = DispatchQueue(label: "own")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let onQueue = Locked(false)
        let processor = Watching { _ in
            onQueue.change { $0 = DispatchQueue.getSpecific(key: key) == true }
        }
        let load = load([.processor(processor), .processingQueue(.dispatch(queue))])
        try transport.transfer(0).complete(jpeg)
        _ = try await load.value
        #expect(onQueue.value)
    }

    @Test func `DL-14, W-31: one slow processor delays no other image`() async throws {
        let slow = HeldProcessor()
        let held = load([.processor(slow), .processingQueue(HeldProcessor.queue())])
        try transport.transfer(0).complete(jpeg)
        await slow.started.wait()
        let other = load()
        await transport.started(2)
        try transport.transfer(1).complete(jpeg)
        _ = try await other.value
        slow.release()
        _ = try await held.value
    }

    @Test func `DL-15, W-29: one image for equal options, another for another scale`()
        async throws
    {
        let loads = [
            load(), load(), load([.scaleFactor(2)]), load([.onlyLoadFirstFrame]),
        ]
        #expect(transport.transfers.count == 1)
        try transport.transfer(0).complete(jpeg)
        var images: [KFCrossPlatformImage] = []
        for load in loads { images.append(try await load.value.image) }
        #expect(images[0] === images[1])
        #expect(images[0] !== images[2])
        #expect(images[2].scale == 2)
        #expect(images[0].scale == 1)
        #expect(images[0] !== images[3])
    }

    @Test func `DL-16: an image is decoded off the caller's thread, with the option or without`()
        async throws
    {
        let threads = Locked<[pthread_t]>([])
        let processor = Watching { _ in threads.change { $0.append(pthread_self()) } }
        let loads = [
            load([.processor(processor), .backgroundDecode]), load([.processor(processor)]),
        ]
        let own = pthread_self()
        try transport.transfer(0).complete(jpeg)
        for load in loads { #expect(try await load.value.image.pixelWidth == 40) }
        #expect(!threads.value.isEmpty)
        #expect(!threads.value.contains(own))
    }

    @Test func `DL-21: an image modifier is not the downloader's to apply`() async throws {
        let wasAsked = Locked(false)
        let modifier = AnyImageModifier { image in
            wasAsked.change { $0 = true }
            return image
        }
        let load = load([.imageModifier(modifier)])
        try transport.transfer(0).complete(jpeg)
        _ = try await load.value
        #expect(!wasAsked.value)
    }

    @Test func `W-30: callers are called in the order of joining`() throws {
        let order = Locked<[Int]>([])
        let tickets = (0..<8).map { number in
            downloader.downloads.join(
                URLRequest(url: url),
                caller: DownloadCaller { _ in order.change { $0.append(number) } }
            )
        }
        tickets[0].download.start()
        tickets[3].leave()
        try transport.transfer(0).complete(jpeg)
        #expect(order.value == [3, 0, 1, 2, 4, 5, 6, 7])
    }

    @Test func `W-33: concurrent transfers are limited, and priorities of waiting ones can change`()
        async throws
    {
        downloader.sessionConfiguration.httpMaximumConnectionsPerHost = 3
        let load = load()
        #expect(try transport.transfer(0).settings.maxConnectionsPerHost == 3)
        try transport.transfer(0).complete(jpeg)
        _ = try await load.value
    }

    @Test func `every setting of a downloader's transfers has an effect`() async throws {
        downloader.transferSettings.maxConnectionsPerHost = 2
        downloader.transferSettings.connectTimeout = .seconds(7)
        downloader.transferSettings.priority = 0.9
        downloader.downloadTimeout = 40
        let load = load()
        let settings = try transport.transfer(0).settings
        #expect(settings.maxConnectionsPerHost == 2)
        #expect(settings.connectTimeout == .seconds(7))
        #expect(settings.idleTimeout == .seconds(40))
        #expect(settings.priority == 0.9)
        try transport.transfer(0).complete(jpeg)
        _ = try await load.value
    }
}

/// Reports when it runs and otherwise behaves as the default processor.
private struct Watching: ImageProcessor {
    let identifier = "test.watching"
    let started: @Sendable (ImageProcessItem) -> Void

    init(_ started: @escaping @Sendable (ImageProcessItem) -> Void) { self.started = started }

    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        started(item)
        return DefaultImageProcessor.default.process(item: item, options: options)
    }
}

private struct Follow: ImageDownloadRedirectHandler {
    func handleHTTPRedirection(
        for task: SessionDataTask,
        response: HTTPURLResponse,
        newRequest: URLRequest
    ) async -> URLRequest? { newRequest }
}

private struct Refuse: ImageDownloadRedirectHandler {
    func handleHTTPRedirection(
        for task: SessionDataTask,
        response: HTTPURLResponse,
        newRequest: URLRequest
    ) async -> URLRequest? { nil }
}

private struct Carrying: ImageDownloadRedirectHandler {
    let value: Int

    func handleHTTPRedirection(
        for task: SessionDataTask,
        response: HTTPURLResponse,
        newRequest: URLRequest
    ) async -> URLRequest? { value == 1 ? newRequest : nil }
}
