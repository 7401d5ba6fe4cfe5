import Foundation
import KFCodecs
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// Workers encode, and are ended, where a library cannot be interrupted.
@Suite(.enabled(if: WorkerBench.isPossible), .serialized, .timeLimit(.minutes(2)))
struct IsolatedEncodingTests {
    private static let formats = [FileFormat.avif, .jxl].filter {
        Codecs.missingLibrary(for: $0) == nil
    }

    private func noise(_ side: Int, isOpaque: Bool = true) throws -> KFCrossPlatformImage {
        var random = SplitMix(seed: UInt64(side))
        let bitmap = try Bitmap(
            size: PixelSize(width: side, height: side),
            isOpaque: isOpaque,
            filling: { pixels, _ in
                for pixel in 0..<side * side {
                    let bits = random.next()
                    let alpha: UInt8 = isOpaque ? 255 : UInt8(truncatingIfNeeded: bits >> 48)
                    for channel in 0..<3 {
                        let value = UInt8(truncatingIfNeeded: bits >> (8 * UInt64(channel)))
                        pixels[pixel * 4 + channel] = min(alpha, value)
                    }
                    pixels[pixel * 4 + 3] = alpha
                }
            }
        )
        return KFCrossPlatformImage(bitmap: bitmap, scale: 1)
    }

    @Test(arguments: [
        (FileFormat.avif, 256, true), (.jxl, 256, true), (.avif, 255, false), (.jxl, 255, false),
        (.jpeg, 256, false), (.png, 256, false), (.webp, 256, false),
    ])
    func `only large images of slow formats are encoded in a worker`(
        format: FileFormat,
        side: Int,
        isApart: Bool
    ) throws {
        let encoding = try IsolatedEncoding(noise(side), as: format, EncodeOptions())
        #expect((encoding != nil) == isApart)
    }

    @Test(arguments: formats, [true, false])
    func `a worker makes the same file`(format: FileFormat, isOpaque: Bool) throws {
        let pool = WorkerBench.pool(preparing: .encoding)
        defer { pool.stop() }
        let image = try noise(300, isOpaque: isOpaque)
        for isLossless in [false, true] {
            let options = EncodeOptions(
                quality: 0.6,
                isLossless: isLossless,
                effort: format == .avif ? 10 : nil,
                subsamplesChroma: isOpaque ? nil : false
            )
            let encoding = try #require(IsolatedEncoding(image, as: format, options))
            let file = try encoding.file(on: pool) { true }
            #expect(file != nil)
            #expect(file == image.encoded(as: format, options))
        }
        // No system call was missing.
        #expect(pool.failureCount == 0)
    }

    @Test
    func `a colour profile is embedded, and where there is no place for one, nothing is made`()
        throws
    {
        let pool = WorkerBench.pool(preparing: .encoding)
        defer { pool.stop() }
        let image = try noise(256)
        // AVIF takes any bytes; more than a message holds.
        let profile = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        for format in Self.formats {
            let options = EncodeOptions(effort: 10, profile: profile)
            let encoding = try #require(IsolatedEncoding(image, as: format, options))
            let file = try encoding.file(on: pool) { true }
            #expect((file?.range(of: profile) != nil) == (format == .avif))
        }
        #expect(pool.failureCount == 0)
    }

    @Test(arguments: formats)
    func `an encoding that is no longer wanted ends, and the next one has another worker`(
        format: FileFormat
    ) throws {
        let pool = WorkerBench.pool(preparing: .encoding)
        defer { pool.stop() }
        let image = try noise(256)
        let fast = try #require(IsolatedEncoding(image, as: format, EncodeOptions(effort: 10)))
        #expect(try fast.file(on: pool) { true } != nil)
        let worker = try #require(pool.workers.first)
        let start = WorkerBench.ticks(of: worker)
        // Minutes of AVIF's slowest encoder, and many seconds of JPEG XL's.
        let slow = try noise(format == .avif ? 2000 : 6000)
        let options = EncodeOptions(quality: 1, effort: 0)
        let encoding = try #require(IsolatedEncoding(slow, as: format, options))
        #expect(throws: WorkerFailure.cancelled) {
            try encoding.file(on: pool) { WorkerBench.ticks(of: worker) < start + 20 }
        }
        #expect(pool.failureCount == 1)
        #expect(try fast.file(on: pool) { true } != nil)
        #expect(pool.failureCount == 1)
        #expect(!pool.workers.contains(worker))
    }

    @Test func `a cancelled task ends the encoder of a large AVIF`() async throws {
        ProcessIsolation.useProgram(at: WorkerBench.program.path)
        let pool = try ProcessIsolation.pool(preparing: .encoding)
        let image = try noise(2000)
        let task = Task { ImageEncoding.avif(quality: 1, speed: 0).data(of: image) }
        await WorkerBench.wait { !pool.workers.isEmpty }
        task.cancel()
        #expect(await task.value == nil)
    }

    @Test(arguments: ["baseline.jpg", "rgb8.png", "animated.gif"])
    func `a file is optimised in a worker as here`(name: String) async throws {
        let pool = WorkerBench.pool()
        defer { pool.stop() }
        let fixture = try #require(try IsolatedDecodingTests.fixtures().first { $0.name == name })
        for keepsMetadata in [true, false] {
            let file = try await ImageOptimization.isolated(
                fixture.data,
                keepsMetadata: keepsMetadata,
                on: pool
            )
            let here = try ImageOptimization.optimized(fixture.data, keepsMetadata: keepsMetadata)
            #expect(file == here)
        }
        #expect(pool.failureCount == 0)
    }

    @Test func `optimising a hostile file costs its worker only`() async throws {
        let pool = WorkerBench.pool()
        defer { pool.stop() }
        await #expect(throws: IsolationFailure.crashed(signal: SIGSEGV)) {
            try await ImageOptimization.isolated(WorkerBench.file("crash"), on: pool)
        }
        let webp = try #require(
            try IsolatedDecodingTests.fixtures().first { $0.name == "lossy.webp" }
        )
        await #expect(throws: ImageOptimization.Failure.self) {
            try await ImageOptimization.isolated(webp.data, on: pool)
        }
        // A file of another format than that of the request.
        let png = try #require(try IsolatedDecodingTests.fixtures().first { $0.name == "rgb8.png" })
        let forged = try Forgery(.file(.bytes(Forgery.bytes(webp.data)))).file(after: png.data)
        await #expect(throws: IsolationFailure.self) {
            try await ImageOptimization.isolated(forged, on: pool)
        }
    }

    @Test func `a worker that was taken over cannot leave metadata in`() async throws {
        let pool = WorkerBench.pool()
        defer { pool.stop() }
        let jpeg = try #require(
            try IsolatedDecodingTests.fixtures().first { $0.name == "baseline.jpg" }
        )
        let packet = Data("<rdf:RDF><dc:title>SECRET</dc:title></rdf:RDF>".utf8)
        let photo = try ImageMetadata(xmp: packet).added(to: jpeg.data)
        for answer in [IsolatedAnswer.file(.bytes(try Forgery.bytes(photo))), .nothing] {
            let forged = Forgery(answer).file(after: photo)
            let file = try await ImageOptimization.isolated(forged, keepsMetadata: false, on: pool)
            #expect(file.range(of: Data("SECRET".utf8)) == nil, "\(answer)")
            #expect(
                KFCrossPlatformImage(data: file)?.pngData()
                    == KFCrossPlatformImage(data: jpeg.data)?.pngData()
            )
        }
    }
}
