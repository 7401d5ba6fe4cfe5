import Foundation
import Kingfisher

/// What `kf placeholder` has found.
struct PlaceholderReport: Report {
    /// In base64.
    let thumbHash: String
    let blurHash: String
    /// `#rrggbb`; nil when nothing is visible.
    let dominantColor: String?
    let dataURL: String

    /// Hashes an image.
    ///
    /// - Throws: A ``Failure`` when it has no pixels.
    init(
        _ image: KFCrossPlatformImage,
        _ components: PlaceholderCommand.Components
    ) throws {
        let tiny = DownsamplingImageProcessor(size: CGSize(width: 16, height: 16))
            .process(item: .image(image), options: KingfisherParsedOptionsInfo(nil))
        guard let thumbHash = image.kf.thumbHash(),
            let blurHash = image.kf.blurHash(components: (components.across, components.down)),
            let png = tiny?.kf.pngRepresentation()
        else { throw Failure("the image has no pixels") }
        self.thumbHash = thumbHash.base64EncodedString()
        self.blurHash = blurHash
        dominantColor = image.kf.dominantColor?.hexadecimal
        dataURL = "data:image/png;base64," + png.base64EncodedString()
    }

    enum CodingKeys: CodingKey {
        case thumbHash, blurHash, dominantColor, dataURL
    }

    // Written out, because the synthesised one leaves nil out and readers want the same fields
    // every time.
    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(thumbHash, forKey: .thumbHash)
        try values.encode(blurHash, forKey: .blurHash)
        try values.encode(dominantColor, forKey: .dominantColor)
        try values.encode(dataURL, forKey: .dataURL)
    }

    /// One thing a line, for people.
    func summary() -> String {
        """
        thumbhash  \(thumbHash)
        blurhash   \(blurHash)
        colour     \(dominantColor ?? "none")
        data URL   \(dataURL)
        """
    }
}
