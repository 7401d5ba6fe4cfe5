import CKFLCMS
import FoundationEssentials
import KFPixels

/// The ICC profile of an image.
///
/// An unreadable profile, or one that does not fit the image's channels, is ignored, as viewers do:
/// ``init(_:)`` returns nil and conversions return false. So is a profile of sRGB.
///
/// Source: ICC.1:2010. Conversions are done by Little CMS.
final class ColorProfile {
    private let handle: cmsHPROFILE
    /// The bytes of a profile that pixels may stay in; nil outside of a ``ProfileScope``.
    private let bytes: Data?
    /// How high dynamic range is shown; the curves of the profile do not count then.
    private let toneMap: ToneMap?
    /// Whether rows of 8 bits are converted exactly, and before they are scaled: the tables of Little
    /// CMS are several levels off in the dark for linear light.
    let isExact: Bool

    /// Larger profiles are not opened.
    ///
    /// Large printer profiles have 2 MB.
    static let maxByteCount = 8 << 20

    /// Opens a profile; nil if it is unreadable, or if it stands for sRGB, so that no conversion is
    /// necessary.
    ///
    /// The name of a profile does not matter: linear and wide ones are called sRGB, too.
    init?(_ bytes: UnsafeRawBufferPointer) {
        // 128: the length of the header that every profile has.
        guard bytes.count > 128, bytes.count <= Self.maxByteCount,
            KnownProfiles.isSRGB(bytes) != true,
            let handle = cmsOpenProfileFromMem(bytes.baseAddress, UInt32(bytes.count))
        else { return nil }
        guard !KnownProfiles.isSRGB(bytes, handle) else {
            cmsCloseProfile(handle)
            return nil
        }
        self.handle = handle
        let isKeepable = ProfileScope.isActive && bytes.count <= ProfileScope.maxByteCount
        self.bytes = isKeepable ? Data(bytes) : nil
        toneMap = nil
        isExact = false
    }

    /// Takes ownership of a profile that was created here.
    ///
    /// - Parameters:
    ///   - handle: The profile.
    ///   - isKeepable: Whether pixels may stay in its colours.
    ///   - toneMap: How high dynamic range is shown, in place of the profile's curves.
    ///   - isExact: See ``isExact``.
    init(
        owning handle: cmsHPROFILE,
        isKeepable: Bool = false,
        toneMap: ToneMap? = nil,
        isExact: Bool = false
    ) {
        self.handle = handle
        self.isExact = isExact
        self.toneMap = toneMap
        bytes = isKeepable && ProfileScope.isActive ? Self.bytes(of: handle) : nil
    }

    deinit { cmsCloseProfile(handle) }

    enum Space {
        case gray
        case rgb
        case cmyk
    }

    /// The channels that the profile describes; nil for kinds that no supported format uses.
    var space: Space? {
        switch cmsGetColorSpace(handle) {
        case cmsSigGrayData: .gray
        case cmsSigRgbData: .rgb
        case cmsSigCmykData: .cmyk
        default: nil
        }
    }

    /// Converts a new bitmap to sRGB in place.
    ///
    /// - Parameter bitmap: Created by the caller and not yet shared.
    /// - Returns: False, with the bitmap unchanged, if the profile is not for grey or RGB.
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
    ///
    /// - Parameters:
    ///   - surface: Premultiplied RGBA.
    ///   - isOpaque: Whether every alpha is 255, which saves unpremultiplying.
    /// - Returns: False, with the pixels unchanged, if the profile is not for grey or RGB.
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

    /// A converter for rows of straight RGBA; nil for other channels than grey and RGB, and for a
    /// profile that the current ``ProfileScope`` keeps.
    ///
    /// Created once and kept: its setup takes as long as converting a megapixel.
    ///
    /// - Parameter isDeep: Whether the rows have 16 bits per channel.
    /// - Returns: The converter, or nil.
    func makeTransform(isDeep: Bool = false) -> ColorTransform? {
        guard let transform = isDeep ? deepTransform : transform else { return nil }
        guard ProfileScope.isActive, let bytes, isDevice, space == .rgb else { return transform }
        ProfileScope.keep(bytes)
        return nil
    }

    /// A converter of 16 bits per channel that is exact and slow, for tests; nil as above.
    func makeExactTransform() -> ColorTransform? { ColorTransform(handle, from: .deepRGBA) }

    /// Whether the profile describes a device or a colour space, so that files may embed it.
    private var isDevice: Bool {
        switch cmsGetDeviceClass(handle) {
        case cmsSigInputClass, cmsSigDisplayClass, cmsSigOutputClass, cmsSigColorSpaceClass: true
        default: false
        }
    }

    /// The profile as a file; nil if memory runs out.
    private static func bytes(of handle: cmsHPROFILE) -> Data? {
        var count: UInt32 = 0
        guard cmsSaveProfileToMem(handle, nil, &count) != 0, count > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        return cmsSaveProfileToMem(handle, &bytes, &count) != 0 ? Data(bytes) : nil
    }

    private lazy var transform = makeFreshTransform(isDeep: false)
    private lazy var deepTransform = makeFreshTransform(isDeep: true)

    private func makeFreshTransform(isDeep: Bool) -> ColorTransform? {
        guard space == .gray || space == .rgb else { return nil }
        if isDeep || isExact || toneMap != nil, let light = LightTransform(handle, toneMap: toneMap)
        {
            return ColorTransform(light)
        }
        let isGray = space == .gray
        if isDeep { return ColorTransform(handle, from: isGray ? .deepGray : .deepRGBA) }
        return ColorTransform(handle, from: isGray ? .gray : .rgba)
    }

    /// A converter for rows of inverted CMYK; nil if this is not a CMYK profile.
    func makeInvertedCMYKTransform() -> ColorTransform? {
        space == .cmyk ? ColorTransform(handle, from: .invertedCMYK) : nil
    }
}
