import CCodecShims

/// The formats that package traits switch on, and what their libraries are called in C.
struct TraitFormat {
    let format: FileFormat
    let kind: kf_picture_kind
    /// The trait's name; also what ``CodecError`` tells when it is off.
    let trait: StaticString
    let isOn: Bool

    /// Nil for formats that every build knows.
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

    /// Refuses a format whose trait is off.
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
