import Foundation
import Kingfisher

/// The formats that the tool writes.
enum PictureFormat: String, CaseIterable, Sendable {
    case png
    case jpeg
    case gif
    case webp
    case avif

    /// What `--format` takes, for messages.
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
