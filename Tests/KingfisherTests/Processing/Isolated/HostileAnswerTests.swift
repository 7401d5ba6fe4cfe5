import Foundation
import KFCodecs
import KFPixels
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

/// A worker that was taken over cannot have bytes of its choice decoded in the program.
///
/// `Scripts/isolation.sh` runs these tests once more under a spy that ends the process when a
/// decoder is opened.
@Suite(.enabled(if: WorkerBench.isPossible), .serialized, .timeLimit(.minutes(5)))
struct HostileAnswerTests {
    private static let request = Data("the file of the request".utf8)
    private static let still = ResizingImageProcessor(referenceSize: CGSize(width: 13, height: 7))

    private func unpacked(
        _ image: KFCrossPlatformImage,
        for processor: any ImageProcessor = DefaultImageProcessor.default,
        _ info: KingfisherOptionsInfo = []
    ) throws -> KFCrossPlatformImage {
        let options = IsolatedOptions(KingfisherParsedOptionsInfo(info))
        let unpacker = ImageUnpacker(
            file: Self.request,
            rules: ParcelRules(processor, options)
        ) { data, timing, scale in
            IsolatedFrameSource(data, timing, scale: scale, WorkerBench.idle)
        }
        return try unpacker.image(in: try Forgery.parcel(image, of: Self.request))
    }

    // MARK: Files

    @Test(
        arguments: [
            Self.still, BlurImageProcessor(blurRadius: 2), AnimatedImageProcessor() |> Self.still,
            DefaultImageProcessor.default |> RotatingImageProcessor(degrees: 0),
            DownsamplingImageProcessor(size: .zero), ProfileKeepingProcessor(Self.still),
        ] as [any ImageProcessor],
        [Self.request, TestImage.gif]
    )
    func `a file in the answer for a still image is refused`(
        _ processor: any ImageProcessor,
        _ file: Data
    ) throws {
        for change: (inout AttachedState) -> Void in [
            { _ in }, { $0.frameSource = nil }, { $0.frameCount = nil },
            {
                $0.frameSource = nil
                $0.frameCount = 1
                $0.creatingOptions = ImageCreatingOptions(onlyFirstFrame: true)
            },
        ] {
            #expect(throws: WireError.self) {
                try unpacked(Forgery.animation(file, change), for: processor)
            }
        }
    }

    @Test func `an animation without pixels is refused`() throws {
        let animation = Forgery.animation(Self.request, hasPixels: false)
        #expect(throws: WireError("a file has no pixels")) { try unpacked(animation) }
    }

    @Test func `a decoder's answer has the file of the request and no other`() throws {
        let image = try unpacked(Forgery.animation(Self.request))
        #expect(image.animationFile == AnimationFile(data: Self.request, isUntrusted: true))
        #expect(image.kf.frameSource is IsolatedFrameSource)
        #expect(throws: WireError.self) { try unpacked(Forgery.animation(TestImage.gif)) }
    }

    @Test func `a file that frames were encoded to has the format that was asked for`() throws {
        let webp = try #require(
            DecoderSpy.permitting {
                DefaultImageProcessor.default.process(
                    item: .data(TestImage.gif),
                    options: KingfisherParsedOptionsInfo(nil)
                )
            }
        )
        let file = try #require(
            DecoderSpy.permitting { webp.kf.animationRepresentation(format: .WebP) }
        )
        for format: ImageFormat? in [nil, .WebP] {
            let image = try unpacked(
                Forgery.animation(file),
                for: AnimatedImageProcessor(Self.still, format: format)
            )
            #expect(image.animationFile?.isUntrusted == true)
        }
        for (bytes, format) in [
            (file, ImageFormat.GIF), (TestImage.gif, .WebP), (TestImage.png(), nil),
            (TestImage.jpeg(), nil), (Data(), nil), (Self.request, nil),
        ] as [(Data, ImageFormat?)] {
            let processor = AnimatedImageProcessor(Self.still, format: format)
            #expect(throws: WireError.self) {
                try unpacked(Forgery.animation(bytes), for: processor)
            }
            #expect(throws: WireError.self) {
                try unpacked(Forgery.animation(file), for: processor, [.onlyLoadFirstFrame])
            }
        }
    }

    // MARK: Numbers

    @Test func `values of an animation that contradict each other or the options are refused`()
        throws
    {
        let changes: [(inout AttachedState) -> Void] = [
            { $0.frameSource = nil },
            { $0.frameCount = nil },
            { $0.frameCount = 2 },
            { $0.frameCount = 0 },
            { $0.frameCount = 10_001 },
            { $0.frameCount = .max },
            { $0.frameCount = -1 },
            { $0.creatingOptions = nil },
            { $0.creatingOptions?.preloadAll = true },
            { $0.creatingOptions?.onlyFirstFrame = true },
            { $0.creatingOptions?.scale = 2 },
            { $0.creatingOptions?.scale = .nan },
            { $0.creatingOptions?.duration = 9 },
            { $0.frameSource = Forgery.Frames(delays: []) },
            { $0.frameSource = Forgery.Frames(delays: [0.1, 0.1]) },
            { $0.frameSource = Forgery.Frames(delays: [0.1, 0.1, -1]) },
            { $0.frameSource = Forgery.Frames(delays: [0.1, 0.1, .nan]) },
            { $0.frameSource = Forgery.Frames(delays: Array(repeating: 1, count: 10_001)) },
            { $0.file = nil },
            { $0.colorProfile = Data(count: 500) },
        ]
        for (index, change) in changes.enumerated() {
            #expect(throws: WireError.self, "\(index)") {
                try unpacked(Forgery.animation(Self.request, change))
            }
        }
    }

    @Test func `frames that are no animation's are refused`() throws {
        let pixels = TestImage.bitmap(width: 13, height: 7)
        let good = KFCrossPlatformImage(bitmap: pixels)
        let other = KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 7, height: 13))
        func image(_ frames: [KFCrossPlatformImage], preloads: Bool = true) -> KFCrossPlatformImage
        {
            var state = Forgery.animation(Self.request).attached.withLock { $0 }
            state.creatingOptions?.preloadAll = preloads
            return KFCrossPlatformImage(bitmap: pixels, images: frames, attached: state)
        }
        let preloading: KingfisherOptionsInfo = [.preloadAllAnimationData]
        let whole = try unpacked(image([good, good, good]), preloading)
        #expect(whole.images?.count == 3)
        #expect(whole.kf.frameSource == nil)
        for frames in [[], [good], [good, good, other], Array(repeating: good, count: 10_000)] {
            #expect(throws: WireError.self) { try unpacked(image(frames), preloading) }
        }
        #expect(throws: WireError.self) { try unpacked(image([good, good, good])) }
        #expect(throws: WireError.self) {
            try unpacked(image([good, good, good], preloads: false), preloading)
        }
        #expect(throws: WireError.self) {
            try unpacked(KFCrossPlatformImage(bitmap: pixels, images: [good]), for: Self.still)
        }
    }

    @Test func `frames of any duration are encoded without harm`() throws {
        let frame = KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 3, height: 2))
        for delay in [0, .infinity, 1e300, .greatestFiniteMagnitude, .leastNonzeroMagnitude] {
            let frames = DecodedFrames(
                images: [frame, frame, frame],
                delays: [delay, delay, delay],
                loopCount: Int(Int32.max)
            )
            for format in [ImageFormat.GIF, .WebP] {
                #expect(frames.encoded(as: format, quality: 0.5) != nil)
            }
        }
    }

    @Test func `headers of any numbers are budgeted without harm`() throws {
        let sides = [0, 1, 65_535, 65_536, Int(Int32.max)]
        for width in sides {
            for height in sides {
                let header = FileHeader(
                    size: PixelSize(width: width, height: height),
                    frameCount: Int(Int32.max),
                    preloadedBytes: .max
                )
                for golden in GoldenCase.all {
                    let options = KingfisherParsedOptionsInfo([.scaleFactor(3)])
                    #expect(WorkCost(options).of(header, by: golden.processor) >= 0)
                }
            }
        }
    }

    // MARK: The whole way

    @Test(arguments: [true, false])
    func `a planted file is not decoded, encoded or passed on`(_ isStill: Bool) async throws {
        let pool = WorkerBench.pool()
        let planted = TestImage.gif
        let image = Forgery.animation(planted) { $0.frameSource = nil }
        let file = try Forgery(image).file(after: TestImage.jpeg(width: 13, height: 7))
        let processor: any ImageProcessor = isStill ? Self.still : DefaultImageProcessor.default
        let options = KingfisherParsedOptionsInfo([.isolated, .processor(processor)])
        do {
            let image = try await ImageMaker(workers: pool)
                .image(of: .data(file), options: options)
            #expect(image.kf.gifRepresentation() != planted)
            Issue.record("it was accepted; as WebP it is \(image.kf.data(format: .WebP) as Any)")
        } catch let error as KingfisherError {
            guard case .isolationFailed(.invalidAnswer) = error.processingError else {
                Issue.record("\(error)")
                return
            }
        }
        pool.stop()
    }

    @Test func `an animation with forged frames is encoded from the worker's pixels`() async throws
    {
        let pool = WorkerBench.pool()
        // The beginning of the file; its end is not known to the answer that it contains.
        let start = TestImage.gif
        let request = Data("x".utf8)
        let image = Forgery.animation(request)
        let file = try Forgery(image, of: request).file(after: start)
        let loaded = try await WorkerBench.image(of: file, on: pool)
        #expect(loaded.kf.gifRepresentation() == file)
        #expect(loaded.kf.frameSource?.frameCount == 3)
        // The worker answers a request for a frame with an image that has a file.
        #expect(loaded.kf.frameSource?.frame(at: 1) == nil)
        #expect(loaded.kf.animationRepresentation(format: .WebP) == nil)
        // Neither a later load without the option.
        let changed = try? await ImageMaker(workers: pool).image(
            of: .image(loaded),
            options: KingfisherParsedOptionsInfo([
                .processor(AnimatedImageProcessor(Self.still, format: .WebP))
            ])
        )
        #expect(changed == nil)
        pool.stop()
    }

    @Test func `the reason of a worker is one line`() throws {
        let text = "broken\r\n\u{1B}[31mkf: all is well\u{2028}\u{202E}now\u{85}\0"
        guard case .reason(let reason?) = try IsolatedAnswer(IsolatedAnswer.reason(text).message())
        else {
            Issue.record("there is no reason")
            return
        }
        #expect(reason == "broken   [31mkf: all is well  now  ")
    }
}
