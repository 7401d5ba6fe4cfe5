import Foundation
import KFPixels
import TestSupport
import Testing

@testable import KFCodecs
@testable import Kingfisher

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// SVG without the option that decodes files apart: its library never runs in the program.
@Suite(
    .enabled(if: WorkerBench.isPossible && OptionalFormat(.svg)?.isAvailable == true),
    .serialized,
    .timeLimit(.minutes(5))
)
struct DrawingWorkersTests {
    init() { ProcessIsolation.useProgram(at: WorkerBench.program.path) }

    private static func drawing(_ body: String) -> Data {
        Data(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">\(body)</svg>
            """.utf8
        )
    }

    /// One on which librsvg aborts, in versions that are in use: more weights than it reads.
    private static let fatal = drawing(
        """
        <filter id="f"><feConvolveMatrix order="24" kernelMatrix="\
        \(String(repeating: "1 ", count: 576))"/></filter>\
        <rect width="40" height="20" filter="url(#f)"/>
        """
    )

    private static let sound = drawing(#"<rect width="20" height="20" fill="red"/>"#)

    private static func load(
        _ file: Data,
        by processor: any ImageProcessor = DefaultImageProcessor.default,
        on pool: WorkerPool
    ) async throws -> KFCrossPlatformImage {
        let options = KingfisherParsedOptionsInfo([.processor(processor)])
        return try await ImageMaker(workers: pool).image(of: .data(file), options: options)
    }

    /// A processor of a program's own, which decodes its file itself.
    private struct Own: ImageProcessor {
        let identifier = "own"

        func process(
            item: ImageProcessItem,
            options: KingfisherParsedOptionsInfo
        ) -> KFCrossPlatformImage? {
            DownsamplingImageProcessor(size: CGSize(width: 20, height: 20))
                .process(item: item, options: options)
        }
    }

    @Test func `DOC-11: a drawing is decoded by a worker without the option, too`() async throws {
        let pool = WorkerBench.pool()
        let image = try await Self.load(Self.sound, on: pool)
        #expect(image.size == CGSize(width: 40, height: 20))
        #expect(pool.workers.count == 1)
        let small = try await Self.load(
            Self.sound,
            by: DownsamplingImageProcessor(size: CGSize(width: 20, height: 20)),
            on: pool
        )
        #expect(small.size == CGSize(width: 20, height: 10))
        pool.stop()
    }

    @Test func `DOC-11: a drawing on which its library aborts costs one load`() async throws {
        let pool = WorkerBench.pool()
        do {
            _ = try await Self.load(Self.fatal, on: pool)
            // A version of the library that draws it or refuses it.
        } catch KingfisherError.processorError(let reason) {
            if case .isolationFailed(let failure) = reason.processingError {
                #expect(failure == .crashed(signal: SIGABRT))
                #expect("\(failure)".hasPrefix("the library that reads the file stopped"))
            }
        }
        #expect(try await Self.load(Self.sound, on: pool).pixelWidth == 40)
        pool.stop()
    }

    /// Every way to read a file without a manager.
    @Test func `DOC-11: whatever decodes a drawing at once asks a worker`() throws {
        let options = KingfisherParsedOptionsInfo(nil)
        let small = DownsamplingImageProcessor(size: CGSize(width: 20, height: 20))
        for file in [Self.sound, Self.fatal] {
            let isSound = file == Self.sound
            switch Result(catching: { try ImageFileInfo(data: file) }) {
            case .success(let info): #expect(info.size == CGSize(width: 40, height: 20))
            // The library aborts on this one when it parses it, in a worker as well.
            case .failure(let error):
                #expect(!isSound && "\(error)".contains("the library that reads the file stopped"))
            }
            let images = [
                KFCrossPlatformImage(data: file),
                DefaultImageProcessor.default.process(item: .data(file), options: options),
                small.process(item: .data(file), options: options),
                Own().process(item: .data(file), options: options),
                ResizingImageProcessor(referenceSize: CGSize(width: 10, height: 10))
                    .process(item: .data(file), options: options),
                KingfisherWrapper<KFCrossPlatformImage>
                    .image(data: file, options: ImageCreatingOptions()),
            ]
            for image in images where isSound { #expect(image != nil) }
        }
        let red = try #require(KFCrossPlatformImage(data: Self.sound)?.bitmap)
        #expect(red[10, 10] == RGBA(red: 255, green: 0, blue: 0, alpha: 255))
        #expect(red[30, 10] == RGBA(red: 0, green: 0, blue: 0, alpha: 0))
    }

    @Test func `a damaged drawing has its reason`() throws {
        let cut = Self.sound.prefix(80)
        #expect(throws: CodecError.truncated(.svg)) { try Codecs.inspect(cut) }
        #expect(KFCrossPlatformImage(data: cut) == nil)
        #expect(try #require(UndecodableReason.find(in: cut)).hasPrefix("svg: "))
        let large = Data(
            "<svg xmlns='http://www.w3.org/2000/svg' width='100000' height='100000'/>".utf8
        )
        #expect(KFCrossPlatformImage(data: large) == nil)
        #expect(try #require(IsolatedDecoding.exceededLimit(of: large)).contains("limit"))
    }

    @Test func `DOC-11: an image in a cache that its library aborts on stays there`() async throws {
        let bench = try TestBench()
        try await bench.cache.storeToDisk(Self.fatal, forKey: "fatal")
        _ = try? await bench.cache.retrieveImage(forKey: "fatal")
        #expect(bench.cache.isCached(forKey: "fatal"))
    }

    @Test func `DOC-11: the memory of a worker that draws is limited`()
        async throws
    {
        let pool = WorkerBench.pool(memory: 8 << 30)
        let image = TestImage.png() + Data("          fault hoards".utf8)
        #expect(try await WorkerBench.failure(of: image, on: pool) != nil)
        // Nothing but a comment may be beside a drawing.
        let drawing = Data("<!-- fault hoards -->".utf8) + Self.sound
        #expect(try await WorkerBench.failure(of: drawing, on: pool) == nil)
        pool.stop()
    }
}
