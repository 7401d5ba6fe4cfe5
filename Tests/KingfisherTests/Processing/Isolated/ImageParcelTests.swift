import CIsolationShim
import Foundation
import Pixels
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A parcel from a worker gives an image of the right size, or is rejected.
struct ImageParcelTests {
    private static let file = Data("the file".utf8)

    private func unpacked(
        _ parcel: ImageParcel,
        limits: ResultLimits = .default
    ) throws -> KFCrossPlatformImage {
        let unpacker = ImageUnpacker(file: Self.file, limits: limits) { data, timing, scale in
            IsolatedFrameSource(data, timing, scale: scale, WorkerBench.idle)
        }
        return try unpacker.image(in: parcel)
    }

    private static func picture() throws -> KFCrossPlatformImage {
        KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 13, height: 7), scale: 2)
    }

    @Test func `an image comes out as it was packed`() throws {
        let image = try Self.picture()
        let parcel = try ImagePacker.pack(image, of: Self.file)
        let copy = try unpacked(parcel)
        #expect(copy.bitmap == image.bitmap)
        #expect(copy.scale == 2)
        #expect(copy.images == nil)
    }

    @Test(arguments: [127, 128, 129, 256, 800])
    func `an image of any size comes out as it was packed`(side: Int) throws {
        let bitmap = TestImage.bitmap(width: side, height: side)
        let parcel = try ImagePacker.pack(KFCrossPlatformImage(bitmap: bitmap), of: Self.file)
        #expect((parcel.memory == nil) == (side == 127))
        #expect(try unpacked(parcel).bitmap == bitmap)
    }

    @Test func `a bitmap in memory that can be sealed is handed over without a copy`() throws {
        let size = PixelSize(width: 200, height: 150)
        let memory = try #require(SealableMemory(byteCount: size.byteCount))
        memory.base.storeBytes(of: 0x0102_03ff, as: UInt32.self)
        let storage = PixelStorage(
            borrowing: memory.base,
            byteCount: size.byteCount,
            from: memory
        )
        let bitmap = Bitmap(size: size, bytesPerRow: 800, isOpaque: false, storage: storage)
        let image = KFCrossPlatformImage(bitmap: bitmap)
        let parcel = try ImagePacker.pack(image, of: Self.file)
        #expect(parcel.place == nil)
        #expect(parcel.memory?.size == size.byteCount)
        let copy = try #require(try unpacked(parcel).bitmap)
        #expect(copy == bitmap)
        // An animation's canvas may be written again: that is seen by nobody else.
        memory.base.storeBytes(of: 7, as: UInt32.self)
        #expect(copy != bitmap)
        // The second time it is copied.
        #expect(try unpacked(ImagePacker.pack(image, of: Self.file)).bitmap == bitmap)
    }

    @Test func `an image of two memories, or with memory that may change, is refused`() throws {
        let sealed = try SealedMemory.holding(Data(count: 100_000))
        let message = IsolatedAnswer.image(
            ImageParcel(place: ImageParcel.Place(offset: 0, count: 8), memory: sealed)
        ).message()
        #expect(throws: WireError.self) {
            try IsolatedAnswer(WorkerMessage(bytes: message.bytes, memory: [sealed, sealed]))
        }
        let descriptor = kf_memory_create()
        #expect(ftruncate(descriptor, 100_000) == 0)
        let open = ImageParcel(
            place: ImageParcel.Place(offset: 0, count: 8),
            memory: .adopting(descriptor)
        )
        #expect(throws: WireError("the memory is not sealed")) { try unpacked(open) }
    }

    @Test func `an empty image comes out empty`() throws {
        let parcel = try ImagePacker.pack(KFCrossPlatformImage(), of: Self.file)
        #expect(try unpacked(parcel).bitmap == nil)
    }

    @Test func `an image above the limits is refused, whatever the worker thinks of it`() throws {
        let parcel = try ImagePacker.pack(try Self.picture(), of: Self.file)
        #expect(throws: WireError.self) {
            try unpacked(parcel, limits: ResultLimits(maxPixelCount: 90))
        }
        #expect(throws: WireError.self) {
            try unpacked(parcel, limits: ResultLimits(maxSide: 12))
        }
    }

    @Test func `a description that lies outside is refused`() throws {
        let parcel = try ImagePacker.pack(try Self.picture(), of: Self.file)
        let place = try #require(parcel.place)
        for (offset, count) in [(place.offset, place.count + 1), (.max, .max), (0, Int.max)] {
            var wrong = parcel
            wrong.place = ImageParcel.Place(offset: offset, count: count)
            #expect(throws: WireError.self) { try unpacked(wrong) }
        }
    }

    @Test(arguments: [false, true])
    func `descriptions with a changed byte give an image inside the memory or an error`(
        inMemory: Bool
    ) throws {
        var parcel = try ImagePacker.pack(try Self.picture(), of: Self.file)
        let whole = parcel.inline
        let place = try #require(parcel.place)
        var refused = 0
        for index in place.offset..<whole.count {
            for value: UInt8 in [0, 1, 0x7f, 0x80, 0xff] where value != whole[index] {
                var bytes = whole
                bytes[index] = value
                do {
                    parcel.inline = inMemory ? [] : bytes
                    parcel.memory = inMemory ? try SealedMemory.holding(Data(bytes)) : nil
                    let image = try unpacked(parcel)
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
