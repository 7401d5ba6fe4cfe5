import Foundation
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// Limits apply to the results of processors, which also count in the memory budget.
@Suite(.timeLimit(.minutes(1)))
struct ResultLimitTests {
    private let folder: TemporaryDirectory
    private let manager: KingfisherManager

    init() throws {
        folder = try TemporaryDirectory()
        manager = KingfisherManager(
            downloader: ImageDownloader(name: "limits"),
            cache: try ImageCache(name: "limits", cacheDirectoryURL: folder.url)
        )
    }

    /// Draws with the library and ignores its failure, as a custom processor may.
    private struct Enlarging: ImageProcessor {
        let identifier = "enlarging"
        func process(
            item: ImageProcessItem,
            options: KingfisherParsedOptionsInfo
        ) -> KFCrossPlatformImage? {
            DefaultImageProcessor.default.process(item: item, options: options)?
                .kf.resize(to: CGSize(width: 30_000, height: 30_000))
        }
    }

    private static let huge = CGSize(width: 30_000, height: 30_000)

    static let enlarging: [any ImageProcessor] = [
        ResizingImageProcessor(referenceSize: huge),
        ResizingImageProcessor(referenceSize: huge, mode: .aspectFill),
        ResizingImageProcessor(referenceSize: CGSize(width: 33_000, height: 10)),
        ResizingImageProcessor(referenceSize: CGSize(width: 1e9, height: 1e9)),
        PaddingImageProcessor(all: 10_000),
        PaddingImageProcessor(left: 1e300),
        RoundCornerImageProcessor(cornerRadius: 5, targetSize: huge),
        SmartCroppingImageProcessor(size: huge),
        BlurImageProcessor(blurRadius: 2) |> PaddingImageProcessor(all: 9_000),
        AnimatedImageProcessor(PaddingImageProcessor(all: 10_000)),
        Enlarging(),
    ]

    @Test(arguments: enlarging.indices)
    func `a result above the limits fails and says how to go on`(index: Int) async throws {
        let processor = Self.enlarging[index]
        for data in [TestImage.png(width: 9, height: 7), TestImage.gif] {
            let error = await failure(data, [.processor(processor)])
            guard case .resultTooLarge(let size, let limits) = error?.processingError
            else {
                Issue.record("\(processor.identifier): \(String(describing: error))")
                continue
            }
            #expect(limits == .default)
            #expect(size.width * size.height > 200e6 || size.width > 32_767)
            #expect(error?.errorCode == 4002)
            #expect(error?.localizedDescription.contains(".resultLimits") == true)
        }
    }

    @Test func `a scale factor does not get past the limits`() async throws {
        let error = await failure(
            TestImage.png(),
            [
                .processor(ResizingImageProcessor(referenceSize: CGSize(width: 100, height: 100))),
                .scaleFactor(1_000),
            ]
        )
        guard case .resultTooLarge = error?.processingError else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `limits can be set, and a result at the limit is made`() async throws {
        let limits = ResultLimits(maxPixelCount: 100 * 80, maxSide: 100)
        func options(_ width: CGFloat, _ height: CGFloat) -> KingfisherOptionsInfo {
            let size = CGSize(width: width, height: height)
            return [
                .processor(ResizingImageProcessor(referenceSize: size)), .resultLimits(limits),
            ]
        }
        let data = TestImage.png(width: 9, height: 7)
        let result = try await manager.retrieveImage(
            with: .provider(RawImageDataProvider(data: data, cacheKey: "fits")),
            options: options(100, 80)
        )
        #expect(result.image.pixelWidth == 100)
        for (width, height) in [(101, 1), (1, 101), (100, 81)] as [(CGFloat, CGFloat)] {
            guard
                case .resultTooLarge =
                    await failure(data, options(width, height))?.processingError
            else {
                Issue.record("\(width) × \(height) is allowed")
                continue
            }
        }
        var turned = options(90, 90)
        turned.append(
            .processor(BlurImageProcessor(blurRadius: 2) |> RotatingImageProcessor(degrees: 45))
        )
        guard
            case .resultTooLarge =
                await failure(TestImage.png(width: 90, height: 80), turned)?.processingError
        else {
            Issue.record("a picture that grows by turning is allowed")
            return
        }
    }

    // MARK: The memory budget

    @Test func `a processor's result counts in the budget`() async throws {
        func peak(_ processor: any ImageProcessor) async throws -> Int {
            var options = KingfisherParsedOptionsInfo(nil)
            options.processor = processor
            let budget = ByteBudget(limit: 1 << 30)
            _ = try await ImageMaker(budget: budget)
                .image(of: .data(TestImage.png(width: 10, height: 10)), options: options)
            return budget.peak
        }
        #expect(try await peak(DefaultImageProcessor.default) == 400)
        #expect(try await peak(PaddingImageProcessor(all: 45)) == 400 + 40_000)
        let resize = ResizingImageProcessor(referenceSize: CGSize(width: 50, height: 20))
        #expect(try await peak(resize) == 4_000)
        #expect(try await peak(resize |> PaddingImageProcessor(top: 10)) == 4_000 + 6_000)
        #expect(try await peak(AnimatedImageProcessor(resize)) == 4_000)
        #expect(try await peak(RotatingImageProcessor(degrees: 45)) == 400 + 4 * 14 * 14)
    }

    @Test func `all frames of a preloaded animation count in the budget`() async throws {
        var options = KingfisherParsedOptionsInfo(nil)
        options.preloadAllAnimationData = true
        let budget = ByteBudget(limit: 1 << 30)
        _ = try await ImageMaker(budget: budget)
            .image(of: .data(TestImage.gif), options: options)
        #expect(budget.peak == 3 * 8 * 6 * 4)
    }

    private func failure(_ data: Data, _ options: KingfisherOptionsInfo) async -> KingfisherError? {
        let source = Source.provider(RawImageDataProvider(data: data, cacheKey: "too large"))
        return await #expect(throws: KingfisherError.self) {
            try await manager.retrieveImage(with: source, options: options)
        }
    }
}
