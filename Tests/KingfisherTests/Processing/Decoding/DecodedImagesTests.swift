import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Equal bytes with different names are decoded once.
@Suite(.timeLimit(.minutes(1)))
struct DecodedImagesTests {
    private let pool = WorkPool(label: "test", width: 1)
    private let maker: ImageMaker
    private static let small = TestImage.jpeg(width: 64, height: 48)
    private static let other = TestImage.jpeg(width: 65, height: 48)

    init() { maker = ImageMaker(pool: pool, budget: ByteBudget(limit: 1 << 30)) }

    /// Makes an image of a file of its own.
    private func image(
        _ data: Data = Self.small,
        _ processor: any ImageProcessor = DefaultImageProcessor.default,
        scale: CGFloat = 1,
        by other: ImageMaker? = nil
    ) async throws -> KFCrossPlatformImage {
        let options: KingfisherOptionsInfo = [.processor(processor), .scaleFactor(scale)]
        let file = EncodedImage()
        file.supply(data)
        let request = DecodeRequest(KingfisherParsedOptionsInfo(options))
        return try await file.image(request, by: other ?? maker)
    }

    @Test func `IMG-8: equal bytes share an image while it is retained`() async throws {
        let first = try await image()
        let second = try await image()
        #expect(first === second)
        #expect(maker.decodeCount == 1)
        #expect(try await image(Self.other) !== first)
        #expect(maker.decodeCount == 2)
    }

    @Test func `another size, processor or scale is another image`() async throws {
        let whole = try await image()
        let size = CGSize(width: 8, height: 8)
        let part = try await image(Self.small, DownsamplingImageProcessor(size: size))
        let gray = try await image(Self.small, BlackWhiteProcessor())
        let double = try await image(scale: 2)
        let all = [whole, part, gray, double]
        #expect(Set(all.map(ObjectIdentifier.init)).count == 4)
        #expect(part.pixelWidth == 8)
        #expect(double.scale == 2)
        #expect(maker.decodeCount == 4)
    }

    @Test func `loads of equal bytes at the same time decode once`() async throws {
        let blocker = DispatchSemaphore(value: 0)
        pool.submit(priority: 1) { blocker.wait() }
        let tasks = (0..<10).map { _ in Task.immediate { try await image() } }
        blocker.signal()
        var images: Set<ObjectIdentifier> = []
        var retained: [KFCrossPlatformImage] = []
        for task in tasks {
            let image = try await task.value
            images.insert(ObjectIdentifier(image))
            retained.append(image)
        }
        #expect(images.count == 1)
        #expect(retained.count == 10)
        #expect(maker.decodeCount == 1)
    }

    @Test func `a released image is decoded again`() async throws {
        _ = try await image()
        _ = try await image()
        #expect(maker.decodeCount == 2)
    }

    @Test func `released images are removed from the table`() async throws {
        for width in 1...300 { _ = try await image(TestImage.jpeg(width: width, height: 1)) }
        #expect(try #require(maker.images).count <= 65)
    }

    @Test func `a processor of the user's runs for every load`() async throws {
        let processor = CountingProcessor()
        let first = try await image(Self.small, processor)
        let second = try await image(Self.small, processor)
        #expect(processor.runs.value == 2)
        #expect(maker.runningCount == 0)
        withExtendedLifetime((first, second)) {}
    }

    @Test func `undecodable bytes fail for every load`() async throws {
        for _ in 0..<2 {
            await #expect(throws: KingfisherError.self) {
                _ = try await image(Self.small.prefix(100))
            }
        }
    }

    @Test func `nothing is shared if it is switched off`() async throws {
        let downloader = ImageDownloader(name: "equal", processing: maker)
        #expect(downloader.sharesEqualImages)
        downloader.sharesEqualImages = false
        let first = try await image()
        #expect(try await image() !== first)
        #expect(maker.decodeCount == 2)
    }

    @Test func `a cancelled load leaves the image to others`() async throws {
        let blocker = DispatchSemaphore(value: 0)
        pool.submit(priority: 1) { blocker.wait() }
        let first = Task.immediate { try await image() }
        let second = Task.immediate { try await image() }
        first.cancel()
        blocker.signal()
        await #expect(throws: CancellationError.self) { _ = try await first.value }
        #expect(try await second.value.pixelWidth == 64)
    }

    @Test func `a load that is cancelled while it decodes leaves the decode to others`()
        async throws
    {
        let held = try await HeldDecodes()
        let first = Task.immediate { try await image(by: held.maker) }
        let second = Task.immediate { try await image(by: held.maker) }
        try await held.settled()
        first.cancel()
        await #expect(throws: CancellationError.self) { _ = try await first.value }
        try await held.release()
        #expect(try await second.value.pixelWidth == 64)
        #expect(held.maker.decodeCount == 1)
    }

    /// The last caller leaves before the second job finds the first one, after it has, or in between.
    @Test func `a decode that is left while another load joins it is begun again`() async throws {
        let options = DecodeRequest(KingfisherParsedOptionsInfo(nil))
        let bytes = try #require(Fingerprint(Self.small))
        let key = DecodedImages.Key(bytes: bytes, request: options.key)
        for round in 0..<2_000 {
            let (images, began, end) = (DecodedImages(), Gate(), Gate())
            let made = KFCrossPlatformImage()
            let left = Job<KFCrossPlatformImage> { job in
                try await images.image(for: key, of: job) {
                    began.open()
                    await end.wait()
                    return made
                }
            }
            left.start()
            let caller = Task.immediate { try await left.value() }
            await began.wait()
            DispatchQueue.global().async {
                for _ in 0..<(round % 100) { _ = left.isRunning }
                caller.cancel()
                end.open()
            }
            let joining = Job<KFCrossPlatformImage> { _ in made }
            let image = try await images.image(for: key, of: joining) { made }
            #expect(image === made)
            _ = try? await caller.value
        }
    }

    @Test func `fingerprints are equal for equal bytes only`() throws {
        let first = try #require(Fingerprint(Self.small))
        #expect(Fingerprint(Data(Array(Self.small))) == first)
        #expect(Fingerprint(Self.other) != first)
        var changed = Self.small
        changed[changed.count - 1] ^= 1
        #expect(Fingerprint(changed) != first)
        #expect(Fingerprint(Data()) == Fingerprint(Data()))
        #expect(Fingerprint(Data()) != Fingerprint(Data(count: 1)))
        #expect(Fingerprint(Data(count: 16)) != Fingerprint(Data(count: 32)))
    }
}
