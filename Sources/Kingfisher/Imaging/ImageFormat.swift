public import Foundation
import KFCodecs

// The case names match Kingfisher for Apple platforms.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The format of an image file, detected from its bytes.
///
/// Kingfisher for Apple platforms knows the first four. A `switch` of code written for it needs a
/// `default` here, and code that takes ``unknown`` for WebP has to ask for ``WebP``, too.
public enum ImageFormat: Sendable {
    /// An unknown format.
    case unknown
    /// PNG, animated or not.
    case PNG
    /// JPEG.
    case JPEG
    /// GIF.
    case GIF
    /// WebP. Not part of Kingfisher for Apple platforms, like all the following cases.
    case WebP
    /// AVIF.
    case AVIF
    /// JPEG XL, animated or not; decoded and encoded where libjxl 0.7 to 0.11 is installed.
    case JXL
    /// HEIC and other HEIF files; decoded where libheif is installed.
    case HEIF
    /// TIFF; decoded where libtiff 4.5 or later is installed.
    case TIFF
    /// SVG; rendered where librsvg 2.52 or later is installed.
    case SVG
    /// Windows bitmaps; decoded only.
    case BMP
    /// Icons; decoded only.
    case ICO

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// A marker of a JPEG file.
    ///
    /// Source: ITU-T T.81, table B.1.
    public enum JPEGMarker {
        /// FF C0, baseline.
        case SOF0
        /// FF C2, progressive.
        case SOF2
        /// FF C4, Huffman table.
        case DHT
        /// FF DB, quantisation table.
        case DQT
        /// FF DD, restart interval.
        case DRI
        /// FF DA, start of scan.
        case SOS
        /// FF D0+n, restart; `n` is 0…7.
        case RSTn(UInt8)
        /// FF E0, application segment.
        case APPn
        /// FF FE, comment.
        case COM
        /// FF D9, end of image.
        case EOI

        var bytes: (UInt8, UInt8) {
            switch self {
            case .SOF0: (0xFF, 0xC0)
            case .SOF2: (0xFF, 0xC2)
            case .DHT: (0xFF, 0xC4)
            case .DQT: (0xFF, 0xDB)
            case .DRI: (0xFF, 0xDD)
            case .SOS: (0xFF, 0xDA)
            case .RSTn(let n): (0xFF, 0xD0 &+ n)
            case .APPn: (0xFF, 0xE0)
            case .COM: (0xFF, 0xFE)
            case .EOI: (0xFF, 0xD9)
            }
        }
    }
}

extension ImageFormat {
    /// Whether animations are written in the format.
    var holdsAnimations: Bool {
        switch self {
        case .GIF, .WebP, .AVIF: true
        case .unknown, .PNG, .JPEG, .JXL, .HEIF, .TIFF, .SVG, .BMP, .ICO: false
        }
    }

    init(_ format: FileFormat?) {
        self =
            switch format {
            case .png: .PNG
            case .jpeg: .JPEG
            case .gif: .GIF
            case .webp: .WebP
            case .avif: .AVIF
            case .jxl: .JXL
            case .heif: .HEIF
            case .tiff: .TIFF
            case .svg: .SVG
            case .bmp: .BMP
            case .ico: .ICO
            case nil: .unknown
            }
    }

    var fileFormat: FileFormat? {
        switch self {
        case .unknown: nil
        case .PNG: .png
        case .JPEG: .jpeg
        case .GIF: .gif
        case .WebP: .webp
        case .AVIF: .avif
        case .JXL: .jxl
        case .HEIF: .heif
        case .TIFF: .tiff
        case .SVG: .svg
        case .BMP: .bmp
        case .ICO: .ico
        }
    }
}

extension ImageFormat {
    /// The media type for the HTTP field `Content-Type`; `application/octet-stream` for an unknown
    /// format.
    public var contentType: String {
        switch self {
        case .unknown: "application/octet-stream"
        case .PNG: "image/png"
        case .JPEG: "image/jpeg"
        case .GIF: "image/gif"
        case .WebP: "image/webp"
        case .AVIF: "image/avif"
        case .JXL: "image/jxl"
        case .HEIF: "image/heic"
        case .TIFF: "image/tiff"
        case .SVG: "image/svg+xml"
        case .BMP: "image/bmp"
        case .ICO: "image/vnd.microsoft.icon"
        }
    }
}

extension ImageFormat {
    /// The library that has to be installed to write the format, or to read one that is only read,
    /// with its package in Debian; nil if there is none to add.
    ///
    /// Loads the library, for programs that explain why a file could not be written.
    @_spi(Programs) public var missingLibrary: String? {
        fileFormat.flatMap(Codecs.missingLibrary)
    }
}

extension Data: KingfisherCompatibleValue {}

extension KingfisherWrapper where Base == Data {
    /// The format detected from the first bytes; `.unknown` for 8 bytes or fewer.
    public var imageFormat: ImageFormat {
        base.count > 8 ? ImageFormat(Codecs.format(of: base)) : .unknown
    }

    /// Whether the two bytes of a marker occur anywhere in JPEG data, even inside a segment.
    ///
    /// False if the data is not JPEG. Cost: one pass over the data.
    public func contains(jpeg marker: ImageFormat.JPEGMarker) -> Bool {
        guard imageFormat == .JPEG else { return false }
        let (first, second) = marker.bytes
        return base.withUnsafeBytes { bytes in
            var index = 0
            while index + 1 < bytes.count {
                if bytes[index] == first, bytes[index + 1] == second { return true }
                index += 1
            }
            return false
        }
    }
}
