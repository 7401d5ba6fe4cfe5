public import Foundation

// MARK: Processors

extension KFOptionSetter {
    /// Replaces the processor.
    public func setProcessor(_ processor: any ImageProcessor) -> Self {
        setting(\.processor, to: processor)
    }

    /// Replaces the processor by a chain; an empty list gives the default processor.
    public func setProcessors(_ processors: [any ImageProcessor]) -> Self {
        let chain = processors.dropFirst().reduce(processors.first) { chain, next in
            chain?.append(another: next)
        }
        return setProcessor(chain ?? DefaultImageProcessor.default)
    }

    /// Chains a processor behind the one there is, also behind the default one.
    public func appendProcessor(_ processor: any ImageProcessor) -> Self {
        setProcessor(options.processor |> processor)
    }

    /// Chains a processor that cuts corners round.
    ///
    /// - Parameters:
    ///   - radius: The radius of each corner.
    ///   - targetSize: The size of the result in points; nil keeps the picture's own.
    ///   - corners: The corners that are rounded.
    ///   - backgroundColor: Fills the cut corners; nil leaves them transparent.
    /// - Returns: The receiver, or its changed copy.
    public func roundCorner(
        radius: Radius,
        targetSize: CGSize? = nil,
        roundingCorners corners: RectCorner = .all,
        backgroundColor: KFCrossPlatformColor? = nil
    ) -> Self {
        appendProcessor(
            RoundCornerImageProcessor(
                radius: radius,
                targetSize: targetSize,
                roundingCorners: corners,
                backgroundColor: backgroundColor
            )
        )
    }

    /// Chains a processor that blurs.
    public func blur(radius: CGFloat) -> Self {
        appendProcessor(BlurImageProcessor(blurRadius: radius))
    }

    /// Chains a processor that lays a colour over the picture.
    public func overlay(color: KFCrossPlatformColor, fraction: CGFloat = 0.5) -> Self {
        appendProcessor(OverlayImageProcessor(overlay: color, fraction: fraction))
    }

    /// Chains a processor that tints.
    public func tint(color: KFCrossPlatformColor) -> Self {
        appendProcessor(TintImageProcessor(tint: color))
    }

    /// Chains a processor that makes the picture grey.
    public func blackWhite() -> Self {
        appendProcessor(BlackWhiteProcessor())
    }

    /// Chains a processor that cuts a piece out, of a size in points around an anchor in 0…1.
    public func cropping(size: CGSize, anchor: CGPoint = .init(x: 0.5, y: 0.5)) -> Self {
        appendProcessor(CroppingImageProcessor(size: size, anchor: anchor))
    }

    /// Decodes straight to a size: in the place of the default processor, behind any other.
    public func downsampling(size: CGSize) -> Self {
        let processor = DownsamplingImageProcessor(size: size)
        guard options.processor.identifier == DefaultImageProcessor.default.identifier else {
            return appendProcessor(processor)
        }
        return setProcessor(processor)
    }

    /// Chains a processor that resizes.
    public func resizing(referenceSize: CGSize, mode: ContentMode = .none) -> Self {
        appendProcessor(ResizingImageProcessor(referenceSize: referenceSize, mode: mode))
    }
}

// MARK: Serializers, modifiers, scans

extension KFOptionSetter {
    /// Sets what turns images into disk bytes and back.
    public func serialize(by cacheSerializer: any CacheSerializer) -> Self {
        setting(\.cacheSerializer, to: cacheSerializer)
    }

    /// Stores the image in one format; `.unknown` is PNG.
    ///
    /// - Parameters:
    ///   - format: Any that this build writes, or `.GIF`.
    ///   - jpegCompressionQuality: 0 (smallest) to 1 (best); nil is 1.
    /// - Returns: The receiver, or its changed copy.
    public func serialize(as format: ImageFormat, jpegCompressionQuality: CGFloat? = nil) -> Self {
        serialize(
            by: FormatIndicatedCacheSerializer(
                imageFormat: format == .unknown ? .PNG : format,
                compressionQuality: format == .JPEG ? jpegCompressionQuality ?? 1 : nil
            )
        )
    }

    /// Sets or clears what changes the delivered image at the last moment.
    public func imageModifier(_ modifier: (any ImageModifier)?) -> Self {
        setting(\.imageModifier, to: modifier)
    }

    /// Sets a closure that changes the delivered image at the last moment.
    public func imageModifier(
        _ block: @escaping @Sendable (inout KFCrossPlatformImage) throws -> Void
    ) -> Self {
        imageModifier(
            AnyImageModifier { image in
                var image = image
                try block(&image)
                return image
            }
        )
    }

    /// Shows a progressive JPEG scan by scan; nil waits for the whole picture.
    public func progressiveJPEG(_ progressive: ImageProgressive? = .init()) -> Self {
        setting(\.progressiveJPEG, to: progressive)
    }
}
