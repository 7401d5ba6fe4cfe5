import CCodecShims

/// A format that requires a package trait, and the kind of its library in C.
struct TraitFormat {
    let format: FileFormat
    let kind: kf_picture_kind
    /// The trait's name, also used in the error if it is disabled.
    let trait: StaticString
    let isOn: Bool

    /// Nil for formats that every build supports.
    init?(_ format: FileFormat) {
        self.format = format
        switch format {
        case .jxl:
            (kind, trait, isOn) = (KF_PICTURE_JXL, "JXL", Self.hasJXL)
        case .heif:
            (kind, trait, isOn) = (KF_PICTURE_HEIF, "HEIF", Self.hasHEIF)
        case .tiff:
            (kind, trait, isOn) = (KF_PICTURE_TIFF, "TIFF", Self.hasTIFF)
        case .svg:
            (kind, trait, isOn) = (KF_PICTURE_SVG, "SVG", Self.hasSVG)
        default:
            return nil
        }
    }

    /// Throws ``CodecError/unsupported(_:feature:)`` if the trait is disabled.
    func check() throws(CodecError) {
        guard isOn else {
            throw .unsupported(format, feature: "decoding without the package trait '\(trait)'")
        }
    }

    #if JXL
    private static let hasJXL = true
    #else
    private static let hasJXL = false
    #endif

    #if HEIF
    private static let hasHEIF = true
    #else
    private static let hasHEIF = false
    #endif

    #if TIFF
    private static let hasTIFF = true
    #else
    private static let hasTIFF = false
    #endif

    #if SVG
    private static let hasSVG = true
    #else
    private static let hasSVG = false
    #endif
}
