import CKFCodecShims

/// The installed fonts, for text of SVG and PDF in worker processes.
package enum SystemFonts {
    /// Maps the files, so that text can be drawn when no file can be opened any more.
    ///
    /// Changes the process for good, so it is for workers only. The libraries that draw have to be
    /// loaded, and must not have drawn text.
    package static func prepare() { _ = kf_fonts_prepare() }
}
