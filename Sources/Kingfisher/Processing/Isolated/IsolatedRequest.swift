import Foundation
import KFCodecs
import KFPixels

/// A request to a worker, without the file, which is passed as memory.
enum IsolatedRequest: Sendable {
    /// The image that a processor makes.
    case image(any ImageProcessor, IsolatedOptions)
    /// The header.
    case header
    /// Why no image can be made of the file.
    case reason
    /// A frame of an animation.
    case frame(FrameRequest)
    /// All properties in the header.
    case info
    /// The bitmap that several requests share.
    case plan(DecodePlan)
    /// A file of pixels.
    case encoding(IsolatedEncoding)
    /// A smaller file of the same pixels.
    case optimization(keepsMetadata: Bool)

    struct FrameRequest: Sendable {
        /// Different for every animation of the program.
        var animation: Int
        var index: Int
        var maxSize: CGSize?
        var scale: CGFloat
    }
}

/// Those of a load's options that decoding depends on; each is also in ``DecodeRequest/Key``.
struct IsolatedOptions: Sendable {
    var scale: CGFloat
    var preloadsAll: Bool
    var onlyFirstFrame: Bool
    var acceptsTruncated: Bool
    var limits: ResultLimits

    init(_ options: KingfisherParsedOptionsInfo) {
        scale = options.scaleFactor
        preloadsAll = options.preloadAllAnimationData
        onlyFirstFrame = options.onlyLoadFirstFrame
        acceptsTruncated = options.acceptsTruncatedFiles
        limits = options.resultLimits
    }

    /// The same as a load's, for use in a worker.
    func parsed(with processor: any ImageProcessor) -> KingfisherParsedOptionsInfo {
        var options = KingfisherParsedOptionsInfo(nil)
        options.processor = processor
        options.scaleFactor = scale
        options.preloadAllAnimationData = preloadsAll
        options.onlyLoadFirstFrame = onlyFirstFrame
        options.acceptsTruncatedFiles = acceptsTruncated
        options.resultLimits = limits
        return options
    }
}

extension IsolatedRequest {
    /// The message for a worker.
    ///
    /// - Throws: ``WorkerFailure/noMemory(errno:)`` when a watermark cannot be handed over.
    func message(for file: Data) throws(WorkerFailure) -> WorkerRequest {
        var writer = ProcessorWriter()
        switch self {
        case .image(let processor, let options):
            writer.wire.write(0)
            writer.write(options.scale)
            writer.wire.write(options.preloadsAll)
            writer.wire.write(options.onlyFirstFrame)
            writer.wire.write(options.acceptsTruncated)
            writer.wire.write(options.limits.maxPixelCount)
            writer.wire.write(options.limits.maxSide)
            writer.write(PortableProcessor(processor))
        case .header: writer.wire.write(1)
        case .reason: writer.wire.write(2)
        case .frame(let frame):
            writer.wire.write(3)
            writer.wire.write(frame.animation)
            writer.wire.write(frame.index)
            writer.write(frame.scale)
            writer.write(frame.maxSize)
        case .info: writer.wire.write(4)
        case .plan(let plan):
            writer.wire.write(5)
            plan.write(to: &writer.wire)
        case .encoding(let encoding):
            writer.wire.write(6)
            encoding.write(to: &writer)
        case .optimization(let keepsMetadata):
            writer.wire.write(7)
            writer.wire.write(keepsMetadata)
        }
        if let failure = writer.failure { throw failure }
        return WorkerRequest(
            message: writer.wire.bytes,
            file: file,
            memory: writer.memory,
            needs: needs(for: file)
        )
    }

    private func needs(for file: Data) -> WorkerPreparations {
        guard case .encoding(let encoding) = self else { return WorkerPreparations(decoding: file) }
        return WorkerPreparations(for: encoding.format)
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        switch try reader.wire.int(in: 0...7) {
        case 0:
            var options = IsolatedOptions(KingfisherParsedOptionsInfo(nil))
            options.scale = try reader.value()
            options.preloadsAll = try reader.wire.bool()
            options.onlyFirstFrame = try reader.wire.bool()
            options.acceptsTruncated = try reader.wire.bool()
            options.limits.maxPixelCount = try reader.wire.int()
            options.limits.maxSide = try reader.wire.int()
            self = .image(try PortableProcessor(from: &reader).processor, options)
        case 1: self = .header
        case 2: self = .reason
        case 4: self = .info
        case 5: self = .plan(try DecodePlan(from: &reader.wire))
        case 6: self = .encoding(try IsolatedEncoding(from: &reader))
        case 7: self = .optimization(keepsMetadata: try reader.wire.bool())
        default:
            let (animation, index) = (try reader.wire.int(), try reader.wire.int())
            let scale: CGFloat = try reader.value()
            self = .frame(
                FrameRequest(
                    animation: animation,
                    index: index,
                    maxSize: try reader.value(),
                    scale: scale
                )
            )
        }
    }
}

/// The answer of a worker.
enum IsolatedAnswer {
    /// An image.
    case image(ImageParcel)
    /// No image, as the processor's contract allows.
    case nothing
    /// The processor asked for an image above the limits.
    case tooLarge(PixelSize)
    /// The values in the header; nil if it cannot be read.
    case header(FileHeader?)
    /// Why no image can be made; nil when one can.
    case reason(String?)
    /// All properties in the header; nil when it cannot be read.
    case info(ImageFileInfo?)
    /// A file.
    case file(ImageParcel.Body)

    static let maxReasonBytes = 4096

    func message() -> WorkerMessage {
        var writer = WireWriter()
        var message = WorkerMessage(bytes: [])
        switch self {
        case .image(let parcel):
            writer.write(0)
            parcel.place.write(to: &writer)
            parcel.body.add(to: &message)
        case .nothing: writer.write(1)
        case .tooLarge(let size):
            writer.write(2)
            writer.write(size)
        case .header(let header):
            writer.write(3)
            writer.write(header) { $1.write(to: &$0) }
        case .reason(let reason):
            writer.write(4)
            writer.write(reason) { $0.write(String($1.prefix(Self.maxReasonBytes / 8))) }
        case .info(let info):
            writer.write(5)
            writer.write(info) { $1.write(to: &$0) }
        case .file(let body):
            writer.write(6)
            body.add(to: &message)
        }
        message.bytes = writer.bytes
        return message
    }

    init(_ message: WorkerMessage) throws(WireError) {
        let result = message.bytes.withUnsafeBytes { bytes in
            Result { () throws(WireError) in
                var reader = WireReader(bytes)
                let answer = try IsolatedAnswer(from: &reader, message)
                try reader.end()
                return answer
            }
        }
        self = try result.get()
    }

    private init(
        from reader: inout WireReader,
        _ message: WorkerMessage
    ) throws(WireError) {
        switch try reader.int(in: 0...6) {
        case 0: self = .image(try ImageParcel(from: &reader, message))
        case 1: self = .nothing
        case 2: self = .tooLarge(try reader.size())
        case 3: self = .header(try reader.optional(FileHeader.init(from:)))
        case 5: self = .info(try reader.optional(ImageFileInfo.init(from:)))
        case 6: self = .file(try ImageParcel.Body(message))
        default:
            self = .reason(
                try reader.optional { reader throws(WireError) in
                    try reader.string(maxBytes: Self.maxReasonBytes)
                }
            )
        }
    }
}

/// The fields of a file's header that the memory budget needs.
struct FileHeader: Sendable {
    /// The size of the upright image.
    var size: PixelSize
    /// Nil if the header does not contain it.
    var frameCount: Int?
    /// The bytes of all frames of an animation, unless they are too many to be kept.
    var preloadedBytes: Int
    /// For decoding in this process; nil for a header from a worker.
    private(set) var parsed: ParsedHeader?

    init(size: PixelSize, frameCount: Int?, preloadedBytes: Int = 0) {
        self.size = size
        self.frameCount = frameCount
        self.preloadedBytes = preloadedBytes
    }

    /// Reads a header; nil when it cannot be read.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - preloads: Whether the frames are measured.
    ///
    /// Not inlined, because its values would take room in each load that waits for a worker.
    @inline(never)
    init?(_ data: Data, preloads: Bool) {
        // Bytes without a readable header fail in the processor, which says why.
        guard let header = try? Codecs.header(of: data) else { return nil }
        let info = header.info
        parsed = header
        size = info.displaySize
        frameCount = info.frameCount
        preloadedBytes = 0
        guard preloads, info.frameCount != 1,
            let source = try? EncodedFrameSource(data, scale: 1), source.fitsInMemory
        else { return }
        preloadedBytes = source.frameBytes.multipliedSaturating(by: source.frameCount)
    }

    fileprivate func write(to writer: inout WireWriter) {
        writer.write(size)
        writer.write(frameCount) { $0.write($1) }
        writer.write(preloadedBytes)
    }

    fileprivate init(from reader: inout WireReader) throws(WireError) {
        size = try reader.size()
        frameCount = try reader.optional { reader throws(WireError) in
            try reader.int(in: 0...Int(Int32.max))
        }
        preloadedBytes = try reader.int(in: 0...Int.max)
    }
}

extension DecodePlan {
    fileprivate func write(to writer: inout WireWriter) {
        writer.write(own)
        writer.write(base)
        writer.write(isReducedLater)
    }

    fileprivate init(from reader: inout WireReader) throws(WireError) {
        own = try reader.size()
        base = try reader.size()
        isReducedLater = try reader.bool()
        header = nil
    }
}

extension WireWriter {
    fileprivate mutating func write(_ size: PixelSize) {
        write(size.width)
        write(size.height)
    }
}

extension WireReader {
    fileprivate mutating func size() throws(WireError) -> PixelSize {
        let any = 0...Int(Int32.max)
        return PixelSize(width: try int(in: any), height: try int(in: any))
    }
}
