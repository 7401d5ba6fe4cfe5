import Foundation
import Pixels
import Synchronization

/// An image on its way from a worker: its pixels in sealed memory, and behind them what they are.
///
/// ```
/// pixels of a bitmap │ … │ file of an animation │ description
/// ```
enum ImageParcel {
    /// Where the description lies in the memory.
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

    /// What an animation's file says, so that it need not be read again.
    struct Timing: Sendable {
        var delays: [TimeInterval]
        /// 0 for ever.
        var loopCount: Int
    }

    /// The file that an animation was made from.
    fileprivate enum File: Int {
        case none, request, parcel
    }

    /// A cache line, and enough for any SIMD load.
    fileprivate static let alignment = 64
    fileprivate static let maxFrames = 1 << 20
}

// MARK: - Packing

/// Packs an image in a worker.
struct ImagePacker {
    private var parts: [UnsafeRawBufferPointer] = []
    private var length = 0
    private var rasters: [(bitmap: Bitmap, offset: Int)] = []

    /// Packs an image.
    ///
    /// - Parameters:
    ///   - image: What was made.
    ///   - file: The bytes of the request, which are not sent back.
    /// - Returns: The memory, and where its description lies.
    /// - Throws: ``WorkerFailure/noMemory(errno:)``.
    static func pack(
        _ image: KFCrossPlatformImage,
        of file: Data?
    ) throws(WorkerFailure) -> (SealedMemory, ImageParcel.Place) {
        var packer = ImagePacker()
        let state = image.attached.withLock { $0 }
        let main = image.bitmap.map { packer.add($0) }
        let frames = image.images?.map { ($0.bitmap.map { packer.add($0) } ?? 0, $0.scale) }
        var own: (offset: Int, count: Int)?
        if let data = state.animatedData, data != file {
            own = (packer.length, data.count)
            // Kept by the image until the memory is written.
            data.withUnsafeBytes { packer.append($0) }
        }
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
        let place = ImageParcel.Place(offset: packer.length, count: description.bytes.count)
        let memory = try packer.sealed(with: description.bytes)
        withExtendedLifetime((image, state)) {}
        return (memory, place)
    }

    private func sealed(with description: [UInt8]) throws(WorkerFailure) -> SealedMemory {
        let result = description.withUnsafeBytes { bytes in
            Result { () throws(WorkerFailure) in try SealedMemory(parts + [bytes]) }
        }
        return try result.get()
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
            own != nil ? .parcel : state.animatedData != nil ? .request : .none
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
        description.write(state.frameSource) { writer, source in
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

// MARK: - Unpacking

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
    /// - Throws: ``WireError`` when the parcel is not what a worker sends.
    func image(
        in mapping: SealedMapping,
        at place: ImageParcel.Place
    ) throws(WireError) -> KFCrossPlatformImage {
        let description = try mapping.slice(offset: place.offset, count: place.count)
        var reader = WireReader(description)
        let rasters = try rasters(&reader, mapping)
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
        let state = try state(&reader, mapping, scale: scale)
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
        _ mapping: SealedMapping
    ) throws(WireError) -> [Bitmap] {
        let sides = 1...PixelLimits.maxDimension
        var rasters: [Bitmap] = []
        for _ in 0..<(try reader.int(in: 0...ImageParcel.maxFrames)) {
            let size = PixelSize(
                width: try reader.int(in: sides),
                height: try reader.int(in: sides)
            )
            let isOpaque = try reader.bool()
            let offset = try reader.int(in: 0...mapping.bytes.count)
            guard offset % ImageParcel.alignment == 0 else {
                throw WireError("pixels at \(offset) are not aligned")
            }
            rasters.append(try mapping.bitmap(size, offset: offset, isOpaque: isOpaque))
        }
        return rasters
    }

    private func state(
        _ reader: inout WireReader,
        _ mapping: SealedMapping,
        scale: CGFloat
    ) throws(WireError) -> AttachedState {
        var state = AttachedState()
        switch ImageParcel.File(rawValue: try reader.int(in: 0...2)) {
        case .request: state.animatedData = file
        case .parcel:
            let place = try ImageParcel.Place(from: &reader)
            state.animatedData = Data(try mapping.slice(offset: place.offset, count: place.count))
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
