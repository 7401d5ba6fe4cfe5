import Foundation
import KFCodecs
import KFPixels

/// Unpacks the image that a worker has sent; nothing in it is believed.
///
/// The pixels are borrowed from the memory, without a copy.
struct ImageUnpacker {
    /// The file of the request.
    let file: Data
    /// What the answer may contain.
    let rules: ParcelRules
    /// Makes the source of an animation's further frames.
    let frames: (Data, ImageParcel.Timing, CGFloat) -> any UntrustedFrames

    /// The image.
    ///
    /// - Throws: ``WireError`` if no worker sends such a parcel.
    func image(in parcel: ImageParcel) throws(WireError) -> KFCrossPlatformImage {
        let body = try parcel.body.bytes(maxBytes: rules.limits.maxParcelBytes)
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
        if let main, !rules.limits.scope.allows(main.size) {
            throw WireError("an image of \(main.size) is above the limits")
        }
        let scale = try Self.scale(&reader)
        let duration = try Self.seconds(&reader)
        let images = try reader.optional { reader throws(WireError) in
            try Self.images(&reader, rasters, size: main?.size)
        }
        var state = AttachedState()
        state.file = try attachedFile(&reader, body)
        try readAnimation(into: &state, &reader, scale: scale, images)
        state.colorProfile = try profile(&reader, body)
        state.isTruncated = try reader.bool()
        guard !state.isTruncated || rules.acceptsTruncated else {
            throw WireError("a truncated file was not asked for")
        }
        try reader.end()
        guard state.file == nil || main != nil else { throw WireError("a file has no pixels") }
        return KFCrossPlatformImage(
            bitmap: main,
            scale: scale,
            images: images,
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
        // The image, and its frames.
        for _ in 0..<(try reader.int(in: 0...(ImageParcel.maxFrames + 1))) {
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

    private static func images(
        _ reader: inout WireReader,
        _ rasters: [Bitmap],
        size: PixelSize?
    ) throws(WireError) -> [KFCrossPlatformImage] {
        var images: [KFCrossPlatformImage] = []
        for _ in 0..<(try reader.int(in: 0...ImageParcel.maxFrames)) {
            let bitmap = try choice(of: rasters, &reader)
            guard bitmap.size == size else { throw WireError("frames have several sizes") }
            images.append(KFCrossPlatformImage(bitmap: bitmap, scale: try scale(&reader)))
        }
        return images
    }

    /// The attached file, which is marked: no code of this process decodes it.
    private func attachedFile(
        _ reader: inout WireReader,
        _ body: SharedBytes
    ) throws(WireError) -> AnimationFile? {
        switch ImageParcel.File(rawValue: try reader.int(in: 0...2)) {
        case .request:
            guard rules.keepsRequestFile else { throw WireError("a still image has a file") }
            return AnimationFile(data: file, isUntrusted: true)
        case .parcel:
            let place = try ImageParcel.Place(from: &reader)
            let data = Data(try body.slice(offset: place.offset, count: place.count))
            guard let format = Codecs.format(of: data), rules.fileFormats.contains(format) else {
                throw WireError("its file is none that was asked for")
            }
            return AnimationFile(data: data, isUntrusted: true)
        default: return nil
        }
    }

    /// The values of an animation, which have to agree with each other and with the request.
    private func readAnimation(
        into state: inout AttachedState,
        _ reader: inout WireReader,
        scale: CGFloat,
        _ images: [KFCrossPlatformImage]?
    ) throws(WireError) {
        let frameCount = try reader.optional { reader throws(WireError) in
            try reader.int(in: 1...ImageParcel.maxFrames)
        }
        let creating = try reader.optional { reader throws(WireError) in
            ImageCreatingOptions(
                scale: try Self.scale(&reader),
                duration: try Self.seconds(&reader),
                preloadAll: try reader.bool(),
                onlyFirstFrame: try reader.bool()
            )
        }
        let timing = try reader.optional { reader throws(WireError) in
            try Self.timing(&reader)
        }
        guard let file = state.file else {
            guard frameCount == nil, creating == nil, timing == nil, images == nil else {
                throw WireError("an animation has no file")
            }
            return
        }
        guard let frameCount, let creating, rules.allow(creating) else {
            throw WireError("the animation is not that of the options")
        }
        state.frameCount = frameCount
        state.creatingOptions = creating
        guard !creating.onlyFirstFrame else {
            guard timing == nil, images == nil else { throw WireError("there are further frames") }
            return
        }
        guard let timing, timing.delays.count == frameCount,
            creating.preloadAll ? images?.count == frameCount : images == nil
        else { throw WireError("the number of frames is not \(frameCount)") }
        if let images {
            state.decodedFrames = DecodedFrames(
                images: images,
                delays: timing.delays,
                loopCount: timing.loopCount
            )
        } else {
            state.frameSource = frames(file.data, timing, scale)
        }
    }

    private static func timing(
        _ reader: inout WireReader
    ) throws(WireError) -> ImageParcel.Timing {
        var delays: [TimeInterval] = []
        for _ in 0..<(try reader.int(in: 1...ImageParcel.maxFrames)) {
            delays.append(try seconds(&reader))
        }
        return ImageParcel.Timing(
            delays: delays,
            loopCount: try reader.int(in: 0...Int(Int32.max))
        )
    }

    private func profile(
        _ reader: inout WireReader,
        _ body: SharedBytes
    ) throws(WireError) -> Data? {
        try reader.optional { reader throws(WireError) in
            guard rules.keepsProfile else { throw WireError("an image in sRGB has a profile") }
            let place = try ImageParcel.Place(from: &reader)
            guard (128...ProfileScope.maxByteCount).contains(place.count) else {
                throw WireError("a profile does not have \(place.count) bytes")
            }
            return Data(try body.slice(offset: place.offset, count: place.count))
        }
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
