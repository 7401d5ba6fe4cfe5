import Foundation
import KFCodecs
import KFPixels

/// A request about a document to a worker, without the file, which is passed as memory.
struct PageRequest: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// The number of pages, and the size of the page.
        case facts
        case image(PDFFile.Scale, isTransparent: Bool)
    }

    /// One more than a password of PDF can have: what is cut stays too long, and is refused.
    static let maxPasswordBytes = PDFFile.maxPasswordBytes + 1

    /// From 0.
    var index: Int
    var password: String?
    var kind: Kind

    func message(for file: Data) -> WorkerRequest {
        var writer = WireWriter()
        writer.write(index)
        writer.write(password.map { Array($0.utf8.prefix(Self.maxPasswordBytes)) }) {
            writer,
            bytes in
            writer.write(bytes.count)
            writer.write(bytes: bytes)
        }
        switch kind {
        case .facts: writer.write(0)
        case .image(.dpi(let dpi), let isTransparent):
            writer.write(1)
            writer.write(dpi)
            writer.write(isTransparent)
        case .image(.fitting(let size), let isTransparent):
            writer.write(2)
            writer.write(size.width)
            writer.write(size.height)
            writer.write(isTransparent)
        }
        return WorkerRequest(message: writer.bytes, file: file)
    }

    init(index: Int, password: String?, kind: Kind) {
        (self.index, self.password, self.kind) = (index, password, kind)
    }

    init(from reader: inout WireReader) throws(WireError) {
        index = try reader.int()
        password = try reader.optional { reader throws(WireError) in
            try reader.text(maxBytes: Self.maxPasswordBytes)
        }
        switch try reader.int(in: 0...2) {
        case 0: kind = .facts
        case 1:
            let dpi = try reader.double()
            kind = .image(.dpi(dpi), isTransparent: try reader.bool())
        default:
            let sides = 1...PixelLimits.maxDimension
            let width = try reader.int(in: sides)
            let size = PixelSize(width: width, height: try reader.int(in: sides))
            kind = .image(.fitting(size), isTransparent: try reader.bool())
        }
        try reader.end()
    }
}
