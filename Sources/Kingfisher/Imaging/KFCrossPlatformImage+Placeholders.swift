public import Foundation
import KFPixels

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// A ThumbHash of about 25 bytes, for a placeholder shown while the image loads.
    ///
    /// Format: https://evanw.github.io/thumbhash/. It keeps the average colour, the aspect ratio,
    /// transparency and coarse shapes. Cost: one pass over the image.
    ///
    /// - Returns: The hash; nil for an empty image.
    public func thumbHash() -> Data? {
        // Also nil if there is no memory to scale the image down to 100 pixels.
        guard let bitmap = base.bitmap, let hash = try? ThumbHash(bitmap) else { return nil }
        return Data(hash.bytes)
    }

    /// A BlurHash of 20 to 30 characters, for a placeholder shown while the image loads.
    ///
    /// Format: https://github.com/woltapp/blurhash. It has no transparency: transparent pixels
    /// count as black. Cost: one pass over the image.
    ///
    /// - Parameter components: The number of horizontal and vertical components, each clamped to
    ///   1…9.
    /// - Returns: The hash; nil for an empty image.
    public func blurHash(components: (across: Int, down: Int) = (4, 3)) -> String? {
        guard let bitmap = base.bitmap else { return nil }
        // Also nil if there is no memory to scale the image down to 64 pixels.
        let hash = try? BlurHash(bitmap, columns: components.across, rows: components.down)
        return hash?.text
    }

    /// The predominant colour; nil if no pixel is visible.
    ///
    /// Cost: one pass over the image.
    public var dominantColor: KFCrossPlatformColor? {
        // Also nil if there is no memory to scale the image down to 64 pixels.
        guard let bitmap = base.bitmap, let color = try? KFPixels.dominantColor(bitmap),
            color.alpha > 0
        else { return nil }
        return KFCrossPlatformColor(color)
    }
}

extension KFCrossPlatformImage {
    /// Makes the blurred image of a ThumbHash, 32 pixels on its longer side; nil if the bytes are
    /// invalid.
    ///
    /// - Parameter thumbHash: The bytes of the hash.
    public convenience init?(thumbHash: Data) {
        // Nil is the documented result for an invalid hash.
        guard let hash = try? ThumbHash(bytes: Array(thumbHash)), let bitmap = try? hash.bitmap()
        else { return nil }
        self.init(bitmap: bitmap)
    }

    /// Makes the blurred image of a BlurHash; nil if the hash or the size is invalid.
    ///
    /// - Parameters:
    ///   - blurHash: The characters of the hash.
    ///   - size: In pixels, 1…65,535 on each side; a small size such as 32 × 32 loses no detail.
    ///   - punch: The contrast; 1 keeps that of the hash.
    public convenience init?(blurHash: String, size: CGSize, punch: CGFloat = 1) {
        // Nil is the documented result for an invalid hash or size.
        guard let pixels = PixelSize(points: size, scale: 1), punch.isFinite,
            let hash = try? BlurHash(text: blurHash),
            let bitmap = try? hash.bitmap(size: pixels, punch: Double(punch))
        else { return nil }
        self.init(bitmap: bitmap)
    }
}

extension KFCrossPlatformColor {
    /// Makes a colour from the channels of a bitmap.
    init(_ color: RGBA) {
        self.init(
            red: CGFloat(color.red) / 255,
            green: CGFloat(color.green) / 255,
            blue: CGFloat(color.blue) / 255,
            alpha: CGFloat(color.alpha) / 255
        )
    }
}
