import Foundation
import KFPixels
import Synchronization

/// Packs an image in a worker.
struct ImagePacker {
    private var parts: [UnsafeRawBufferPointer] = []
    private var length = 0
    private var rasters: [(bitmap: Bitmap, offset: Int)] = []

    /// Packs an image.
    ///
    /// - Parameters:
    ///   - image: The result of the request.
    ///   - file: The bytes of the request, which are not sent back.
    ///   - room: The place for a body that fits.
    /// - Returns: The parcel.
    /// - Throws: ``WorkerFailure/noMemory(errno:)``.
    static func pack(
        _ image: KFCrossPlatformImage,
        of file: Data?,
        in room: ResultRoom
    ) throws(WorkerFailure) -> ImageParcel {
        var packer = ImagePacker()
        let state = image.attached.withLock { $0 }
        let main = image.bitmap.map { packer.add($0) }
        let frames = image.images?.map { ($0.bitmap.map { packer.add($0) } ?? 0, $0.scale) }
        var own: (offset: Int, count: Int)?
        if let data = state.file?.data, data != file {
            own = (packer.length, data.count)
            // Kept by the image until the memory is written.
            data.withUnsafeBytes { packer.append($0) }
        }
        let profile = state.colorProfile.map { (offset: packer.length, bytes: $0) }
        profile?.bytes.withUnsafeBytes { packer.append($0) }
        var description = WireWriter()
        packer.describeRasters(to: &description)
        description.write(main) { $0.write($1) }
        description.write(Double(image.scale))
        description.write(image.duration)
        description.write(frames) { writer, frames in
            writer.write(frames.count)
            for (raster, scale) in frames {
                writer.write(raster)
                writer.write(Double(scale))
            }
        }
        describe(state, own: own, to: &description)
        description.write(profile) { writer, profile in
            ImageParcel.Place(offset: profile.offset, count: profile.bytes.count).write(to: &writer)
        }
        description.write(state.isTruncated)
        defer { withExtendedLifetime((image, state)) {} }
        return try packer.parcel(with: description.bytes, room)
    }

    private func parcel(
        with description: [UInt8],
        _ room: ResultRoom
    ) throws(WorkerFailure) -> ImageParcel {
        let place = ImageParcel.Place(offset: length, count: description.count)
        let body = description.withUnsafeBytes { bytes in
            Result { () throws(WorkerFailure) -> ImageParcel.Body in
                try ImageParcel.Body(parts + [bytes], in: room)
            }
        }
        return ImageParcel(place: place, body: try body.get())
    }

    private func describeRasters(to description: inout WireWriter) {
        description.write(rasters.count)
        for (bitmap, offset) in rasters {
            description.write(bitmap.width)
            description.write(bitmap.height)
            description.write(bitmap.isOpaque)
            description.write(offset)
        }
    }

    private static func describe(
        _ state: AttachedState,
        own: (offset: Int, count: Int)?,
        to description: inout WireWriter
    ) {
        let file: ImageParcel.File =
            own != nil ? .parcel : state.file != nil ? .request : .none
        description.write(file.rawValue)
        if let own {
            description.write(own.offset)
            description.write(own.count)
        }
        description.write(state.frameCount) { $0.write($1) }
        description.write(state.creatingOptions) { writer, options in
            writer.write(Double(options.scale))
            writer.write(options.duration)
            writer.write(options.preloadAll)
            writer.write(options.onlyFirstFrame)
        }
        let frames: (any ImageFrameSource)? = state.frameSource ?? state.decodedFrames
        description.write(frames) { writer, source in
            writer.write(source.frameCount)
            for index in 0..<source.frameCount { writer.write(source.duration(at: index)) }
            writer.write((source as? any LoopCounting)?.loopCount ?? 0)
        }
    }

    /// Adds a bitmap, once, and gives its place in the list.
    private mutating func add(_ bitmap: Bitmap) -> Int {
        if let known = rasters.firstIndex(where: { $0.bitmap.storage === bitmap.storage }) {
            return known
        }
        rasters.append((bitmap, length))
        for row in bitmap.rows { append(row) }
        let padding =
            (ImageParcel.alignment - length % ImageParcel.alignment)
            % ImageParcel.alignment
        if padding > 0 { append(Self.zeros(padding)) }
        return rasters.count - 1
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        parts.append(bytes)
        length += bytes.count
    }

    private static func zeros(_ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: UnsafeRawPointer(zeroBytes.base), count: count)
    }

    private static let zeroBytes: PixelStorage = {
        // 64 bytes are there, or nothing is.
        guard let zeros = try? PixelStorage(byteCount: ImageParcel.alignment) else {
            fatalError("no memory for 64 bytes")
        }
        return zeros
    }()
}
