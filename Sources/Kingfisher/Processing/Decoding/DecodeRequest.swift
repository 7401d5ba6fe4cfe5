import Foundation
import KFPixels

/// What one caller makes of encoded bytes, resolved once from the options of its load.
final class DecodeRequest: Sendable {
    /// Images of the same bytes with equal keys are equal.
    ///
    /// An option on which decoding depends belongs here and in ``IsolatedOptions``.
    struct Key: Hashable, Sendable {
        let processor: String
        let scale: CGFloat
        let preloadsAll: Bool
        let onlyFirstFrame: Bool
        let limits: ResultLimits
        let isIsolated: Bool
        let acceptsTruncated: Bool
        let serializer: ObjectIdentifier?
    }

    let key: Key
    /// The options with the processor.
    let options: KingfisherParsedOptionsInfo
    /// Whether the processor takes a decoded bitmap instead of the encoded bytes; false on a queue
    /// of the user's, and if the file may end early.
    let takesBitmap: Bool
    /// Makes the image that the processor gets, if a serializer decodes stored bytes itself.
    let decoding: SerializerDecoding?
    private let traits: Traits

    init(_ options: KingfisherParsedOptionsInfo, by decoding: SerializerDecoding? = nil) {
        self.options = options
        self.decoding = decoding
        key = Key(
            processor: options.processor.identifier,
            scale: options.scaleFactor,
            preloadsAll: options.preloadAllAnimationData,
            onlyFirstFrame: options.onlyLoadFirstFrame,
            limits: options.resultLimits,
            isIsolated: options.isolated,
            acceptsTruncated: options.acceptsTruncatedFiles,
            serializer: decoding?.kind
        )
        traits = Traits(of: options.processor)
        // A part of an image is not shared with callers who want all of it.
        takesBitmap =
            options.processingQueue == nil && traits.takesBitmap
            && !options.acceptsTruncatedFiles
    }

    /// Whether all loads of the same bytes with an equal key can have one image.
    ///
    /// A processor of the user's may count its calls, or depend on the load.
    var makesEqualImages: Bool { takesBitmap && PortableProcessors.contain(options.processor) }

    /// Whether the processor makes the image of a part of the file, which decoding the whole file
    /// for this request alone would waste.
    var keepsPart: Bool {
        options.processor.steps.prefix(3).contains { Traits(of: $0).keptPart != nil }
    }

    /// See ``ResizingImageProcessor/prefersSpeed``.
    var prefersSpeed: Bool { traits.prefersSpeed }

    /// The size in pixels in which an image of `own` pixels is needed.
    func size(of own: PixelSize) -> PixelSize { traits.decodedSize(own, key.scale) ?? own }

    /// The image that the processor makes from the bitmap in that size.
    func image(
        _ bitmap: KFCrossPlatformImage,
        of own: PixelSize
    ) -> KFCrossPlatformImage? {
        var processor = options.processor
        if traits.onlyResizes, traits.decodedSize(own, key.scale) != nil {
            // Computing its size again could be off by one pixel.
            let rest = processor.steps.drop { $0.onlyDecodes }.dropFirst()
            processor = ProcessorChain(steps: Array(rest))
        }
        return processor.process(item: .image(bitmap), options: options)
    }
}

extension KingfisherParsedOptionsInfo {
    /// The options for an image that is no animation; a processor of animations passes it on to its
    /// own.
    var forStills: KingfisherParsedOptionsInfo {
        guard case .frames(let still, _) = Traits(of: self.processor).kind else { return self }
        var options = self
        options.processor = still
        return options
    }
}
