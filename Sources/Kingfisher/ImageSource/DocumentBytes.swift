import Foundation
import KFPixels

/// A document as a file or in memory.
struct DocumentBytes: Sendable {
    let url: URL?
    let data: Data?

    /// - Throws: ``LocalFileError``, `CocoaError`.
    func read() async throws -> Data {
        if let data { return data }
        let url = try fileURL()
        return try await ImageMaker.pool.reading { try LocalFileImageDataProvider.bytes(of: url) }
    }

    /// - Throws: ``DocumentError`` if it is none.
    func fileURL() throws(DocumentError) -> URL {
        guard let url, url.isFileURL else { throw .unreadable("its URL is not that of a file") }
        return url
    }
}

extension URL {
    /// The key of an image that is made of a part of the content: with its version, if it is a file.
    func cacheKey(ofPart part: String) -> String { "\(absoluteString)_\(part)\(localFileVersion)" }
}

extension PixelSize {
    /// The size into which an image is made to fit, with sides of at least a pixel.
    init(bounding size: CGSize) {
        func side(_ length: CGFloat) -> Int {
            length >= 1 ? Int(min(CGFloat(PixelLimits.maxDimension), length)) : 1
        }
        self.init(width: side(size.width), height: side(size.height))
    }
}
