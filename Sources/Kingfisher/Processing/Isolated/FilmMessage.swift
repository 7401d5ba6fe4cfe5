import Foundation
import KFCodecs
import KFPixels
import Synchronization

/// A request about a video to a worker.
///
/// The video is passed as memory, or as a descriptor of its file.
struct FilmRequest: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case facts
        /// The frame that is displayed at a time.
        case exact(Double)
        /// The nearest key frame before a time.
        case keyFrame(Double)
        /// A frame that is neither dark, empty nor blurred.
        case representative
    }

    var kind: Kind
    /// Whether a cover image is wanted where there is one.
    var prefersCover = false
    /// The size into which the image is shrunk; nil for its own.
    var box: PixelSize?

    /// The message for a worker about a video in memory.
    func message(for film: Data) -> WorkerRequest {
        WorkerRequest(message: bytes(for: nil), file: film)
    }

    /// The message for a worker about a video in a file.
    func message(for film: OpenFilm) -> WorkerRequest {
        WorkerRequest(message: bytes(for: film.place), file: film.name, memory: [film.memory])
    }

    private func bytes(for place: FilmPlace?) -> [UInt8] {
        var writer = WireWriter()
        switch kind {
        case .facts: writer.write(0)
        case .exact(let seconds):
            writer.write(1)
            writer.write(seconds)
        case .keyFrame(let seconds):
            writer.write(2)
            writer.write(seconds)
        case .representative: writer.write(3)
        }
        writer.write(prefersCover)
        writer.write(box) { writer, box in
            writer.write(box.width)
            writer.write(box.height)
        }
        writer.write(place) { $1.write(to: &$0) }
        return writer.bytes
    }

    init(_ kind: Kind, prefersCover: Bool = false, fitting box: PixelSize? = nil) {
        (self.kind, self.prefersCover, self.box) = (kind, prefersCover, box)
    }

    /// Reads a request.
    ///
    /// - Parameters:
    ///   - reader: The message.
    ///   - place: Gets the place of the file; nil if the video is in memory.
    /// - Throws: ``WireError``.
    init(from reader: inout WireReader, place: inout FilmPlace?) throws(WireError) {
        kind =
            switch try reader.int(in: 0...3) {
            case 0: .facts
            case 1: .exact(try reader.double())
            case 2: .keyFrame(try reader.double())
            default: .representative
            }
        prefersCover = try reader.bool()
        box = try reader.optional { reader throws(WireError) in
            let sides = 1...PixelLimits.maxDimension
            let width = try reader.int(in: sides)
            return PixelSize(width: width, height: try reader.int(in: sides))
        }
        place = try reader.optional { reader throws(WireError) in try FilmPlace(from: &reader) }
        try reader.end()
    }
}

/// A file that a worker maps in parts.
struct FilmPlace: Sendable, Equatable {
    /// More parts do not fit into a message.
    static let maxPartCount = 4096

    var byteCount: Int
    /// Identifies an opened file to its worker, which keeps it open for the next request.
    ///
    /// Nil if there is only one request.
    var number: Int?
    /// The parts that are there, in order; nil for the whole file.
    var parts: [Range<Int>]?

    func write(to writer: inout WireWriter) {
        writer.write(byteCount)
        writer.write(number) { $0.write($1) }
        writer.write(parts) { writer, parts in
            writer.write(parts.count)
            for part in parts {
                writer.write(part.lowerBound)
                writer.write(part.upperBound)
            }
        }
    }

    init(byteCount: Int, number: Int? = nil, parts: [Range<Int>]? = nil) {
        (self.byteCount, self.number, self.parts) = (byteCount, number, parts)
    }

    init(from reader: inout WireReader) throws(WireError) {
        byteCount = try reader.int(in: 0...Int.max)
        number = try reader.optional { reader throws(WireError) in try reader.int() }
        parts = try reader.optional { reader throws(WireError) in
            var parts: [Range<Int>] = []
            for _ in 0..<(try reader.int(in: 1...Self.maxPartCount)) {
                let start = try reader.int(in: 0...Int.max)
                parts.append(start..<(try reader.int(in: start...Int.max)))
            }
            return parts
        }
    }
}

/// A file that workers may map.
struct OpenFilm: Sendable {
    /// Identifies the content to the memory of files that ended a worker.
    let name: Data
    let memory: SealedMemory
    var place: FilmPlace

    private static let lastNumber = Atomic(0)

    /// Another number for each file that a worker keeps open.
    static func newNumber() -> Int { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

    init(name: Data, memory: SealedMemory, place: FilmPlace) {
        (self.name, self.memory, self.place) = (name, memory, place)
    }

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: Of a regular file.
    ///   - isKept: Whether its worker keeps it open for the next request.
    /// - Throws: ``LocalFileError`` or `CocoaError`.
    init(path: String, isKept: Bool = false) throws {
        let (descriptor, status) = try RegularFile.open(path)
        self.init(
            name: Data("\(status.st_dev).\(status.st_ino).\(FileVersion.text(status))".utf8),
            memory: .adopting(descriptor),
            place: FilmPlace(
                byteCount: Int(status.st_size),
                number: isKept ? Self.newNumber() : nil
            )
        )
    }
}
