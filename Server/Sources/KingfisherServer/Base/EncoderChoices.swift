/// How WebPs, AVIFs and JPEG XLs are compressed.
public enum Compression: String, Sendable, CaseIterable {
    /// By a quality.
    case lossy
    /// Only WebP: without loss, after the quality has decided how much colours are rounded;
    /// animations are lossy.
    case nearLossless = "near_lossless"
    /// With exactly the pixels of the image; animations are lossy.
    case lossless
}

/// Whether results have fewer samples of colour than of brightness.
public enum ChromaSubsampling: String, Sendable, CaseIterable {
    /// By the encoder's rule: JPEG up to a quality of 90, AVIF always.
    case auto
    /// A quarter of them.
    case on
    /// All of them.
    case off

    /// Nil for the encoder's rule.
    var isOn: Bool? { self == .auto ? nil : self == .on }
}
