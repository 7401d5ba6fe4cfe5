public import Foundation
public import Kingfisher

/// Files of the cache with a head of their own: a format version and a checksum, then a small JPEG.
public struct ThumbnailSerializer: CacheSerializer {
    static let head = Data("thumb/1 ".utf8)

    /// Of the JPEG, 0 to 1.
    public var quality: CGFloat

    /// Makes a serializer.
    public init(quality: CGFloat = 0.7) {
        self.quality = quality
    }

    /// Writes the head and the JPEG.
    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        guard let jpeg = image.kf.jpegRepresentation(compressionQuality: quality) else {
            return nil
        }
        return Self.head + Data([Self.checksum(of: jpeg)]) + jpeg
    }

    /// Reads what ``data(with:original:)`` wrote; anything else, or damage, is a miss.
    public func image(
        with data: Data,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        guard data.starts(with: Self.head), data.count > Self.head.count + 1 else { return nil }
        let jpeg = Data(data.dropFirst(Self.head.count + 1))
        guard data[data.startIndex + Self.head.count] == Self.checksum(of: jpeg) else { return nil }
        return DefaultCacheSerializer.default.image(with: jpeg, options: options)
    }

    private static func checksum(of data: Data) -> UInt8 { data.reduce(0, &+) }
}
