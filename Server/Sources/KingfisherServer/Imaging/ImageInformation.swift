import Foundation
import Kingfisher

/// The properties of a source, for the route `info`.
struct ImageInformation: Codable, Sendable, Hashable {
    /// The side of the box for the thumbnail that colours and placeholders are computed from.
    static let thumbnailSide = 100

    /// The name of the format, such as `jpeg`.
    var format: String
    /// The media type.
    var mimeType: String
    /// The size of the displayed image in pixels.
    var width: Int
    var height: Int
    /// The EXIF orientation, 1…8.
    var orientation: Int
    /// The size of the file in bytes.
    var size: Int
    /// The number of pages of a document; nil for images.
    var pages: Int?
    /// The number of frames; nil if the header does not state it.
    var frames: Int?
    /// The number of times that an animation plays, 0 without end; nil for still images.
    var loops: Int?
    /// The duration of an animation or a video in seconds; nil for still images.
    var duration: Double?
    /// Whether the file may hold transparent pixels.
    var hasAlpha: Bool
    /// Whether the file contains a colour profile.
    var hasColorProfile: Bool
    var bitsPerChannel: Int
    /// The Base64 of a ThumbHash; nil if it was not requested.
    var thumbHash: String?
    /// A BlurHash; nil if it was not requested.
    var blurHash: String?
    /// The most frequent colour as `#rrggbb`; nil if no pixel is visible.
    var dominantColor: String?
    /// Up to five colours as `#rrggbb`, the most frequent first.
    var palette: [String]

    enum CodingKeys: String, CodingKey {
        case format, width, height, orientation, size, frames, pages, loops, duration, palette
        case mimeType = "mime_type"
        case hasAlpha = "has_alpha"
        case hasColorProfile = "has_color_profile"
        case bitsPerChannel = "bits_per_channel"
        case thumbHash = "thumb_hash"
        case blurHash = "blur_hash"
        case dominantColor = "dominant_color"
    }

    init(_ header: ImageFileInfo, byteCount: Int, _ colours: ThumbnailColours) {
        format = header.formatName
        mimeType = header.format.contentType
        width = Int(header.size.width)
        height = Int(header.size.height)
        orientation = header.orientation
        size = byteCount
        frames = header.frameCount
        loops = header.loopCount
        duration = header.duration
        hasAlpha = header.hasAlpha
        hasColorProfile = header.hasColorProfile
        bitsPerChannel = header.bitsPerChannel
        thumbHash = colours.thumbHash
        blurHash = colours.blurHash
        dominantColor = colours.dominant.map { "#\($0.hexadecimal)" }
        palette = colours.palette.map { "#\($0.hexadecimal)" }
    }
}
