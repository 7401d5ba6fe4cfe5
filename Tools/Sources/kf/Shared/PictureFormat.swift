import ArgumentParser
import Foundation
@_spi(Programs) import Kingfisher

/// The formats that the tool writes.
enum PictureFormat: String, CaseIterable, Sendable {
    case png
    case jpeg
    case gif
    case webp
    case avif
    case jxl

    /// The values of `--format` for messages.
    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// Ignores case and accepts `jpg` and `jpe` for JPEG.
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
        case .JXL: self = .jxl
        case .unknown, .HEIF, .TIFF, .SVG, .BMP, .ICO: return nil
        }
    }

    /// The format of a file name's suffix; nil for a name without a suffix and for `-`.
    ///
    /// - Throws: A `ValidationError` for the suffix of no format.
    init?(ending path: String) throws {
        let suffix = (path as NSString).pathExtension
        guard path != "-", !suffix.isEmpty else { return nil }
        guard let format = PictureFormat(name: suffix) else {
            throw ValidationError(
                "'.\(suffix)' is not the suffix of a format; choose one with --format: "
                    + PictureFormat.names
            )
        }
        self = format
    }

    /// Whether files become smaller with less quality.
    var isLossy: Bool { self != .png && self != .gif }

    /// The error of an image that could not be written.
    func failure(of image: KFCrossPlatformImage) -> Failure {
        let what = "cannot write this image as \(rawValue)"
        if let library = imageFormat.missingLibrary {
            return Failure("\(what): the library \(library) is not installed")
        }
        let (width, height) = (image.pixelWidth, image.pixelHeight)
        // The limits of the library's encoders.
        let limit: String? =
            switch self {
            case .webp: max(width, height) > 16_383 ? "no side may have more than 16383" : nil
            case .avif: width * height > 35_651_584 ? "35651584 in all are the limit" : nil
            case .png, .jpeg, .gif, .jxl: nil
            }
        guard let limit else { return Failure(what) }
        return Failure(
            "\(what): it has \(width) × \(height) pixels, and \(limit); choose another format, or a "
                + "smaller size"
        )
    }

    /// Names the formats of a default list that are left out, because their libraries are missing.
    static func noteMissing(_ formats: [PictureFormat], _ out: OutputOptions) {
        for format in formats where !out.quiet {
            guard let library = format.imageFormat.missingLibrary else { continue }
            Terminal.note(
                "kf: left out \(format.rawValue): the library \(library) is not installed"
            )
        }
    }

    /// The suffix of file names.
    var suffix: String { self == .jpeg ? "jpg" : rawValue }

    /// Whether all frames of an animation are written, instead of only the first.
    var holdsAnimations: Bool {
        switch self {
        case .gif, .webp, .avif: true
        case .png, .jpeg, .jxl: false
        }
    }

    /// The frames of an animation that this format does not hold; nil if it holds all.
    func droppedFrames(of image: KFCrossPlatformImage) -> Int? {
        let count = image.framesInAll
        return holdsAnimations || count < 2 ? nil : count - 1
    }

    /// The encoding.
    ///
    /// - Parameters:
    ///   - quality: 0…1; ignored by lossless formats.
    ///   - isBaseline: Whether a JPEG is not progressive.
    /// - Returns: The encoding.
    func encoding(quality: CGFloat = 0.9, isBaseline: Bool = false) -> ImageEncoding {
        switch self {
        case .png: .png
        case .jpeg: isBaseline ? .jpeg(quality: quality) : .progressiveJPEG(quality: quality)
        case .gif: .gif
        case .webp: .webp(quality: quality)
        case .avif: .avif(quality: quality)
        case .jxl: .jxl(quality: quality)
        }
    }

    /// The encoding that keeps every pixel of any still; nil for a format that has none.
    var losslessEncoding: ImageEncoding? {
        switch self {
        case .png: .png
        case .webp: .losslessWebP()
        case .avif: .losslessAVIF()
        case .jxl: .losslessJXL
        case .jpeg, .gif: nil
        }
    }

    /// The advice for a format that cannot keep every pixel.
    var lossyAdvice: String {
        "\(rawValue) cannot keep every pixel; choose png, webp, avif or jxl, or leave --lossless out"
    }

    var imageFormat: ImageFormat {
        switch self {
        case .png: .PNG
        case .jpeg: .JPEG
        case .gif: .GIF
        case .webp: .WebP
        case .avif: .AVIF
        case .jxl: .JXL
        }
    }
}

extension ImageFormat {
    /// The name in lower case, also of a format that is not written; nil for an unknown one.
    var name: String? { self == .unknown ? nil : "\(self)".lowercased() }
}

extension KFCrossPlatformImage {
    /// The number of its frames; 1 for an image that is no animation.
    fileprivate var framesInAll: Int { kf.imageFrameCount ?? images?.count ?? 1 }

    /// The first frame, with a note if there are others.
    func firstFrame(of title: String, _ out: OutputOptions) -> KFCrossPlatformImage {
        guard framesInAll > 1 else { return self }
        if !out.quiet {
            Terminal.note("kf: \(Terminal.line(title)): took the first of \(framesInAll) frames")
        }
        return kf.still
    }
}
