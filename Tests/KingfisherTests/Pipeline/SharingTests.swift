import Dispatch
import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

/// Work is done once for all who want it at the same time.
@Suite(.timeLimit(.minutes(1)))
struct SharingTests {
    let transport = FakeTransport()
    let folder: TemporaryDirectory
    let manager: KingfisherManager
    let url: URL

    init() throws {
        folder = try TemporaryDirectory()
        manager = KingfisherManager(
            downloader: ImageDownloader(name: "sharing", transport: transport),
            cache: try ImageCache(name: "sharing", cacheDirectoryURL: folder.url)
        )
        // Opens the folder, so that loads start on the caller's thread.
        try manager.cache.diskStorage.store.prepare()
        url = try #require(URL(string: "http://127.0.0.1/a.jpg"))
    }

    private typealias Load = Task<RetrieveImageResult, any Error>

    /// Asks now, on this thread, until the load has to wait.
    private func load(_ options: KingfisherOptionsInfo) -> Load {
        Task.immediate { [manager, url] in
            try await manager.retrieveImage(with: url, options: options)
        }
    }

    private func load(side: Int) -> Load {
        load([.processor(downsampling(side))])
    }

    private func downsampling(_ side: Int) -> DownsamplingImageProcessor {
        DownsamplingImageProcessor(size: CGSize(width: side, height: side))
    }

    private var decodes: Int { manager.downloader.processing.decodeCount }

    @Test func `W-32: ten sizes of one URL make one download and one decode`() async throws {
        let loads = (1...10).map { load(side: $0 * 6) }
        await transport.started(1)
        try transport.transfer(0).complete(TestImage.jpeg(width: 640, height: 480))
        for (index, load) in loads.enumerated() {
            let result = try await load.value
            #expect(result.cacheType == .none)
            #expect(result.image.pixelWidth == (index + 1) * 6)
        }
        #expect(transport.transfers.count == 1)
        #expect(decodes == 1)
        for side in stride(from: 6, through: 60, by: 6) {
            let id = downsampling(side).identifier
            #expect(manager.cache.isCached(forKey: url.cacheKey, processorIdentifier: id))
        }
    }

    @Test func `cancelling nine of ten sizes leaves the tenth whole`() async throws {
        let loads = (1...10).map { load(side: $0 * 6) }
        await transport.started(1)
        for load in loads.dropFirst() { load.cancel() }
        for load in loads.dropFirst() {
            let error = await #expect(throws: KingfisherError.self) { try await load.value }
            #expect(error?.isTaskCancelled == true)
        }
        #expect(try !transport.transfer(0).isCancelled)
        try transport.transfer(0).complete(TestImage.jpeg(width: 640, height: 480))
        #expect(try await loads[0].value.image.pixelWidth == 6)
        #expect(decodes == 1)
    }

    @Test func `cancelling all stops the download, and nothing is decoded`() async throws {
        let loads = (1...10).map { load(side: $0 * 6) }
        await transport.started(1)
        for load in loads { load.cancel() }
        for load in loads {
            _ = await #expect(throws: KingfisherError.self) { try await load.value }
        }
        #expect(try transport.transfer(0).isCancelled)
        #expect(decodes == 0)
    }

    @Test func `equal loads share one image`() async throws {
        let processor = CountingProcessor()
        let loads = (0..<5).map { _ in load([.processor(processor)]) }
        await transport.started(1)
        try transport.transfer(0).complete(TestImage.jpeg())
        var images: [KFCrossPlatformImage] = []
        for load in loads { images.append(try await load.value.image) }
        #expect(Set(images).count == 1)
        #expect(processor.runs.value == 1)
    }

    @Test func `a drawing processor, a size and the whole share one decode`() async throws {
        let loads = [
            load([]), load([.processor(RoundCornerImageProcessor(cornerRadius: 9))]),
            load(side: 32),
            load([.processor(downsampling(32) |> BlurImageProcessor(blurRadius: 3))]),
        ]
        await transport.started(1)
        try transport.transfer(0).complete(TestImage.jpeg(width: 320, height: 240))
        var widths: [Int] = []
        for load in loads { widths.append(try await load.value.image.pixelWidth) }
        #expect(widths == [320, 320, 32, 32])
        #expect(decodes == 1)
    }

    @Test func `a processor of a user's gets the bytes beside the shared bitmap`() async throws {
        let processor = CountingProcessor()
        let loads = [load([.processor(processor)]), load(side: 8), load(side: 16)]
        await transport.started(1)
        try transport.transfer(0).complete(TestImage.jpeg())
        for load in loads { _ = try await load.value }
        #expect(processor.runs.value == 1)
        #expect(decodes == 2)
    }

    @Test func `a load that comes late attaches to the bytes that others work on`() async throws {
        let slow = HeldProcessor()
        let first = load([.processor(slow), .processingQueue(HeldProcessor.queue())])
        await transport.started(1)
        try transport.transfer(0).complete(TestImage.jpeg(width: 320, height: 240))
        await slow.started.wait()

        let late = load(side: 16)
        let same = load([.processor(slow)])
        #expect(try await late.value.image.pixelWidth == 16)
        slow.release()
        let images = try await (first.value.image, same.value.image)
        #expect(images.0 === images.1)
        #expect(transport.transfers.count == 1)
        #expect(manager.downloader.downloads.isEmpty)
    }

    @Test func `OPT-12: a load that wants it fresh does not attach late`() async throws {
        let slow = HeldProcessor()
        let first = load([.processor(slow), .processingQueue(HeldProcessor.queue())])
        await transport.started(1)
        try transport.transfer(0).complete(TestImage.jpeg())
        await slow.started.wait()
        let fresh = load([.forceRefresh])
        await transport.started(2)
        try transport.transfer(1).complete(TestImage.jpeg(width: 10, height: 10))
        #expect(try await fresh.value.image.pixelWidth == 10)
        slow.release()
        _ = try await first.value
    }

    @Test func `DL-11: what is asked after the end is downloaded again`() async throws {
        let first = load([.cacheMemoryOnly])
        await transport.started(1)
        try transport.transfer(0).complete(TestImage.jpeg())
        _ = try await first.value
        manager.cache.clearMemoryCache()
        let second = load([.cacheMemoryOnly])
        await transport.started(2)
        try transport.transfer(1).complete(TestImage.jpeg())
        _ = try await second.value
    }

    @Test func `bytes that are no image fail for each caller`() async throws {
        let loads = (1...4).map { load(side: $0 * 6) }
        await transport.started(1)
        // The header is whole, so that the work is planned; the rest is missing.
        try transport.transfer(0).complete(TestImage.jpeg(width: 640, height: 480).prefix(1_000))
        for load in loads {
            let error = await #expect(throws: KingfisherError.self) { try await load.value }
            guard
                case .processorError(reason: .processingFailed(_, item: .data))? = error
            else {
                Issue.record("unexpected: \(String(describing: error))")
                return
            }
        }
        #expect(manager.downloader.downloads.isEmpty)
    }

    @Test func `an animation keeps its frames beside a size`() async throws {
        let loads = [load([]), load(side: 4), load(side: 6)]
        await transport.started(1)
        try transport.transfer(0).complete(TestImage.gif)
        #expect(try await loads[0].value.image.kf.imageFrameCount == 3)
        #expect(try await loads[1].value.image.pixelWidth == 4)
        #expect(try await loads[2].value.image.pixelWidth == 6)
    }

    @Test func `MGR-4: a larger cached original answers each size without the network`()
        async throws
    {
        let first = load([.processor(downsampling(48)), .cacheOriginalImage, .waitForCache])
        await transport.started(1)
        try transport.transfer(0).complete(TestImage.jpeg(width: 320, height: 240))
        _ = try await first.value
        manager.cache.clearMemoryCache()
        let loads = (1...10).map { load(side: $0 * 6) }
        for (index, load) in loads.enumerated() {
            #expect(try await load.value.image.pixelWidth == (index + 1) * 6)
        }
        #expect(transport.transfers.count == 1)
    }
}

/// Decodes when it is let go; to be run on a queue of its own, since it blocks.
final class HeldProcessor: ImageProcessor {
    let identifier = "test.held"
    let started = Gate()
    static func queue() -> CallbackQueue { .dispatch(DispatchQueue(label: "held")) }

    private let semaphore = DispatchSemaphore(value: 0)

    /// Lets the one run that waits go on.
    func release() { semaphore.signal() }

    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        started.open()
        semaphore.wait()
        return DefaultImageProcessor.default.process(item: item, options: options)
    }
}
