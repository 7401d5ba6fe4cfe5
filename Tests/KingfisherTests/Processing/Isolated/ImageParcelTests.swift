import Foundation
import Pixels
import TestSupport
import Testing

@testable import Kingfisher

/// A parcel from a worker gives an image of the right size, or is rejected.
struct ImageParcelTests {
    private static let file = Data("the file".utf8)

    private func unpacked(
        _ memory: SealedMemory,
        _ place: ImageParcel.Place,
        limits: ResultLimits = .default
    ) throws -> KFCrossPlatformImage {
        let unpacker = ImageUnpacker(file: Self.file, limits: limits) { data, timing, scale in
            IsolatedFrameSource(data, timing, scale: scale, WorkerBench.idle)
        }
        return try unpacker.image(in: SealedMapping(memory, maxBytes: 1 << 30), at: place)
    }

    private static func picture() throws -> KFCrossPlatformImage {
        KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 13, height: 7), scale: 2)
    }

    @Test func `an image comes out as it was packed`() throws {
        let image = try Self.picture()
        let (memory, place) = try ImagePacker.pack(image, of: Self.file)
        let copy = try unpacked(memory, place)
        #expect(copy.bitmap == image.bitmap)
        #expect(copy.scale == 2)
        #expect(copy.images == nil)
    }

    @Test func `an empty image comes out empty`() throws {
        let (memory, place) = try ImagePacker.pack(KFCrossPlatformImage(), of: Self.file)
        #expect(try unpacked(memory, place).bitmap == nil)
    }

    @Test func `an image above the limits is refused, whatever the worker thinks of it`() throws {
        let (memory, place) = try ImagePacker.pack(try Self.picture(), of: Self.file)
        #expect(throws: WireError.self) {
            try unpacked(memory, place, limits: ResultLimits(maxPixelCount: 90))
        }
        #expect(throws: WireError.self) {
            try unpacked(memory, place, limits: ResultLimits(maxSide: 12))
        }
    }

    @Test func `a description that lies outside is refused`() throws {
        let (memory, place) = try ImagePacker.pack(try Self.picture(), of: Self.file)
        for (offset, count) in [(place.offset, place.count + 1), (.max, .max), (0, Int.max)] {
            let wrong = ImageParcel.Place(offset: offset, count: count)
            #expect(throws: WireError.self) { try unpacked(memory, wrong) }
        }
    }

    @Test func `descriptions with a changed byte give an image inside the memory or an error`()
        throws
    {
        let (memory, place) = try ImagePacker.pack(try Self.picture(), of: Self.file)
        let mapping = try SealedMapping(memory, maxBytes: 1 << 20)
        let whole = Array(mapping.bytes)
        var refused = 0
        for index in place.offset..<whole.count {
            for value: UInt8 in [0, 1, 0x7f, 0x80, 0xff] where value != whole[index] {
                var bytes = whole
                bytes[index] = value
                do {
                    let image = try unpacked(try SealedMemory.holding(Data(bytes)), place)
                    // Every pixel of an accepted image can be read.
                    if let bitmap = image.bitmap { #expect(bitmap == bitmap) }
                } catch is WireError {
                    refused += 1
                }
            }
        }
        #expect(refused > 100)
    }

    @Test func `pixels that no decoder makes are drawn, encoded and hashed without harm`() throws {
        var random = SplitMix(seed: 3)
        // Colour above alpha, and transparency in an image marked as opaque.
        let bitmap = try Bitmap(
            size: PixelSize(width: 31, height: 17),
            isOpaque: true,
            filling: {
                for index in 0..<(31 * 17 * 4) {
                    $0[index] = UInt8(truncatingIfNeeded: random.next())
                }
                _ = $1
            }
        )
        for isOpaque in [true, false] {
            let wild = Bitmap(
                size: bitmap.size,
                bytesPerRow: bitmap.bytesPerRow,
                isOpaque: isOpaque,
                storage: bitmap.storage
            )
            let image = KFCrossPlatformImage(bitmap: wild)
            for golden in GoldenCase.all {
                _ = golden.processor.process(
                    item: .image(image),
                    options: KingfisherParsedOptionsInfo([])
                )
            }
            for format in [ImageFormat.PNG, .JPEG, .WebP, .GIF] {
                _ = image.kf.data(format: format, compressionQuality: 0.5)
            }
            #expect(image.kf.pngRepresentation() != nil)
        }
    }
}
