import Foundation
import KFCodecs
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// A worker decodes every file like this process, with its allowed system calls.
@Suite(.enabled(if: WorkerBench.isPossible), .serialized, .timeLimit(.minutes(5)))
struct IsolatedDecodingTests {
    // The program decodes drawings in workers, too.
    init() { ProcessIsolation.useProgram(at: WorkerBench.program.path) }

    /// The fixtures of the codec tests, by name.
    static func fixtures() throws -> [(name: String, data: Data)] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let folder = tests.appending(path: "KFCodecsTests/Fixtures")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .filter { !$0.hasSuffix(".rgba") && !$0.hasSuffix(".py") }
            .map { ($0, try Data(contentsOf: folder.appending(path: $0))) }
    }

    @Test(arguments: [
        [], [KingfisherOptionsInfoItem.preloadAllAnimationData], [.onlyLoadFirstFrame],
    ])
    func `files of every format come out the same`(_ info: KingfisherOptionsInfo) async throws {
        let pool = WorkerBench.pool()
        var images = 0
        for (name, data) in try Self.fixtures() {
            let options = KingfisherParsedOptionsInfo(info)
            let expected = DecoderSpy.permitting {
                DefaultImageProcessor.default.process(item: .data(data), options: options)
            }
            do {
                let image = try await WorkerBench.image(of: data, on: pool, info)
                images += 1
                #expect(image.looks(like: expected), "\(name)")
            } catch let error as KingfisherError {
                #expect(expected == nil, "\(name)")
                #expect(error.errorCode == 4001, "\(name)")
            }
        }
        #expect(images > 50)
        // No worker was lost, so no system call was missing.
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test(arguments: [FileFormat.jpeg, .png, .gif, .webp, .avif])
    func `files and images of every size come out the same`(_ format: FileFormat) async throws {
        let pool = WorkerBench.pool()
        // Noise, so that the files are large, too: in shared memory, and sealed.
        for side in [16, 120, 128, 300, 720, 800] {
            // Noise is what encoders are slowest at: AVIF as fast as possible, and 64 colours, which
            // GIF need not reduce.
            let options = EncodeOptions(effort: format == .avif ? 10 : nil)
            let noise = try Self.noise(side, mask: format == .gif ? 0xC0 : 0xFF)
            let file = try Codecs.encode(noise, as: format, options: options)
            let image = try await WorkerBench.image(of: file, on: pool)
            #expect(image.bitmap == Self.bitmap(of: file), "\(side)")
        }
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    /// The bitmap that this process decodes.
    private static func bitmap(of file: Data) -> Bitmap? {
        DecoderSpy.permitting { KFCrossPlatformImage(data: file)?.bitmap }
    }

    private static func noise(_ side: Int, mask: UInt8 = 0xFF) throws -> Bitmap {
        var random = SplitMix(seed: UInt64(side))
        return try Bitmap(
            size: PixelSize(width: side, height: side),
            isOpaque: true,
            filling: { pixels, _ in
                for index in 0..<(side * side * 4) {
                    pixels[index] = index % 4 == 3 ? 255 : UInt8(random.next() >> 56) & mask
                }
            }
        )
    }

    // It decodes on threads of this process, too.
    @Test(.enabled(if: !DecoderSpy.isLoaded), arguments: [FileFormat.jpeg, .avif])
    func `several sizes share one decode in a worker`(_ format: FileFormat) async throws {
        let pool = WorkerBench.pool()
        let jobs = ImageMaker(workers: pool)
        let graph = EncodedImage()
        let file = try Codecs.encode(try Self.noise(240), as: format)
        let isolated = [10, 34, 48].map { Self.options(side: $0, [.isolated]) }
        // One that decodes in this process shares nothing with them.
        let other = Self.options(side: 20, [])
        graph.expect(isolated + [other])
        // The same sizes in this process, from a bitmap of the same plan.
        let here = EncodedImage()
        let plain = [10, 34, 48].map { Self.options(side: $0, []) }
        here.expect(plain)
        for (index, side) in [10, 34, 48].enumerated() {
            let image = try await graph.image(of: file, isolated[index], by: jobs)
            #expect(image.pixelWidth == side)
            let expected = try await here.image(of: file, plain[index], by: ImageMaker())
            #expect(image.bitmap == expected.bitmap)
        }
        #expect(jobs.decodeCount == 1)
        _ = try await graph.image(of: file, other, by: jobs)
        #expect(jobs.decodeCount == 2)
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test func `requiring workers starts none, and fails in a program that cannot start any`()
        async
    {
        await #expect(processExitsWith: .success) {
            let failure = Result { () throws(IsolationFailure) in
                try ProcessIsolation.requireWorkers()
            }
            guard case .failure(.unavailable) = failure else { fatalError("\(failure)") }
            ProcessIsolation.useProgram(at: WorkerBench.program.path)
            try ProcessIsolation.requireWorkers()
            guard let pool = ProcessIsolation.startedPool else { fatalError("there is no pool") }
            guard pool.workers.isEmpty else { fatalError("\(pool.workers)") }
            _ = try await WorkerBench.image(of: TestImage.png(), on: pool)
            guard !pool.workers.isEmpty else { fatalError("there is no worker") }
            pool.stop()
        }
    }

    @Test func `callers of a file that ends its workers fail with their own processors`()
        async throws
    {
        let pool = WorkerBench.pool()
        let jobs = ImageMaker(workers: pool)
        let graph = EncodedImage()
        // A good header, so that one decode is planned for both.
        let file = TestImage.jpeg(width: 64, height: 48) + Data("      fault trap".utf8)
        let all = [10, 34].map { Self.options(side: $0, [.isolated]) }
        graph.expect(all)
        for options in all {
            let error = await #expect(throws: KingfisherError.self) {
                try await graph.image(of: file, options, by: jobs)
            }
            guard case .processorError(reason: .processingFailed(let processor, _)) = error,
                case .isolationFailed = error?.processingError
            else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(processor.identifier == options.processor.identifier)
        }
        pool.stop()
    }

    private static func options(
        side: Int,
        _ info: KingfisherOptionsInfo
    ) -> KingfisherParsedOptionsInfo {
        let size = CGSize(width: side, height: side)
        return KingfisherParsedOptionsInfo(
            info + [.processor(DownsamplingImageProcessor(size: size))]
        )
    }

    @Test func `every processor comes out the same`() async throws {
        let pool = WorkerBench.pool()
        for golden in GoldenCase.all {
            let data = try Codecs.encode(golden.source, as: .png)
            #expect(PortableProcessors.contain(golden.processor), "\(golden.name)")
            let options = KingfisherParsedOptionsInfo([.scaleFactor(2)])
            let expected = DecoderSpy.permitting {
                golden.processor.process(item: .data(data), options: options)
            }
            let image = try await WorkerBench.image(
                of: data,
                by: golden.processor,
                on: pool,
                [.scaleFactor(2)]
            )
            #expect(image.looks(like: expected), "\(golden.name)")
            #expect(image.bitmap == expected?.bitmap, "\(golden.name)")
        }
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test func `headers of every format are read the same`() async throws {
        let pool = WorkerBench.pool()
        for (name, data) in try Self.fixtures() {
            // Both fail for damaged headers.
            let expected = DecoderSpy.permitting { try? ImageFileInfo(data: data) }
            let info = try? await ImageFileInfo.isolated(data: data, on: pool)
            #expect(info == expected, "\(name)")
        }
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test(arguments: [true, false])
    func `workers scale and crop like the program`(prefersSpeed: Bool) async throws {
        let pool = WorkerBench.pool()
        let data = try Codecs.encode(TestScene.opaque(), as: .jpeg)
        let size = try Codecs.inspect(data).displaySize
        let processor =
            ResizingImageProcessor(
                referenceSize: CGSize(width: size.width / 2, height: size.height / 2),
                prefersSpeed: prefersSpeed
            ) |> CroppingImageProcessor(size: CGSize(width: 11, height: 7))
        let image = try await WorkerBench.image(of: data, by: processor, on: pool)
        let options = KingfisherParsedOptionsInfo([])
        let expected = DecoderSpy.permitting {
            processor.process(item: .data(data), options: options)
        }
        #expect(image.bitmap == expected?.bitmap)
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test(
        arguments: ["animated.gif", "animated.webp", "animated.png", "animated.avif"],
        [ImageFormat.WebP, .AVIF]
    )
    func `an animation is processed frame by frame`(
        _ name: String,
        format: ImageFormat
    ) async throws {
        let pool = WorkerBench.pool()
        let data = try #require(try Self.fixtures().first { $0.name == name }?.data)
        let processor = AnimatedImageProcessor(
            ResizingImageProcessor(referenceSize: CGSize(width: 9, height: 9)),
            format: format,
            maxFrameCount: 2
        )
        let image = try await WorkerBench.image(of: data, by: processor, on: pool)
        let expected = DecoderSpy.permitting {
            processor.process(item: .data(data), options: KingfisherParsedOptionsInfo([]))
        }
        #expect(image.looks(like: expected))
        #expect(image.kf.gifRepresentation() == expected?.kf.gifRepresentation())
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test(arguments: ["animated.gif", "animated.webp", "animated.png", "animated.avif"])
    func `frames come out the same with other files between them`(_ name: String) async throws {
        let pool = WorkerBench.pool()
        let data = try #require(try Self.fixtures().first { $0.name == name }?.data)
        let image = try await WorkerBench.image(of: data, on: pool)
        let frames = try #require(image.kf.frameSource)
        let direct = DecoderSpy.permitting {
            DefaultImageProcessor.default.process(
                item: .data(data),
                options: KingfisherParsedOptionsInfo([])
            )
        }
        let expected = try #require(direct?.kf.frameSource)
        for index in 0..<frames.frameCount {
            let same = DecoderSpy.permitting { expected.frame(at: index)?.bitmap }
            #expect(frames.frame(at: index)?.bitmap == same)
            let other = TestImage.jpeg(width: 100 + index, height: 80)
            _ = try await WorkerBench.image(of: other + Data(count: data.count), on: pool)
        }
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test func `one worker makes large and small images of large and small files in turns`()
        async throws
    {
        let pool = WorkerBench.pool()
        for (width, height, padding) in [
            (600, 400, 0), (20, 10, 0), (1200, 1000, 0), (130, 130, 0), (600, 400, 3 << 20),
            (1, 1, 0), (1000, 1000, 1 << 20), (2, 3, 3 << 20), (127, 129, 0),
        ] {
            let file = TestImage.jpeg(width: width, height: height) + Data(count: padding)
            let image = try await WorkerBench.image(of: file, on: pool)
            #expect(image.bitmap == Self.bitmap(of: file))
        }
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test func `a small image stays when its pool and its worker are gone`() async throws {
        let data = TestImage.png(width: 100, height: 80)
        let pool = WorkerBench.pool()
        let image = try await WorkerBench.image(of: data, on: pool)
        pool.stop()
        #expect(image.bitmap == Self.bitmap(of: data))
    }

    @Test func `an image above the limits is refused by its worker`() async throws {
        let pool = WorkerBench.pool()
        let limits = ResultLimits(maxPixelCount: 100)
        let error = await #expect(throws: KingfisherError.self) {
            try await WorkerBench.image(of: TestImage.png(), on: pool, [.resultLimits(limits)])
        }
        #expect(error?.errorCode == 4002)
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test func `a chain is cut at the first processor that is not ours`() {
        let shrinks = DownsamplingImageProcessor(size: CGSize(width: 9, height: 9))
        let blurs = BlurImageProcessor(blurRadius: 2)
        let cut = ProcessorCut((shrinks |> Foreign()) |> blurs)
        #expect(cut.remote?.identifier == shrinks.identifier)
        #expect(cut.local.map(\.identifier) == [Foreign().identifier, blurs.identifier])
        #expect(ProcessorCut(Foreign()).remote == nil)
        #expect(ProcessorCut(shrinks |> blurs).local.isEmpty)
        // It has the identifier of a built-in processor but is not one.
        #expect(ProcessorCut(Foreign(identifier: shrinks.identifier)).remote == nil)
        #expect(!PortableProcessors.contain(AnimatedImageProcessor(Foreign())))
    }

    @Test func `a worker keeps the colours of a file, and hands its profile over`() async throws {
        let pool = WorkerBench.pool()
        let file = try ProfileKeepingProcessorTests.source()
        let shrinks = DownsamplingImageProcessor(size: CGSize(width: 4, height: 4))
        let options = KingfisherParsedOptionsInfo(nil)
        for inner: any ImageProcessor in [
            shrinks, DefaultImageProcessor.default, shrinks |> Foreign(),
            shrinks |> Foreign() |> BlurImageProcessor(blurRadius: 1),
        ] {
            let processor = ProfileKeepingProcessor(inner)
            let image = try await WorkerBench.image(of: file, by: processor, on: pool)
            #expect(image.kf.colorProfile == ProfileKeepingProcessorTests.profile)
            let expected = DecoderSpy.permitting {
                processor.process(item: .data(file), options: options)
            }
            #expect(image.bitmap == expected?.bitmap, "\(inner.identifier)")
            let usual = try await WorkerBench.image(of: file, by: inner, on: pool)
            #expect(usual.kf.colorProfile == nil)
            #expect(usual.bitmap != image.bitmap)
        }
        #expect(ProcessorCut(ProfileKeepingProcessor(Foreign())).remote == nil)
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test func `a processor of a user's gets the image of a worker`() async throws {
        let pool = WorkerBench.pool()
        let data = TestImage.png(width: 64, height: 48)
        let shrinks = DownsamplingImageProcessor(size: CGSize(width: 16, height: 16))
        let image = try await WorkerBench.image(of: data, by: shrinks |> Foreign(), on: pool)
        #expect(image.pixelWidth == 12)
        #expect(image.pixelHeight == 16)
        pool.stop()
    }

    /// A custom processor that rotates images in this process.
    private struct Foreign: ImageProcessor {
        var identifier = "foreign"

        func process(
            item: ImageProcessItem,
            options: KingfisherParsedOptionsInfo
        ) -> KFCrossPlatformImage? {
            let inherited = DefaultImageProcessor.default.process(item: item, options: options)
            return inherited?.kf.rotated(degrees: 90)
        }
    }
}

extension KFCrossPlatformImage {
    /// Whether two images, of which a worker made the first, have equal pixels and properties.
    fileprivate func looks(like other: KFCrossPlatformImage?) -> Bool {
        guard let other, bitmap == other.bitmap, scale == other.scale,
            duration == other.duration, images?.map(\.bitmap) == other.images?.map(\.bitmap),
            kf.imageFrameCount == other.kf.imageFrameCount,
            kf.gifRepresentation() == other.kf.gifRepresentation(),
            kf.creatingOptions == other.kf.creatingOptions
        else { return false }
        guard let source = kf.frameSource, let otherSource = other.kf.frameSource else {
            return kf.frameSource == nil && other.kf.frameSource == nil
        }
        return (0...source.frameCount).allSatisfy { index in
            source.duration(at: index) == otherSource.duration(at: index)
                && source.frame(at: index)?.bitmap
                    == DecoderSpy.permitting { otherSource.frame(at: index)?.bitmap }
        }
    }
}
