import Codecs
import Foundation
import Pixels

/// An image on its way from a worker: pixels, and their description.
///
/// The body is `pixels of a bitmap │ … │ file of an animation │ description`, in sealed memory or,
/// if it is small, in the message. A bitmap that was decoded into memory that can be sealed is a
/// body by itself; then the description is in the message.
struct ImageParcel: Sendable {
    /// Where the description lies in the body; nil when it is in the message.
    var place: Place?
    /// The part in the message: the description, or the body.
    var inline: [UInt8] = []
    /// The body, unless it is in the message.
    var memory: SealedMemory?

    func write(to writer: inout WireWriter) {
        writer.write(place) { $1.write(to: &$0) }
        writer.write(bytes: inline)
    }

    /// A range of the body.
    struct Place: Sendable {
        var offset: Int
        var count: Int

        func write(to writer: inout WireWriter) {
            writer.write(offset)
            writer.write(count)
        }

        init(offset: Int, count: Int) {
            self.offset = offset
            self.count = count
        }

        init(from reader: inout WireReader) throws(WireError) {
            offset = try reader.int(in: 0...Int.max)
            count = try reader.int(in: 0...Int.max)
        }
    }

    /// The values in an animation's file, so that it need not be read again.
    struct Timing: Sendable {
        var delays: [TimeInterval]
        /// 0 repeats forever.
        var loopCount: Int
    }

    /// The file that an animation was made from.
    enum File: Int {
        case none, request, parcel
    }

    /// A cache line, and enough for any SIMD load.
    static let alignment = 64
    static let maxFrames = 1 << 20
}

extension ImageParcel {
    /// Reads a parcel; the ``ImageUnpacker`` checks its contents.
    ///
    /// - Throws: ``WireError``.
    init(from reader: inout WireReader, _ memory: [SealedMemory]) throws(WireError) {
        guard memory.count <= 1 else {
            throw WireError("\(memory.count) memories came with an image")
        }
        place = try reader.optional(Place.init(from:))
        inline = reader.rest()
        self.memory = memory.first
    }

    /// The body.
    ///
    /// - Throws: ``WireError`` when the memory is not final, or larger than an image may be.
    fileprivate func body(maxBytes: Int) throws(WireError) -> SharedBytes {
        guard let memory else { return try Self.shared(inline) }
        return try SealedMapping(memory, maxBytes: maxBytes).shared
    }

    /// The description, which lies in the body or beside it.
    fileprivate func description(in body: SharedBytes) throws(WireError) -> SharedBytes {
        guard let place else { return try Self.shared(inline) }
        let bytes = try body.slice(offset: place.offset, count: place.count)
        return SharedBytes(bytes: bytes, owner: body.owner)
    }

    /// Bytes of a message, copied to where pixels may lie.
    private static func shared(_ bytes: [UInt8]) throws(WireError) -> SharedBytes {
        do throws(PixelError) {
            let storage = try PixelStorage(byteCount: bytes.count)
            bytes.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(start: storage.base, count: bytes.count)
                    .copyMemory(from: $0)
            }
            let copy = UnsafeRawBufferPointer(start: storage.base, count: bytes.count)
            return SharedBytes(bytes: copy, owner: storage)
        } catch {
            throw WireError("there is no memory for \(bytes.count) bytes")
        }
    }
}

/// Unpacks the image that a worker has sent; nothing in it is believed.
///
/// The pixels are borrowed from the memory, without a copy.
struct ImageUnpacker {
    /// The file of the request.
    let file: Data
    /// Which sizes the image may have.
    let limits: ResultLimits
    /// Makes the source of an animation's further frames.
    let frames: (Data, ImageParcel.Timing, CGFloat) -> any ImageFrameSource

    /// The image.
    ///
    /// - Throws: ``WireError`` if no worker sends such a parcel.
    func image(in parcel: ImageParcel) throws(WireError) -> KFCrossPlatformImage {
        let body = try parcel.body(maxBytes: limits.maxParcelBytes)
        let description = try parcel.description(in: body)
        defer { withExtendedLifetime(description) {} }
        return try image(in: body, WireReader(description.bytes))
    }

    private func image(
        in body: SharedBytes,
        _ description: WireReader
    ) throws(WireError) -> KFCrossPlatformImage {
        var reader = description
        let rasters = try rasters(&reader, body)
        let main = try reader.optional { reader throws(WireError) in
            try Self.choice(of: rasters, &reader)
        }
        if let main, !limits.scope.allows(main.size) {
            throw WireError("an image of \(main.size) is above the limits")
        }
        let scale = try Self.scale(&reader)
        let duration = try Self.seconds(&reader)
        let frames = try reader.optional { reader throws(WireError) in
            var frames: [KFCrossPlatformImage] = []
            for _ in 0..<(try reader.int(in: 0...ImageParcel.maxFrames)) {
                let bitmap = try Self.choice(of: rasters, &reader)
                frames.append(KFCrossPlatformImage(bitmap: bitmap, scale: try Self.scale(&reader)))
            }
            return frames
        }
        let state = try state(&reader, body, scale: scale)
        try reader.end()
        return KFCrossPlatformImage(
            bitmap: main,
            scale: scale,
            images: frames,
            duration: duration,
            attached: state
        )
    }

    private func rasters(
        _ reader: inout WireReader,
        _ body: SharedBytes
    ) throws(WireError) -> [Bitmap] {
        let sides = 1...PixelLimits.maxDimension
        var rasters: [Bitmap] = []
        for _ in 0..<(try reader.int(in: 0...ImageParcel.maxFrames)) {
            let size = PixelSize(
                width: try reader.int(in: sides),
                height: try reader.int(in: sides)
            )
            let isOpaque = try reader.bool()
            let offset = try reader.int(in: 0...body.bytes.count)
            guard offset % ImageParcel.alignment == 0 else {
                throw WireError("pixels at \(offset) are not aligned")
            }
            rasters.append(try body.bitmap(size, offset: offset, isOpaque: isOpaque))
        }
        return rasters
    }

    private func state(
        _ reader: inout WireReader,
        _ body: SharedBytes,
        scale: CGFloat
    ) throws(WireError) -> AttachedState {
        var state = AttachedState()
        switch ImageParcel.File(rawValue: try reader.int(in: 0...2)) {
        case .request: state.animatedData = file
        case .parcel:
            let place = try ImageParcel.Place(from: &reader)
            state.animatedData = Data(try body.slice(offset: place.offset, count: place.count))
        default: break
        }
        state.frameCount = try reader.optional { reader throws(WireError) in
            try reader.int(in: 1...ImageParcel.maxFrames)
        }
        state.creatingOptions = try reader.optional { reader throws(WireError) in
            ImageCreatingOptions(
                scale: try Self.scale(&reader),
                duration: try Self.seconds(&reader),
                preloadAll: try reader.bool(),
                onlyFirstFrame: try reader.bool()
            )
        }
        let timing = try reader.optional { reader throws(WireError) in
            var delays: [TimeInterval] = []
            for _ in 0..<(try reader.int(in: 1...ImageParcel.maxFrames)) {
                delays.append(try Self.seconds(&reader))
            }
            return ImageParcel.Timing(
                delays: delays,
                loopCount: try reader.int(in: 0...Int(Int32.max))
            )
        }
        if let timing {
            guard let data = state.animatedData else {
                throw WireError("an animation has no file")
            }
            state.frameSource = frames(data, timing, scale)
        }
        return state
    }

    private static func choice(
        of rasters: [Bitmap],
        _ reader: inout WireReader
    ) throws(WireError) -> Bitmap {
        guard !rasters.isEmpty else { throw WireError("there are no pixels") }
        return rasters[try reader.int(in: 0...(rasters.count - 1))]
    }

    private static func scale(_ reader: inout WireReader) throws(WireError) -> CGFloat {
        let scale = try reader.double()
        guard scale > 0, scale.isFinite else { throw WireError("\(scale) is no scale") }
        return CGFloat(scale)
    }

    private static func seconds(_ reader: inout WireReader) throws(WireError) -> TimeInterval {
        let seconds = try reader.double()
        // A single frame is shown forever.
        guard seconds >= 0 else { throw WireError("\(seconds) is no duration") }
        return seconds
    }
}

extension ResultLimits {
    /// The most bytes that the answer of a worker may have: one image, an animation and a file.
    ///
    /// Mapping more would take memory for a body that cannot be an image.
    fileprivate var maxParcelBytes: Int {
        let limits = DecodeLimits.default
        return max(0, maxPixelCount).multipliedSaturating(by: Bitmap.bytesPerPixel)
            .addingSaturating(limits.maxAnimationBytes)
            .addingSaturating(limits.maxInputBytes)
    }
}
