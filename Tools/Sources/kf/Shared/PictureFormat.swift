import ArgumentParser
import Foundation
import Kingfisher

/// The formats that the tool writes.
enum PictureFormat: String, CaseIterable, Sendable {
    case png
    case jpeg
    case gif
    case webp
    case avif

    /// The values of `--format`, for messages.
    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// Knows `jpg` too, and does not care about case.
    init?(name: String) {
        let name = name.lowercased()
        self.init(rawValue: name == "jpg" || name == "jpe" ? "jpeg" : name)
    }

    init?(_ format: ImageFormat) {
        switch format {
        case .PNG: self = .png
        case .JPEG: self = .jpeg
        case .GIF: self = .gif
        case .WebP: self = .webp
        case .AVIF: self = .avif
        default: return nil
        }
    }

    /// The format that a file's name ends in; nil for a name without an ending and for `-`.
    ///
    /// - Throws: A `ValidationError` for an ending that is none of a format.
    init?(ending path: String) throws {
        let suffix = (path as NSString).pathExtension
        guard path != "-", !suffix.isEmpty else { return nil }
        guard let format = PictureFormat(name: suffix) else {
            throw ValidationError(
                "cannot tell a format from '.\(suffix)'; name one with --format: "
                    + PictureFormat.names
            )
        }
        self = format
    }

    /// How names of files in the format end.
    var suffix: String { self == .jpeg ? "jpg" : rawValue }

    /// Whether animations are written whole; of others the first frame is.
    var holdsAnimations: Bool { self == .gif || self == .webp }

    var imageFormat: ImageFormat {
        switch self {
        case .png: .PNG
        case .jpeg: .JPEG
        case .gif: .GIF
        case .webp: .WebP
        case .avif: .AVIF
        }
    }
}
