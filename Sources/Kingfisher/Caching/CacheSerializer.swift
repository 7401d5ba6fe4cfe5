public import Foundation

/// Turns images into disk bytes and back.
public protocol CacheSerializer: Sendable {
    /// The bytes to store for an image; nil when it cannot be stored.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - original: The bytes that it was made from, if known.
    /// - Returns: The bytes, or nil.
    func data(with image: KFCrossPlatformImage, original: Data?) -> Data?

    /// The image of stored bytes; nil when they are none.
    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?

    /// Whether the disk holds original bytes, so that the processor must run again after a read.
    var originalDataUsed: Bool { get }
}

extension CacheSerializer {
    /// False.
    public var originalDataUsed: Bool { false }
}
