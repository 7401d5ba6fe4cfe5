import Codecs
import Foundation
import Pixels

/// An image on its way from a worker: pixels, and their description.
///
/// The body is `pixels of a bitmap │ … │ file of an animation │ description`.
struct ImageParcel: Sendable {
    /// Where the description lies in the body.
    var place: Place
    var body: Body

    enum Body: Sendable {
        /// In the worker, those in ``ExchangeMemory``; in the program, a copy.
        case bytes(SharedBytes)
        /// More bytes than fit there.
        case memory(SealedMemory)
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
    init(from reader: inout WireReader, _ message: WorkerMessage) throws(WireError) {
        place = try Place(from: &reader)
        switch (message.result, message.memory.first, message.memory.count) {
        case (let bytes?, nil, _): body = .bytes(bytes)
        case (nil, let memory?, 1): body = .memory(memory)
        default: throw WireError("an image has one body")
        }
    }

    /// The body.
    ///
    /// - Throws: ``WireError`` when the memory is not final, or larger than an image may be.
    fileprivate func body(maxBytes: Int) throws(WireError) -> SharedBytes {
        switch body {
        case .bytes(let bytes): bytes
        case .memory(let memory): try SealedMapping(memory, maxBytes: maxBytes).shared
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
        let place = parcel.place
        let description = try body.slice(offset: place.offset, count: place.count)
        defer { withExtendedLifetime(body) {} }
        return try image(in: body, WireReader(description))
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
        var state = try state(&reader, body, scale: scale)
        state.colorProfile = try reader.optional { reader throws(WireError) in
            let place = try ImageParcel.Place(from: &reader)
            guard (128...ProfileScope.maxByteCount).contains(place.count) else {
                throw WireError("a profile does not have \(place.count) bytes")
            }
            return Data(try body.slice(offset: place.offset, count: place.count))
        }
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
