import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// When a processor runs on what a cache has, and where.
@Suite(.timeLimit(.minutes(1)))
struct ReprocessingTests {
    let bench: TestBench
    let url: URL

    init() throws {
        bench = try TestBench()
        url = bench.serveJPEG("/a.jpg")
    }

    /// Makes images half as wide, and notes what it was given.
    private struct Halving: ImageProcessor {
        let identifier = "halving"
        let items = Locked<[String]>([])
        var refusesImages = false

        func process(
            item: ImageProcessItem,
            options: KingfisherParsedOptionsInfo
        ) -> KFCrossPlatformImage? {
            switch item {
            case .image(let image):
                items.change { $0.append("image") }
                guard !refusesImages else { return nil }
                let size = CGSize(width: image.size.width / 2, height: image.size.height / 2)
                return image.kf.resize(to: size)
            case .data:
                items.change { $0.append("data") }
                return DownsamplingImageProcessor(size: CGSize(width: 32, height: 24))
                    .process(item: item, options: options)
            }
        }
    }

    /// Keeps the downloaded bytes, so that what is on disk has not been processed.
    private var originals: DefaultCacheSerializer {
        var serializer = DefaultCacheSerializer()
        serializer.preferCacheOriginalData = true
        return serializer
    }

    private func load(_ processor: Halving) async throws -> (type: CacheType, width: Int) {
        let result = try await bench.manager.retrieveImage(
            with: url,
            options: [.processor(processor), .cacheSerializer(originals), .waitForCache]
        )
        return (result.cacheType, result.image.pixelWidth)
    }

    @Test func `MGR-15 MGR-16: original bytes are processed on each hit, and nothing twice`()
        async throws
    {
        let processor = Halving()
        #expect(try await load(processor) == (.none, 32))
        // Memory has what the processor made.
        #expect(try await load(processor) == (.memory, 32))
        #expect(processor.items.value == ["data"])
        bench.cache.clearMemoryCache()
        #expect(try await load(processor) == (.disk, 32))
        #expect(processor.items.value == ["data", "image"])
        // Memory has what was read, as it was read.
        #expect(try await load(processor) == (.memory, 32))
        #expect(processor.items.value == ["data", "image", "image"])
        #expect(bench.server.requests.count == 1)
    }

    @Test func `MGR-15: a processor that gives nothing for a hit fails the load`() async throws {
        _ = try await load(Halving())
        bench.cache.clearMemoryCache()
        let error = await #expect(throws: KingfisherError.self) {
            try await load(Halving(refusesImages: true))
        }
        guard case .processorError(reason: .processingFailed(_, item: .image))? = error else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
        #expect(bench.server.requests.count == 1)
    }

    /// Notes whether it works on a queue.
    private struct Noting: ImageProcessor {
        let identifier = ""
        let key: DispatchSpecificKey<Bool>
        let isOnQueue = Locked<[Bool]>([])

        func process(
            item: ImageProcessItem,
            options: KingfisherParsedOptionsInfo
        ) -> KFCrossPlatformImage? {
            let isThere = DispatchQueue.getSpecific(key: key) == true
            isOnQueue.change { $0.append(isThere) }
            return DefaultImageProcessor.default.process(item: item, options: options)
        }
    }

    @Test(arguments: [true, false])
    func `MGR-14 W-39: an animation is made again on the processing queue`(
        isGiven: Bool
    )
        async throws
    {
        let callbacks = DispatchQueue(label: "callbacks")
        let processing = DispatchQueue(label: "processing")
        let (onCallbacks, onProcessing) = (DispatchSpecificKey<Bool>(), DispatchSpecificKey<Bool>())
        callbacks.setSpecific(key: onCallbacks, value: true)
        processing.setSpecific(key: onProcessing, value: true)
        bench.server.route("/a.gif", .body(TestImage.gif, type: "image/gif"))
        let gif = bench.server.url("/a.gif")
        _ = try await bench.manager.retrieveImage(with: gif)
        let processor = Noting(key: isGiven ? onProcessing : onCallbacks)
        var options: KingfisherOptionsInfo = [
            .processor(processor), .preloadAllAnimationData, .callbackQueue(.dispatch(callbacks)),
        ]
        if isGiven { options.append(.processingQueue(.dispatch(processing))) }
        let frames = await withCheckedContinuation { continuation in
            bench.manager.retrieveImage(with: gif, options: options) { result in
                continuation.resume(returning: (try? result.get())?.image.images?.count)
            }
        }
        #expect(frames == 3)
        #expect(processor.isOnQueue.value == [isGiven])
    }
}
