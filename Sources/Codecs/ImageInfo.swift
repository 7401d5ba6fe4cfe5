package import Pixels

/// What the header of a picture file tells, without decoding any pixel.
package struct ImageInfo: Sendable, Equatable {
    package var format: FileFormat
    /// The size of the stored raster in pixels, before ``orientation``.
    package var storedSize: PixelSize
    package var orientation: Orientation
    /// 1 for stills; nil when the header alone does not tell.
    package var frameCount: Int?
    /// How often an animation plays, 0 for ever; nil for stills.
    package var loopCount: Int?
    package var hasAlpha: Bool
    /// Progressive JPEG or interlaced PNG.
    package var isProgressive: Bool
    package var bitsPerChannel: Int
    /// Whether the file carries an ICC profile.
    package var hasColorProfile: Bool

    package init(
        format: FileFormat,
        storedSize: PixelSize,
        orientation: Orientation = .up,
        frameCount: Int? = 1,
        loopCount: Int? = nil,
        hasAlpha: Bool = false,
        isProgressive: Bool = false,
        bitsPerChannel: Int = 8,
        hasColorProfile: Bool = false
    ) {
        self.format = format
        self.storedSize = storedSize
        self.orientation = orientation
        self.frameCount = frameCount
        self.loopCount = loopCount
        self.hasAlpha = hasAlpha
        self.isProgressive = isProgressive
        self.bitsPerChannel = bitsPerChannel
        self.hasColorProfile = hasColorProfile
    }

    /// The size of the picture as it is seen, in pixels.
    package var displaySize: PixelSize { orientation.displaySize(of: storedSize) }

    package var isAnimated: Bool { (frameCount ?? 1) > 1 }
}
