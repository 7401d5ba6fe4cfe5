import Foundation
import KFCodecs
import KFPixels

/// The answer of a worker to a request about a document or a video.
enum DocumentAnswer {
    case image(ImageParcel)
    case page(PageFacts)
    case film(VideoFile.Facts)
    case fault(DocumentFault)

    private static let maxTextBytes = 1024

    // MARK: Writing

    func message() -> WorkerMessage {
        var writer = WireWriter()
        var message = WorkerMessage(bytes: [])
        switch self {
        case .image(let parcel):
            writer.write(0)
            parcel.place.write(to: &writer)
            parcel.body.add(to: &message)
        case .page(let facts):
            writer.write(1)
            writer.write(facts.pageCount)
            writer.write(facts.width)
            writer.write(facts.height)
        case .film(let facts):
            writer.write(2)
            Self.write(facts, to: &writer)
        case .fault(let fault):
            writer.write(3)
            Self.write(fault, to: &writer)
        }
        message.bytes = writer.bytes
        return message
    }

    private static func write(_ facts: VideoFile.Facts, to writer: inout WireWriter) {
        writer.write(facts.size.width)
        writer.write(facts.size.height)
        writer.write(Int(facts.orientation.rawValue))
        writer.write(facts.duration) { $0.write($1) }
        writer.write(facts.frameRate) { $0.write($1) }
        writer.write(facts.hasVideo)
        writer.write(facts.hasCover)
        writer.write(facts.codec)
        writer.write(facts.soundCodec) { $0.write($1) }
    }

    private static func write(_ fault: DocumentFault, to writer: inout WireWriter) {
        switch fault {
        case .missingLibrary(let name, let package):
            writer.write(0)
            writer.write(name)
            writer.write(package)
        case .password: writer.write(1)
        case .noPage(let count):
            writer.write(2)
            writer.write(count)
        case .damaged(let reason):
            writer.write(3)
            writer.write(String(reason.prefix(maxTextBytes / 8)))
        case .tooLarge(let size):
            writer.write(4)
            writer.write(size.width)
            writer.write(size.height)
        case .outOfMemory: writer.write(5)
        case .missing(let offset):
            writer.write(6)
            writer.write(offset)
        }
    }

    // MARK: Reading

    /// - Throws: ``WireError`` for an answer that no worker of ours sends.
    init(_ message: WorkerMessage) throws(WireError) {
        let result = message.bytes.withUnsafeBytes { bytes in
            Result { () throws(WireError) in
                var reader = WireReader(bytes)
                let answer = try DocumentAnswer(from: &reader, message)
                try reader.end()
                return answer
            }
        }
        self = try result.get()
    }

    private init(from reader: inout WireReader, _ message: WorkerMessage) throws(WireError) {
        switch try reader.int(in: 0...3) {
        case 0: self = .image(try ImageParcel(from: &reader, message))
        case 1:
            self = .page(
                PageFacts(
                    pageCount: try reader.int(in: 0...Int(Int32.max)),
                    width: try Self.length(&reader),
                    height: try Self.length(&reader)
                )
            )
        case 2: self = .film(try Self.film(&reader))
        default: self = .fault(try Self.fault(&reader))
        }
    }

    private static func film(_ reader: inout WireReader) throws(WireError) -> VideoFile.Facts {
        let size = try size(&reader)
        let number = try reader.int(in: 1...8)
        return VideoFile.Facts(
            size: size,
            orientation: Orientation(rawValue: UInt8(number)) ?? .up,
            duration: try reader.optional(length),
            frameRate: try reader.optional(length),
            hasVideo: try reader.bool(),
            hasCover: try reader.bool(),
            codec: try reader.string(maxBytes: maxTextBytes),
            soundCodec: try reader.optional { reader throws(WireError) in
                try reader.string(maxBytes: maxTextBytes)
            }
        )
    }

    private static func length(_ reader: inout WireReader) throws(WireError) -> Double {
        let length = try reader.double()
        guard length.isFinite, length >= 0 else { throw WireError("\(length) is no length") }
        return length
    }

    private static func size(_ reader: inout WireReader) throws(WireError) -> PixelSize {
        let sides = 0...Int(Int32.max)
        let width = try reader.int(in: sides)
        return PixelSize(width: width, height: try reader.int(in: sides))
    }

    private static func fault(_ reader: inout WireReader) throws(WireError) -> DocumentFault {
        switch try reader.int(in: 0...6) {
        case 0:
            let name = try reader.string(maxBytes: maxTextBytes)
            return .missingLibrary(name, package: try reader.string(maxBytes: maxTextBytes))
        case 1: return .password
        case 2: return .noPage(count: try reader.int(in: 0...Int(Int32.max)))
        case 3: return .damaged(try reader.string(maxBytes: maxTextBytes))
        case 4: return .tooLarge(try size(&reader))
        case 5: return .outOfMemory
        default: return .missing(offset: try reader.int(in: 0...Int.max))
        }
    }
}

/// The number of pages of a document, and the size of one of them in points.
struct PageFacts: Sendable, Equatable {
    var pageCount: Int
    var width: Double
    var height: Double
}

extension ReceivedRequest {
    /// The answer with a bitmap.
    ///
    /// - Throws: ``DocumentFault/outOfMemory``.
    func answer(_ bitmap: Bitmap) throws(DocumentFault) -> DocumentAnswer {
        do throws(WorkerFailure) {
            let image = KFCrossPlatformImage(bitmap: bitmap, scale: 1)
            return .image(try ImagePacker.pack(image, of: nil, in: room))
        } catch {
            throw .outOfMemory
        }
    }
}
