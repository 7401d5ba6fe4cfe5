package import KFPixels

/// The properties stated in a file's header, known without decoding any pixels.
package struct ImageInfo: Sendable, Equatable {
    package var format: FileFormat
    /// The size of the stored bitmap in pixels, before ``orientation``.
    package var storedSize: PixelSize
    package var orientation: Orientation
    /// 1 for stills; nil if the header does not state it.
    package var frameCount: Int?
    /// How often an animation plays, 0 meaning forever; nil for stills.
    package var loopCount: Int?
    package var hasAlpha: Bool
    /// Progressive JPEG, interlaced PNG or interlaced GIF.
    package var isProgressive: Bool
    package var bitsPerChannel: Int
    /// Whether the file contains an ICC profile.
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

    /// The size in pixels after orientation.
    package var displaySize: PixelSize { orientation.displaySize(of: storedSize) }

    package var isAnimated: Bool { (frameCount ?? 1) > 1 }
}
