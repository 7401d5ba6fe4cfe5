import Foundation
@_spi(Programs) import Kingfisher
import Testing

struct ImageEncodingTests {
    /// Stripes and slopes, so that encoders have a choice.
    private static func image() throws -> KFCrossPlatformImage {
        let side = 96
        var pixels = Data()
        for y in 0..<side {
            for x in 0..<side {
                let shade = UInt8(truncatingIfNeeded: x * y / 8 + (x ^ y) * 3)
                pixels += [shade, UInt8(x * 2), UInt8(y * 2), 255]
            }
        }
        return try #require(
            KFCrossPlatformImage(premultipliedRGBA: pixels, width: side, height: side)
        )
    }

    private static func bytes(_ image: KFCrossPlatformImage) -> [UInt8] {
        image.withPremultipliedRGBA { pixels, _ in Array(pixels) }
    }

    @Test func `more effort makes a smaller WebP`() throws {
        let image = try Self.image()
        let fast = try #require(ImageEncoding.webp(effort: 0).data(of: image))
        let usual = try #require(ImageEncoding.webp().data(of: image))
        let small = try #require(ImageEncoding.webp(effort: 6).data(of: image))
        #expect(small.count < fast.count)
        #expect(ImageEncoding.webp(effort: 4).data(of: image) == usual)
    }

    @Test func `less speed makes a smaller AVIF`() throws {
        let image = try Self.image()
        let fast = try #require(ImageEncoding.avif(speed: 10).data(of: image))
        let usual = try #require(ImageEncoding.avif().data(of: image))
        let small = try #require(ImageEncoding.avif(speed: 4).data(of: image))
        #expect(small.count < fast.count)
        #expect(ImageEncoding.avif(speed: 8).data(of: image) == usual)
    }

    @Test(arguments: [
        ImageEncoding.png, .png(maxColorCount: 8), .jpeg(), .progressiveJPEG(), .webp(), .gif,
        .avif(),
    ])
    func `nothing is encoded in a cancelled task`(encoding: ImageEncoding) async throws {
        let image = try Self.image()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return (encoding.data(of: image), image.pngData())
        }
        let (file, other) = await task.value
        #expect(file == nil)
        // A program may want this file even if its task was cancelled.
        #expect(other != nil)
    }

    @Test func `effort out of range is the nearest one`() {
        #expect(ImageEncoding.webp(effort: .max) == .webp(effort: 6))
        #expect(ImageEncoding.webp(effort: .min) == .webp(effort: 0))
        #expect(ImageEncoding.avif(speed: 99) == .avif(speed: 10))
    }

    @Test func `fewer colours make a smaller PNG, and are clamped`() throws {
        // Noise, because smooth images are smaller with all their colours.
        var state: UInt32 = 1
        let pixels = Data(
            (0..<64 * 64 * 4).map { index in
                state = state &* 1_664_525 &+ 1_013_904_223
                return index % 4 == 3 ? 255 : UInt8(state >> 24)
            }
        )
        let image = try #require(
            KFCrossPlatformImage(premultipliedRGBA: pixels, width: 64, height: 64)
        )
        let all = try #require(ImageEncoding.png.data(of: image))
        let some = try #require(ImageEncoding.png(maxColorCount: 256).data(of: image))
        let few = try #require(ImageEncoding.png(maxColorCount: 8).data(of: image))
        #expect(all.count > some.count && some.count > few.count)
        #expect(ImageEncoding.png(maxColorCount: .max) == .png(maxColorCount: 256))
        #expect(ImageEncoding.png(maxColorCount: .min) == .png(maxColorCount: 2))
        let encodings = [ImageEncoding.png, .png(maxColorCount: 8), .png(maxColorCount: 9)]
        #expect(Set(encodings.map(\.identifier)).count == 3)
    }

    @Test func `a lossless WebP has the pixels of the image`() throws {
        let image = try Self.image()
        let file = try #require(ImageEncoding.losslessWebP().data(of: image))
        #expect(file.kf.imageFormat == .WebP)
        let decoded = try #require(KFCrossPlatformImage(data: file))
        #expect(decoded.pngData() == image.pngData())
        #expect(
            ImageEncoding.losslessWebP().identifier != ImageEncoding.webp(quality: 1).identifier
        )
    }

    @Test(arguments: [ImageEncoding.losslessAVIF(), .losslessJXL])
    func `a lossless AVIF or JPEG XL has the pixels of the image`(encoding: ImageEncoding) throws {
        guard encoding.format.missingLibrary == nil else { return }
        let image = try Self.image()
        let file = try #require(encoding.data(of: image))
        #expect(file.kf.imageFormat == encoding.format)
        let decoded = try #require(KFCrossPlatformImage(data: file))
        #expect(decoded.pngData() == image.pngData())
        let lossy = [ImageEncoding.avif(quality: 1), .jxl(quality: 1)].map(\.identifier)
        #expect(!lossy.contains(encoding.identifier))
    }

    @Test func `a nearly lossless WebP is smaller, and close to the image`() throws {
        // A slope with noise, because rounding makes smooth images no smaller.
        var state: UInt32 = 1
        let pixels = Data(
            (0..<96 * 96 * 4).map { index in
                state = state &* 1_664_525 &+ 1_013_904_223
                return index % 4 == 3 ? 255 : UInt8(index / 384) + UInt8(state >> 27)
            }
        )
        let image = try #require(
            KFCrossPlatformImage(premultipliedRGBA: pixels, width: 96, height: 96)
        )
        let exact = try #require(ImageEncoding.losslessWebP().data(of: image))
        let near = try #require(ImageEncoding.losslessWebP(quality: 0.6).data(of: image))
        #expect(near.count < exact.count)
        let decoded = try #require(KFCrossPlatformImage(data: near))
        let distance = zip(Self.bytes(decoded), Self.bytes(image)).map { abs(Int($0) - Int($1)) }
        // Two bits.
        #expect((1...4).contains(distance.max() ?? 255))
        #expect(
            ImageEncoding.losslessWebP(quality: 0.6).identifier
                != ImageEncoding.losslessWebP().identifier
        )
    }

    @Test func `the samples of colour are chosen, or follow the quality`() throws {
        let image = try Self.image()
        // The factors of the first component in the header of a frame: 2 × 2 or 1 × 1.
        func factors(_ encoding: ImageEncoding) throws -> UInt8 {
            let file = try #require(encoding.data(of: image))
            let frame = try #require(file.range(of: Data([0xFF, 0xC0])))
            return file[frame.upperBound + 9]
        }
        #expect(try factors(.jpeg(quality: 0.8)) == 0x22)
        #expect(try factors(.jpeg(quality: 0.9)) == 0x22)
        #expect(try factors(.jpeg(quality: 0.91)) == 0x11)
        #expect(try factors(.jpeg(quality: 0.95)) == 0x11)
        #expect(try factors(.jpeg(quality: 0.8).subsamplingChroma(false)) == 0x11)
        #expect(try factors(.jpeg(quality: 0.95).subsamplingChroma(true)) == 0x22)
        let identifiers = [
            ImageEncoding.jpeg(), .jpeg().subsamplingChroma(false), .jpeg().subsamplingChroma(true),
        ].map(\.identifier)
        #expect(Set(identifiers).count == 3)
        #expect(ImageEncoding.png.subsamplingChroma(true) == .png)
    }

    @Test func `the effort is part of the identifier`() {
        let identifiers = Set(
            [ImageEncoding.webp(), .webp(effort: 0), .webp(effort: 6)].map(\.identifier)
        )
        #expect(identifiers.count == 3)
        #expect(!ImageEncoding.webp().identifier.contains("effort"))
    }
}
