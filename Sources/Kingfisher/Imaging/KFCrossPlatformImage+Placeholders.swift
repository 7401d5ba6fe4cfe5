public import Foundation
import Pixels

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The picture in about 25 bytes, to be shown until the picture itself is there.
    ///
    /// The format is ThumbHash (https://evanw.github.io/thumbhash/): it keeps the average colour,
    /// the ratio of the sides, transparency and the coarsest shapes.
    ///
    /// - Returns: The hash; nil for the empty image. Cost: one pass over the picture.
    public func thumbHash() -> Data? {
        // Without memory for a picture of 100 pixels there is no hash either.
        guard let bitmap = base.bitmap, let hash = try? ThumbHash(bitmap) else { return nil }
        return Data(hash.bytes)
    }

    /// The picture in 20 to 30 letters, to be shown until the picture itself is there.
    ///
    /// The format is BlurHash (https://github.com/woltapp/blurhash). It knows no transparency:
    /// what is transparent counts as black.
    ///
    /// - Parameter components: How many waves lie across and down, each brought inside 1…9.
    /// - Returns: The hash; nil for the empty image. Cost: one pass over the picture.
    public func blurHash(components: (across: Int, down: Int) = (4, 3)) -> String? {
        guard let bitmap = base.bitmap else { return nil }
        // Without memory for a picture of 64 pixels there is no hash either.
        let hash = try? BlurHash(bitmap, columns: components.across, rows: components.down)
        return hash?.text
    }

    /// The colour that most of the picture is close to; nil when nothing is visible.
    ///
    /// Cost: one pass over the picture.
    public var dominantColor: KFCrossPlatformColor? {
        // Without memory for a picture of 64 pixels there is no colour either.
        guard let bitmap = base.bitmap, let color = try? Pixels.dominantColor(bitmap),
            color.alpha > 0
        else { return nil }
        return KFCrossPlatformColor(color)
    }
}

extension KFCrossPlatformImage {
    /// Makes the blurred picture that a ThumbHash stands for, 32 pixels at its longest side.
    ///
    /// - Parameter thumbHash: The bytes; nil when they are none.
    public convenience init?(thumbHash: Data) {
        // The initialiser's contract is nil for what is no hash.
        guard let hash = try? ThumbHash(bytes: Array(thumbHash)), let bitmap = try? hash.bitmap()
        else { return nil }
        self.init(bitmap: bitmap)
    }

    /// Makes the blurred picture that a BlurHash stands for.
    ///
    /// - Parameters:
    ///   - blurHash: The letters; nil when they are none.
    ///   - size: In pixels; a small one such as 32 × 32 loses nothing. Nil when a side is not
    ///     1…65,535.
    ///   - punch: The contrast; 1 is that of the picture.
    public convenience init?(blurHash: String, size: CGSize, punch: CGFloat = 1) {
        // The initialiser's contract is nil for what is no hash or no size.
        guard let pixels = PixelSize(points: size, scale: 1), punch.isFinite,
            let hash = try? BlurHash(text: blurHash),
            let bitmap = try? hash.bitmap(size: pixels, punch: Double(punch))
        else { return nil }
        self.init(bitmap: bitmap)
    }
}

extension KFCrossPlatformColor {
    /// A colour as bitmaps have it.
    init(_ color: RGBA) {
        self.init(
            red: CGFloat(color.red) / 255,
            green: CGFloat(color.green) / 255,
            blue: CGFloat(color.blue) / 255,
            alpha: CGFloat(color.alpha) / 255
        )
    }
}
