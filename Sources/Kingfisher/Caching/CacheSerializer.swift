public import Foundation

/// Converts images to the bytes stored on disk, and back.
public protocol CacheSerializer: Sendable {
    /// Returns the bytes to store for an image; nil if it cannot be stored.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - original: The bytes that the image was made from, if known.
    /// - Returns: The bytes, or nil.
    func data(with image: KFCrossPlatformImage, original: Data?) -> Data?

    /// Returns the image of stored bytes.
    ///
    /// - Parameters:
    ///   - data: The stored bytes.
    ///   - options: The options of the load.
    /// - Returns: The image; nil if the bytes cannot be decoded.
    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?

    /// Whether original bytes are stored on disk, so that the processor must run again after a
    /// read.
    var originalDataUsed: Bool { get }
}

extension CacheSerializer {
    /// False by default.
    public var originalDataUsed: Bool { false }
}
