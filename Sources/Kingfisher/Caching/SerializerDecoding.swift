import Foundation

/// The decoding of a cache's entry by a serializer that has its own.
struct SerializerDecoding: Sendable {
    private let options: KingfisherParsedOptionsInfo
    private let isOriginal: Bool

    /// Nil if the serializer of the options decodes as the library does.
    ///
    /// - Parameters:
    ///   - options: The options for reading the entry.
    ///   - isOriginal: Whether the entry is that of an original.
    init?(_ options: KingfisherParsedOptionsInfo, isOriginal: Bool) {
        guard !options.cacheSerializer.usesDefaultDecoding else { return nil }
        self.options = options
        self.isOriginal = isOriginal
    }

    /// Equal for loads that share an image, as they would share it in memory.
    var kind: ObjectIdentifier { ObjectIdentifier(type(of: options.cacheSerializer)) }

    /// Whether the serializer decodes the bytes.
    ///
    /// The library stores originals as they came, and a serializer writes the images of loads
    /// without a processor under the same name. What the library can decode counts as its own.
    func applies(to data: Data) -> Bool { !isOriginal || data.kf.imageFormat == .unknown }

    /// The image of stored bytes; nil if the serializer returns none.
    func image(of data: Data) -> KFCrossPlatformImage? {
        options.cacheSerializer.image(with: data, options: options)
    }
}
