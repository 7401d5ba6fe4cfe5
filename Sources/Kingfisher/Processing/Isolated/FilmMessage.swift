import Codecs
import Foundation
import Pixels

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

    /// The message for a worker.
    ///
    /// - Parameter film: The video.
    /// - Returns: The message.
    func message(for film: FilmBytes) -> WorkerRequest {
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
        switch film {
        case .memory(let data):
            writer.write(nil as Int?) { $0.write($1) }
            return WorkerRequest(message: writer.bytes, file: data)
        case .file(let file):
            writer.write(file.byteCount as Int?) { $0.write($1) }
            return WorkerRequest(message: writer.bytes, file: file.name, memory: [file.memory])
        }
    }

    init(_ kind: Kind, prefersCover: Bool = false, fitting box: PixelSize? = nil) {
        (self.kind, self.prefersCover, self.box) = (kind, prefersCover, box)
    }

    /// Reads a request.
    ///
    /// - Parameters:
    ///   - reader: The message.
    ///   - byteCount: Gets the size of the file; nil if the video is in memory.
    /// - Throws: ``WireError``.
    init(from reader: inout WireReader, byteCount: inout Int?) throws(WireError) {
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
        byteCount = try reader.optional { reader throws(WireError) in
            try reader.int(in: 0...Int.max)
        }
        try reader.end()
    }
}

/// A video for workers.
enum FilmBytes: Sendable {
    case memory(Data)
    /// Not read here: a worker maps the parts that it needs.
    case file(OpenFilm)

    /// - Throws: ``LocalFileError`` or `CocoaError` if the file cannot be opened,
    ///   ``DocumentError`` if the URL is not that of a file.
    init(_ document: DocumentBytes) async throws {
        if let data = document.data {
            self = .memory(data)
        } else {
            let path = try document.fileURL().path
            self = .file(try await DocumentBytes.work { try OpenFilm(path: path) })
        }
    }
}

/// A file that workers may map.
struct OpenFilm: Sendable {
    /// Identifies the content to the memory of files that ended a worker.
    let name: Data
    let byteCount: Int
    let memory: SealedMemory

    /// Opens a file.
    ///
    /// - Throws: ``LocalFileError`` or `CocoaError`.
    init(path: String) throws {
        let (descriptor, status) = try RegularFile.open(path)
        memory = .adopting(descriptor)
        name = Data("\(status.st_dev).\(status.st_ino).\(FileVersion.text(status))".utf8)
        byteCount = Int(status.st_size)
    }
}
