import CKFIsolationShim
import Foundation
import KFPixels
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
        let unpacker = ImageUnpacker(file: Self.file, rules: .still(limits)) {
            data,
            timing,
            scale in
            IsolatedFrameSource(data, timing, scale: scale, WorkerBench.idle)
        }
        return try unpacker.image(in: parcel)
    }

    /// A parcel with room for an image of 720 × 720 pixels in shared memory.
    private static func packed(_ image: KFCrossPlatformImage) throws -> ImageParcel {
        let storage = try PixelStorage(byteCount: 720 * 720 * 4 + 1000)
        let bytes = UnsafeMutableRawBufferPointer(start: storage.base, count: storage.byteCount)
        return try ImagePacker.pack(image, of: file, in: ResultRoom(bytes: bytes, owner: storage))
    }

    private static func bytes(of parcel: ImageParcel) throws -> [UInt8] {
        guard case .bytes(let bytes) = parcel.body else { throw WireError("it is sealed") }
        return Array(bytes.bytes)
    }

    private static func picture() throws -> KFCrossPlatformImage {
        KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 13, height: 7), scale: 2)
    }

    @Test func `an image comes out as it was packed`() throws {
        let image = try Self.picture()
        let parcel = try Self.packed(image)
        let copy = try unpacked(parcel)
        #expect(copy.bitmap == image.bitmap)
        #expect(copy.scale == 2)
        #expect(copy.images == nil)
    }

    @Test(arguments: [127, 128, 129, 256, 800])
    func `an image of any size comes out as it was packed`(side: Int) throws {
        let bitmap = TestImage.bitmap(width: side, height: side)
        let parcel = try Self.packed(KFCrossPlatformImage(bitmap: bitmap))
        if case .memory = parcel.body { #expect(side == 800) } else { #expect(side < 800) }
        #expect(try unpacked(parcel).bitmap == bitmap)
    }

    @Test func `an image that is one of no pixels is refused`() throws {
        var description = WireWriter()
        description.write(0)
        description.write(0 as Int?) { $0.write($1) }
        let bytes = Data(description.bytes)
        let parcel = ImageParcel(
            place: ImageParcel.Place(offset: 0, count: bytes.count),
            body: .bytes(try Forgery.bytes(bytes))
        )
        #expect(throws: WireError("there are no pixels")) { try unpacked(parcel) }
    }

    @Test func `an image without a body, with two, or with one that may change, is refused`() throws
    {
        let sealed = try SealedMemory.holding(Data(count: 100_000))
        let message = IsolatedAnswer.image(
            ImageParcel(place: ImageParcel.Place(offset: 0, count: 8), body: .memory(sealed))
        ).message()
        for memory in [[], [sealed, sealed]] {
            #expect(throws: WireError.self) {
                try IsolatedAnswer(WorkerMessage(bytes: message.bytes, memory: memory))
            }
        }
        let bytes = try SealedMapping(sealed, maxBytes: .max).shared
        #expect(throws: WireError.self) {
            try IsolatedAnswer(
                WorkerMessage(bytes: message.bytes, memory: [sealed], result: bytes)
            )
        }
        let descriptor = kf_memory_create()
        #expect(ftruncate(descriptor, 100_000) == 0)
        let open = ImageParcel(
            place: ImageParcel.Place(offset: 0, count: 8),
            body: .memory(.adopting(descriptor))
        )
        #expect(throws: WireError("the memory is not sealed")) { try unpacked(open) }
    }

    @Test func `an empty image comes out empty`() throws {
        let parcel = try Self.packed(KFCrossPlatformImage())
        #expect(try unpacked(parcel).bitmap == nil)
    }

    @Test func `an image above the limits is refused, whatever the worker thinks of it`() throws {
        let parcel = try Self.packed(try Self.picture())
        #expect(throws: WireError.self) {
            try unpacked(parcel, limits: ResultLimits(maxPixelCount: 90))
        }
        #expect(throws: WireError.self) {
            try unpacked(parcel, limits: ResultLimits(maxSide: 12))
        }
    }

    @Test func `a description that lies outside is refused`() throws {
        let parcel = try Self.packed(try Self.picture())
        let place = parcel.place
        for (offset, count) in [(place.offset, place.count + 1), (.max, .max), (0, Int.max)] {
            var wrong = parcel
            wrong.place = ImageParcel.Place(offset: offset, count: count)
            #expect(throws: WireError.self) { try unpacked(wrong) }
        }
    }

    @Test func `descriptions with a changed byte give an image inside the memory or an error`()
        throws
    {
        var parcel = try Self.packed(try Self.picture())
        let whole = try Self.bytes(of: parcel)
        let place = parcel.place
        var refused = 0
        for index in place.offset..<whole.count {
            for value: UInt8 in [0, 1, 0x7f, 0x80, 0xff] where value != whole[index] {
                var bytes = whole
                bytes[index] = value
                do {
                    let memory = try SealedMemory.holding(Data(bytes))
                    parcel.body = .memory(memory)
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
