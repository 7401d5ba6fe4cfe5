import CKFCodecShims

/// A format whose library is loaded with the first file, if it is installed.
package struct OptionalFormat {
    let format: FileFormat
    let kind: kf_picture_kind
    /// The library, and its package in Debian.
    private let library: String

    /// Nil for formats whose libraries every program has, or looks for itself.
    package init?(_ format: FileFormat) {
        self.format = format
        switch format {
        case .jxl:
            kind = KF_PICTURE_JXL
            library = "libjxl 0.7 to 0.11 (package libjxl0.7 or libjxl0.11)"
        case .heif:
            kind = KF_PICTURE_HEIF
            library = "libheif (package libheif1)"
        case .tiff:
            kind = KF_PICTURE_TIFF
            library = "libtiff 4.5 (package libtiff6)"
        case .svg:
            kind = KF_PICTURE_SVG
            library = "librsvg 2.52 (package librsvg2-2)"
        case .jpeg, .png, .gif, .webp, .avif, .bmp, .ico:
            return nil
        }
    }

    /// Whether the library is installed.
    ///
    /// The first call for each format loads it, which opens files.
    package var isAvailable: Bool {
        switch kind {
        case KF_PICTURE_JXL: Self.hasJXL
        case KF_PICTURE_HEIF: Self.hasHEIF
        case KF_PICTURE_TIFF: Self.hasTIFF
        case KF_PICTURE_SVG: Self.hasSVG
        default: false
        }
    }

    /// Loads the library.
    ///
    /// - Throws: ``CodecError/missingLibrary(_:name:)``.
    func check() throws(CodecError) {
        guard isAvailable else { throw .missingLibrary(format, name: library) }
    }

    private static let hasJXL = kf_picture_load(KF_PICTURE_JXL) != 0
    private static let hasHEIF = kf_picture_load(KF_PICTURE_HEIF) != 0
    private static let hasTIFF = kf_picture_load(KF_PICTURE_TIFF) != 0
    private static let hasSVG = kf_picture_load(KF_PICTURE_SVG) != 0
}
