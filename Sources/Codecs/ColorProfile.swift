import CLCMS
import Pixels

/// An ICC profile that a picture carries.
///
/// A profile that cannot be read, or that does not fit the picture's channels, is as good as none:
/// viewers show such pictures, so ``init(_:)`` is nil and conversions report false.
///
/// Source: ICC.1:2010; the work is done by Little CMS.
final class ColorProfile {
    private let handle: cmsHPROFILE

    /// Profiles beyond this are not opened; large printer profiles have 2 MB.
    private static let maxByteCount = 8 << 20

    init?(_ bytes: UnsafeRawBufferPointer) {
        // 128: the header that every profile has.
        guard bytes.count > 128, bytes.count <= Self.maxByteCount,
            let handle = cmsOpenProfileFromMem(bytes.baseAddress, UInt32(bytes.count))
        else { return nil }
        self.handle = handle
    }

    /// Takes over a profile that was made here.
    init(owning handle: cmsHPROFILE) { self.handle = handle }

    deinit { cmsCloseProfile(handle) }

    enum Space {
        case gray
        case rgb
        case cmyk
    }

    /// The channels that the profile speaks of; nil for kinds that no format here carries.
    var space: Space? {
        switch cmsGetColorSpace(handle) {
        case cmsSigGrayData: .gray
        case cmsSigRgbData: .rgb
        case cmsSigCmykData: .cmyk
        default: nil
        }
    }

    /// Whether the profile calls itself sRGB, so that converting would change nothing.
    ///
    /// By its description: comparing curves costs as much as converting a small picture.
    var isSRGB: Bool {
        var text = [CChar](repeating: 0, count: 64)
        let length = cmsGetProfileInfoASCII(
            handle,
            cmsInfoDescription,
            "en",
            "US",
            &text,
            UInt32(text.count)
        )
        guard space == .rgb, length > 0 else { return false }
        let description = String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
            as: UTF8.self
        )
        // "c2" is the tiny sRGB profile by Facebook, "sRGB…" everybody else's.
        return description.hasPrefix("sRGB") || description == "c2"
    }

    /// Converts a fresh picture to sRGB in place.
    ///
    /// - Parameter bitmap: Made by the caller and shown to nobody yet.
    /// - Returns: False, with the picture as it was, if the profile is not for grey or RGB pictures.
    @discardableResult
    func convert(_ bitmap: Bitmap) -> Bool {
        let surface = FrameSurface(
            base: bitmap.storage.base,
            bytesPerRow: bitmap.bytesPerRow,
            size: bitmap.size
        )
        return convert(surface, isOpaque: bitmap.isOpaque)
    }

    /// Converts premultiplied pixels in place.
    @discardableResult
    func convert(_ surface: FrameSurface, isOpaque: Bool) -> Bool {
        guard let transform = makeTransform() else { return false }
        let width = surface.size.width
        for y in 0..<surface.size.height {
            let row = surface.row(y)
            if !isOpaque { unpremultiplyRow(from: row, to: row, width: width) }
            transform.apply(row, width: width)
            if !isOpaque { premultiplyRow(row, width: width) }
        }
        return true
    }

    /// A converter of rows of straight RGBA; nil for other profiles and for sRGB itself.
    ///
    /// Made once: setting it up takes as long as converting a megapixel.
    func makeTransform() -> ColorTransform? { transform }

    private lazy var transform = makeFreshTransform()

    private func makeFreshTransform() -> ColorTransform? {
        guard space == .gray || space == .rgb, !isSRGB else { return nil }
        return ColorTransform(handle, from: space == .gray ? .gray : .rgba)
    }

    /// A converter of rows of CMYK; nil if this is no CMYK profile.
    func makeCMYKTransform(isInverted: Bool) -> ColorTransform? {
        guard space == .cmyk else { return nil }
        return ColorTransform(handle, from: isInverted ? .invertedCMYK : .cmyk)
    }
}
