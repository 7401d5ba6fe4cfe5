import Foundation
import Kingfisher

/// The report of `kf placeholder`.
struct PlaceholderReport: Report {
    let source: String
    /// In base64.
    let thumbHash: String
    let blurHash: String
    /// `#rrggbb`; nil if no pixel is visible.
    let dominantColor: String?
    let dataURL: String

    /// Hashes an image.
    ///
    /// - Throws: A ``Failure`` if it has no pixels.
    init(
        _ image: KFCrossPlatformImage,
        of source: String,
        _ components: PlaceholderCommand.Components
    ) throws {
        let tiny = DownsamplingImageProcessor(size: CGSize(width: 16, height: 16))
            .process(item: .image(image), options: KingfisherParsedOptionsInfo(nil))
        guard let thumbHash = image.kf.thumbHash(),
            let blurHash = image.kf.blurHash(components: (components.across, components.down)),
            let png = tiny?.kf.pngRepresentation()
        else { throw Failure("the image has no pixels") }
        self.source = source
        self.thumbHash = thumbHash.base64EncodedString()
        self.blurHash = blurHash
        dominantColor = image.kf.dominantColor?.hexadecimal
        dataURL = "data:image/png;base64," + png.base64EncodedString()
    }

    enum CodingKeys: CodingKey {
        case source, thumbHash, blurHash, dominantColor, dataURL
    }

    // Not synthesized: the synthesized method omits nil, but the output always has all fields.
    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(source, forKey: .source)
        try values.encode(thumbHash, forKey: .thumbHash)
        try values.encode(blurHash, forKey: .blurHash)
        try values.encode(dominantColor, forKey: .dominantColor)
        try values.encode(dataURL, forKey: .dataURL)
    }

    /// The text report, one value per line.
    func summary() -> String {
        """
        thumbhash  \(thumbHash)
        blurhash   \(blurHash)
        colour     \(dominantColor ?? "none")
        data URL   \(dataURL)
        """
    }
}
