public import Foundation
public import Kingfisher

/// Stores cache files with a custom header: a format version and a checksum, then a small JPEG.
public struct ThumbnailSerializer: CacheSerializer {
    static let head = Data("thumb/1 ".utf8)

    /// The quality of the JPEG, 0 to 1.
    public var quality: CGFloat

    /// Creates a serializer.
    public init(quality: CGFloat = 0.7) {
        self.quality = quality
    }

    /// Encodes the header and the JPEG.
    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        guard let jpeg = image.kf.jpegRepresentation(compressionQuality: quality) else {
            return nil
        }
        return Self.head + Data([Self.checksum(of: jpeg)]) + jpeg
    }

    /// Decodes the output of ``data(with:original:)``; other or damaged data is a miss.
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
