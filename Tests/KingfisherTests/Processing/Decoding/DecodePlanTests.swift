import Foundation
import KFCodecs
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

struct DecodePlanTests {
    private static let big = 1 << 30

    private func options(_ processor: any ImageProcessor) -> KingfisherParsedOptionsInfo {
        KingfisherParsedOptionsInfo([.processor(processor)])
    }

    private func wishes(_ sides: [Int]) -> [DecodeRequest] {
        sides.map {
            DecodeRequest(options(DownsamplingImageProcessor(size: CGSize(width: $0, height: $0))))
        }
    }

    private func header(_ width: Int, _ height: Int, frames: Int? = 1) -> FileHeader {
        FileHeader(size: PixelSize(width: width, height: height), frameCount: frames)
    }

    @Test func `the shared image is twice the largest, and never enlarged`() throws {
        let plan = try #require(
            DecodePlan(wishes([10, 50, 30]), of: .jpeg, header(400, 300), maxBytes: Self.big)
        )
        #expect(plan.base == PixelSize(width: 102, height: 76) || plan.base.width == 100)
        #expect(plan.base.width >= 100)
        #expect(plan.serves(PixelSize(width: 50, height: 38)))
        #expect(!plan.serves(PixelSize(width: 80, height: 60)))
        let whole = try #require(
            DecodePlan(wishes([10, 300]), of: .jpeg, header(400, 300), maxBytes: Self.big)
        )
        #expect(whole.base == whole.own)
    }

    @Test func `small images are made from halves that are at least twice as large`() throws {
        let plan = try #require(
            DecodePlan(wishes([100, 10]), of: .jpeg, header(4_000, 3_000), maxBytes: Self.big)
        )
        #expect(plan.base == PixelSize(width: 200, height: 150))
        let halvings = { (width: Int, height: Int) in
            plan.halvings(for: PixelSize(width: width, height: height))
        }
        #expect(halvings(100, 75) == 0)
        #expect(halvings(51, 38) == 0)
        #expect(halvings(50, 37) == 1)
        #expect(halvings(25, 19) == 2)
        #expect(halvings(10, 8) == 3)
        #expect(halvings(1, 1) == 7)
        #expect(halvings(0, 0) < 10)
    }

    @Test func `equal sizes are decoded to just that`() throws {
        let size = CGSize(width: 40, height: 40)
        let small = DownsamplingImageProcessor(size: size)
        let blurred = small |> BlurImageProcessor(blurRadius: 3)
        let both = [small, blurred].map { DecodeRequest(options($0)) }
        let plan = try #require(DecodePlan(both, of: .jpeg, header(400, 300), maxBytes: Self.big))
        #expect(plan.base == PixelSize(width: 40, height: 30))
    }

    @Test func `a lone request is decoded to its size, unless it keeps a part`() throws {
        let plan = try #require(
            DecodePlan(wishes([10, 10]), of: .jpeg, header(400, 300), maxBytes: Self.big)
        )
        #expect(plan.base == PixelSize(width: 10, height: 8))
        let crop = CroppingImageProcessor(size: CGSize(width: 10, height: 10))
        let part = DecodeRequest(options(crop))
        #expect(DecodePlan([part], of: .jpeg, header(400, 300), maxBytes: Self.big) == nil)
        #expect(DecodePlan(wishes([10]), of: .ico, header(400, 300), maxBytes: Self.big) == nil)
        #expect(DecodePlan(wishes([]), of: .jpeg, header(400, 300), maxBytes: Self.big) == nil)
    }

    @Test func `animations and images too large are not shared`() {
        #expect(
            DecodePlan(
                wishes([10, 20]),
                of: .jpeg,
                header(400, 300, frames: 3),
                maxBytes: Self.big
            ) == nil
        )
        #expect(
            DecodePlan(
                wishes([10, 20]),
                of: .jpeg,
                header(400, 300, frames: nil),
                maxBytes: Self.big
            ) == nil
        )
        #expect(DecodePlan(wishes([10, 20]), of: .jpeg, header(400, 300), maxBytes: 4_000) == nil)
    }

    @Test func `a user's processor is given the bytes`() {
        #expect(!DecodeRequest(options(CountingProcessor())).takesBitmap)
        let blur = BlurImageProcessor(blurRadius: 1)
        #expect(!DecodeRequest(options(CountingProcessor() |> blur)).takesBitmap)
        #expect(DecodeRequest(options(blur |> CountingProcessor())).takesBitmap)
        var elsewhere = options(blur)
        elsewhere.processingQueue = .untouch
        #expect(!DecodeRequest(elsewhere).takesBitmap)
    }

    /// Every built-in way to request a size, for images of several shapes.
    @Test(arguments: [(60, 45), (41, 60), (6, 90)])
    func `a processor gives the same size from a shared image as from bytes`(
        width: Int,
        height: Int
    ) async throws {
        let data = TestImage.png(width: width, height: height)
        let jobs = ImageMaker()
        for scale in [CGFloat(1), 1.5] {
            for size in [CGSize(width: 7, height: 4.9), CGSize(width: 21.3, height: 15)] {
                let graph = EncodedImage()
                let all = Self.sized(size).map { processor in
                    var options = options(processor)
                    options.scaleFactor = scale
                    return options
                }
                graph.expect(all)
                for options in all {
                    let shared = try? await graph.image(of: data, options, by: jobs)
                    let alone = try? await jobs.image(of: .data(data), options: options)
                    let note = "\(options.processor.identifier) of \(width) × \(height) at \(scale)"
                    #expect(shared?.bitmap?.size == alone?.bitmap?.size, Comment(rawValue: note))
                    #expect(shared?.scale == alone?.scale)
                }
            }
        }
    }

    private static func sized(_ size: CGSize) -> [any ImageProcessor] {
        [
            DownsamplingImageProcessor(size: size),
            ResizingImageProcessor(referenceSize: size),
            ResizingImageProcessor(referenceSize: size, mode: .aspectFit),
            ResizingImageProcessor(referenceSize: size, mode: .aspectFill),
            SmartCroppingImageProcessor(size: size),
            ViewSizeProcessor(size: size, covers: true),
            ViewSizeProcessor(size: size, covers: false),
            RoundCornerImageProcessor(cornerRadius: 3, targetSize: size),
            DefaultImageProcessor.default |> ResizingImageProcessor(referenceSize: size)
                |> BlurImageProcessor(blurRadius: 2),
            BlackWhiteProcessor(), TrimmingImageProcessor(), CroppingImageProcessor(size: size),
        ]
    }

    /// The tolerance that `DecodePlan` states.
    @Test(arguments: [FileFormat.jpeg, .png, .webp])
    func `a shared image looks like the whole image scaled down`(format: FileFormat) async throws {
        let scene = TestScene.opaque(width: 320, height: 240)
        let data = try Codecs.encode(scene, as: format)
        let whole = try Codecs.decode(data).bitmap
        let sides = [10, 34, 48]
        let graph = EncodedImage()
        let jobs = ImageMaker()
        let all = sides.map {
            options(DownsamplingImageProcessor(size: CGSize(width: $0, height: $0)))
        }
        graph.expect(all)
        for options in all {
            let shared = try await graph.image(of: data, options, by: jobs)
            let bitmap = try #require(shared.bitmap)
            let best = try resample(whole, to: bitmap.size)
            let difference = try #require(GoldenPicture.difference(bitmap, best))
            #expect(difference.mean < 1)
            #expect(difference.max <= 16)
        }
        #expect(jobs.decodeCount == 1)
    }

    @Test func `a caller that left does not determine how the bytes are decoded`() async throws {
        let data = TestImage.jpeg(width: 640, height: 480)
        let (small, large) = (
            options(DownsamplingImageProcessor(size: CGSize(width: 40, height: 30))),
            options(DownsamplingImageProcessor(size: CGSize(width: 400, height: 300)))
        )
        for leaves in [false, true] {
            let graph = EncodedImage()
            let jobs = ImageMaker()
            graph.expect([small, large])
            if leaves { graph.withdraw(1) }
            for options in [small, large] {
                _ = try await graph.image(of: data, options, by: jobs)
            }
            #expect(jobs.decodeCount == (leaves ? 2 : 1))
        }
    }
}

extension EncodedImage {
    /// Lets callers with these options, numbered from 0, wait for the bytes.
    func expect(_ all: [KingfisherParsedOptionsInfo]) {
        for (number, options) in all.enumerated() { expect(DecodeRequest(options), from: number) }
    }

    /// The image of bytes that are here.
    func image(
        of data: Data,
        _ options: KingfisherParsedOptionsInfo,
        by maker: ImageMaker
    ) async throws -> KFCrossPlatformImage {
        supply(data)
        return try await image(DecodeRequest(options), by: maker)
    }
}
