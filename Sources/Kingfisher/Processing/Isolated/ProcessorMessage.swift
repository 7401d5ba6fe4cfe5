import Foundation
import KFPixels

/// A built-in processor in the form that is sent to workers.
///
/// Its settings travel, not its identifier: an identifier is only a name, and a processor of a
/// user's may have any.
protocol PortableProcessor: ImageProcessor {
    /// Writes the settings.
    func write(to writer: inout ProcessorWriter)

    /// Reads the settings that ``write(to:)`` wrote.
    init(from reader: inout ProcessorReader) throws(WireError)
}

/// The processors that workers know, told by their type; their places in the list are their names
/// in messages.
///
/// Both sides run the same program, so the order may change with every version.
enum PortableProcessors {
    fileprivate static let types: [any PortableProcessor.Type] = [
        DefaultImageProcessor.self, ProcessorChain.self, AnimatedImageProcessor.self,
        DownsamplingImageProcessor.self, ResizingImageProcessor.self, ViewSizeProcessor.self,
        CroppingImageProcessor.self, SmartCroppingImageProcessor.self,
        TrimmingImageProcessor.self, PaddingImageProcessor.self, RotatingImageProcessor.self,
        FlippingImageProcessor.self, RoundCornerImageProcessor.self, BorderImageProcessor.self,
        WatermarkImageProcessor.self, BlendImageProcessor.self, ColorControlsProcessor.self,
        BlackWhiteProcessor.self, TintImageProcessor.self, OverlayImageProcessor.self,
        BlurImageProcessor.self, SharpeningImageProcessor.self, ProfileKeepingProcessor.self,
        CompositingImageProcessor.self,
    ]

    /// Processors inside others, and one behind the other; more is no use anybody makes of them.
    fileprivate static let maxDepth = 16
    static let maxSteps = 256

    /// Whether a worker can run all steps of a processor.
    static func contain(_ processor: any ImageProcessor) -> Bool { contain(processor, depth: 0) }

    private static func contain(_ processor: any ImageProcessor, depth: Int) -> Bool {
        guard depth < maxDepth, types.contains(where: { $0 == type(of: processor) }) else {
            return false
        }
        return switch processor {
        case let chain as ProcessorChain:
            chain.steps.count <= maxSteps
                && chain.steps.allSatisfy { contain($0, depth: depth + 1) }
        case let animated as AnimatedImageProcessor:
            contain(animated.processor, depth: depth + 1)
        case let keeping as ProfileKeepingProcessor:
            contain(keeping.processor, depth: depth + 1)
        default: true
        }
    }
}

/// A processor cut in two: the steps of a worker, and the remaining ones of this process.
struct ProcessorCut {
    /// Nil when the bytes go to a processor that only this process knows.
    let remote: (any ImageProcessor)?
    /// Those from the first foreign one on.
    let local: [any ImageProcessor]

    init(_ processor: any ImageProcessor) {
        if let keeping = processor as? ProfileKeepingProcessor {
            let cut = ProcessorCut(keeping.processor)
            remote = cut.remote.map { ProfileKeepingProcessor($0) }
            local = cut.local
            return
        }
        let steps = (processor as? ProcessorChain)?.steps ?? [processor]
        let known = steps.prefix(PortableProcessors.maxSteps)
            .prefix { PortableProcessors.contain($0) }
        local = Array(steps.dropFirst(known.count))
        remote = known.count > 1 ? ProcessorChain(steps: Array(known)) : known.first
    }
}

// MARK: - Writing

/// Writes processors, and the pixels that they need beside the message.
struct ProcessorWriter {
    var wire = WireWriter()
    private(set) var memory: [SealedMemory] = []
    /// The first failure to hand pixels over.
    private(set) var failure: WorkerFailure?

    /// Writes a processor of which ``PortableProcessors/contain(_:)`` is true.
    mutating func write(_ processor: any ImageProcessor) {
        guard let portable = processor as? any PortableProcessor,
            let place = PortableProcessors.types.firstIndex(where: { $0 == type(of: portable) })
        else { preconditionFailure("no worker knows \(processor.identifier)") }
        wire.write(place)
        portable.write(to: &self)
    }

    mutating func write(_ number: CGFloat) { wire.write(Double(number)) }

    mutating func write(_ size: CGSize) {
        write(size.width)
        write(size.height)
    }

    mutating func write(_ point: CGPoint) {
        write(point.x)
        write(point.y)
    }

    mutating func write(_ color: KFCrossPlatformColor) {
        for part in [color.red, color.green, color.blue, color.alpha] { write(part) }
    }

    mutating func write(_ color: KFCrossPlatformColor?) {
        wire.write(color != nil)
        if let color { write(color) }
    }

    mutating func write(_ radius: Radius) {
        switch radius {
        case .widthFraction(let fraction): write(kind: 0, fraction)
        case .heightFraction(let fraction): write(kind: 1, fraction)
        case .point(let point): write(kind: 2, point)
        }
    }

    private mutating func write(kind: Int, _ number: CGFloat) {
        wire.write(kind)
        write(number)
    }

    /// Writes the size of an image; its pixels are sent beside the message.
    mutating func write(_ image: KFCrossPlatformImage) {
        write(image.scale)
        let bitmap = image.bitmap
        wire.write(bitmap != nil)
        guard let bitmap else { return }
        wire.write(bitmap.width)
        wire.write(bitmap.height)
        wire.write(bitmap.isOpaque)
        pass { () throws(WorkerFailure) in try SealedMemory(bitmap.rows) }
    }

    /// Writes bytes that are too many for a message; they are sent beside it.
    mutating func write(_ bytes: Data?) {
        // Sealed memory is never empty.
        let bytes = bytes.flatMap { $0.isEmpty ? nil : $0 }
        wire.write(bytes != nil)
        if let bytes { pass { () throws(WorkerFailure) in try .holding(bytes) } }
    }

    private mutating func pass(_ make: () throws(WorkerFailure) -> SealedMemory) {
        do throws(WorkerFailure) {
            memory.append(try make())
        } catch {
            failure = failure ?? error
        }
    }
}

// MARK: - Reading

/// Reads processors in a worker.
struct ProcessorReader {
    var wire: WireReader
    private var memory: ArraySlice<SealedMemory>
    private var depth = 0

    init(_ wire: WireReader, memory: ArraySlice<SealedMemory>) {
        self.wire = wire
        self.memory = memory
    }

    mutating func processor() throws(WireError) -> any ImageProcessor {
        guard depth < PortableProcessors.maxDepth else { throw WireError("too many processors") }
        depth += 1
        defer { depth -= 1 }
        let place = try wire.int(in: 0...(PortableProcessors.types.count - 1))
        return try PortableProcessors.types[place].init(from: &self)
    }

    mutating func number() throws(WireError) -> CGFloat { CGFloat(try wire.double()) }

    mutating func size() throws(WireError) -> CGSize {
        CGSize(width: try number(), height: try number())
    }

    mutating func point() throws(WireError) -> CGPoint {
        CGPoint(x: try number(), y: try number())
    }

    mutating func color() throws(WireError) -> KFCrossPlatformColor {
        KFCrossPlatformColor(
            red: try number(),
            green: try number(),
            blue: try number(),
            alpha: try number()
        )
    }

    mutating func colorIfAny() throws(WireError) -> KFCrossPlatformColor? {
        try wire.bool() ? try color() : nil
    }

    mutating func radius() throws(WireError) -> Radius {
        switch try wire.int(in: 0...2) {
        case 0: .widthFraction(try number())
        case 1: .heightFraction(try number())
        default: .point(try number())
        }
    }

    mutating func image() throws(WireError) -> KFCrossPlatformImage {
        let scale = try number()
        guard try wire.bool() else { return KFCrossPlatformImage(bitmap: nil, scale: scale) }
        let sides = 1...PixelLimits.maxDimension
        let size = PixelSize(width: try wire.int(in: sides), height: try wire.int(in: sides))
        let isOpaque = try wire.bool()
        guard let pixels = memory.popFirst() else { throw WireError("the pixels are missing") }
        let mapping = try SealedMapping(pixels, maxBytes: size.byteCount)
        let bitmap = try mapping.shared.bitmap(size, offset: 0, isOpaque: isOpaque)
        return KFCrossPlatformImage(bitmap: bitmap, scale: scale)
    }

    mutating func bytes() throws(WireError) -> Data? {
        guard try wire.bool() else { return nil }
        guard let bytes = memory.popFirst() else { throw WireError("the bytes are missing") }
        return try ImageParcel.Body.memory(bytes).file(maxBytes: .max)
    }

    /// One of the values of a list.
    mutating func choice<Value>(of values: [Value]) throws(WireError) -> Value {
        values[try wire.int(in: 0...(values.count - 1))]
    }
}

// MARK: - Pixels

extension Bitmap {
    /// Whether the rows have no padding.
    var hasFullRows: Bool { bytesPerRow == width * Self.bytesPerPixel }

    /// The bytes of the rows without their padding, valid as long as the bitmap.
    var rows: [UnsafeRawBufferPointer] {
        let rowBytes = width * Self.bytesPerPixel
        guard !hasFullRows else {
            return [UnsafeRawBufferPointer(start: storage.base, count: size.byteCount)]
        }
        return (0..<height).map {
            UnsafeRawBufferPointer(start: storage.base + $0 * bytesPerRow, count: rowBytes)
        }
    }
}

extension SharedBytes {
    /// A bitmap that borrows a part of the bytes; its rows have no padding.
    ///
    /// - Throws: ``WireError`` when there are fewer bytes.
    func bitmap(_ size: PixelSize, offset: Int, isOpaque: Bool) throws(WireError) -> Bitmap {
        let pixels = try slice(offset: offset, count: size.byteCount)
        guard let base = pixels.baseAddress else { throw WireError("a picture has no pixels") }
        return Bitmap(
            size: size,
            bytesPerRow: size.width * Bitmap.bytesPerPixel,
            isOpaque: isOpaque,
            storage: PixelStorage(
                borrowing: UnsafeMutableRawPointer(mutating: base),
                byteCount: pixels.count,
                from: owner
            )
        )
    }
}
