import Foundation
import KFPixels

/// How the settings of a processor are sent to workers, and the processor made of them again.
///
/// Its settings travel, not its identifier: an identifier is only a name, and a processor of a
/// user's may have any.
struct PortableForm<Processor>: Sendable {
    let write: @Sendable (Processor, inout ProcessorWriter) -> Void
    let read: @Sendable (inout ProcessorReader) throws(WireError) -> Processor

    /// - Parameters:
    ///   - make: Makes the processor of its settings.
    ///   - settings: Returns them.
    init<each Value: PortableValue>(
        _ make: @escaping @Sendable (repeat each Value) -> Processor,
        _ settings: @escaping @Sendable (Processor) -> (repeat each Value)
    ) {
        write = { repeat (each settings($0)).write(to: &$1) }
        read = { reader throws(WireError) in make(repeat try (each Value)(from: &reader)) }
    }
}

extension BuiltInProcessor {
    func write(to writer: inout ProcessorWriter) { Self.form.write(self, &writer) }

    static func made(
        from reader: inout ProcessorReader
    ) throws(WireError) -> any ImageProcessor { try form.read(&reader) }
}

/// The bounds of messages about processors, and which processors a message can hold.
enum PortableProcessors {
    /// How deep processors may be nested, and how many may follow each other.
    fileprivate static let maxDepth = 16
    static let maxSteps = 256

    /// Whether a worker can run all steps of a processor.
    static func contain(_ processor: any ImageProcessor) -> Bool { contain(processor, depth: 0) }

    private static func contain(_ processor: any ImageProcessor, depth: Int) -> Bool {
        guard depth < maxDepth else { return false }
        return switch Traits(of: processor).kind {
        case .drawing, .decoding: true
        case .chain(let steps):
            steps.count <= maxSteps && steps.allSatisfy { contain($0, depth: depth + 1) }
        case .frames(let inner, _), .profile(let inner): contain(inner, depth: depth + 1)
        case .file, .custom: false
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
        if case .profile(let inner) = Traits(of: processor).kind {
            let cut = ProcessorCut(inner)
            remote = cut.remote.map { ProfileKeepingProcessor($0) }
            local = cut.local
            return
        }
        let steps = processor.steps
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

    mutating func write(_ value: some PortableValue) { value.write(to: &self) }

    /// Sends memory beside the message.
    mutating func pass(_ make: () throws(WorkerFailure) -> SealedMemory) {
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

    mutating func value<Value: PortableValue>() throws(WireError) -> Value {
        try Value(from: &self)
    }

    mutating func processor() throws(WireError) -> any ImageProcessor {
        guard depth < PortableProcessors.maxDepth else { throw WireError("too many processors") }
        depth += 1
        defer { depth -= 1 }
        let place = try wire.int(in: 0...(PortableProcessors.types.count - 1))
        return try PortableProcessors.types[place].made(from: &self)
    }

    mutating func memory(missing: String) throws(WireError) -> SealedMemory {
        guard let next = memory.popFirst() else { throw WireError(missing) }
        return next
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
