import Foundation
import KFPixels

/// A processor of this library, with what the memory budget, decoding and the worker processes have
/// to know about it.
///
/// Custom processors always receive the bytes of a download, as documented, and run in the program.
protocol BuiltInProcessor: ImageProcessor {
    var traits: Traits { get }

    /// The settings in the form that is sent to workers.
    static var form: PortableForm<Self> { get }
}

/// What decoding, the memory budget and the worker processes know about a processor.
struct Traits: Sendable {
    typealias Sizing = @Sendable (_ own: PixelSize, _ scale: CGFloat) -> PixelSize?
    typealias Cutting = @Sendable (_ size: PixelSize, _ scale: CGFloat) -> PixelRect?

    /// How the result comes about.
    enum Kind: Sendable {
        /// From pixels: a decoded bitmap gives the same image as the bytes.
        case drawing
        /// By decoding, and nothing else.
        case decoding
        /// By these processors, one after another; none of them is a chain.
        case chain([any ImageProcessor])
        /// By another processor from each frame of an animation, encoded in a format.
        case frames(any ImageProcessor, ImageFormat?)
        /// By another processor, in the colours of the file's profile.
        case profile(any ImageProcessor)
        /// By attaching the file, without pixels.
        case file
        /// By code of the user's.
        case custom
    }

    let kind: Kind
    /// The size in pixels to which an image of that size is decoded; nil for its own size.
    var decodedSize: Sizing = { _, _ in nil }
    /// The size in pixels of the result; nil for ``decodedSize``.
    var drawnSize: Sizing?
    /// The rectangle that is kept of an image, within it; nil if pixels are added or changed, or
    /// nothing is left.
    var keptPart: Cutting?
    /// Whether an image that was decoded to ``decodedSize`` is the result.
    var onlyResizes = false
    /// See ``ResizingImageProcessor/prefersSpeed``.
    var prefersSpeed = false
    /// Whether the result has the file of an animation that is the input.
    var keepsFile = false

    /// The traits of any processor.
    init(of processor: any ImageProcessor) {
        self = processor.builtIn?.traits ?? Traits(.custom)
    }

    fileprivate init(_ kind: Kind) { self.kind = kind }

    fileprivate static var drawing: Traits { Traits(.drawing) }

    /// Decodes to a size, and draws then.
    fileprivate static func sized(_ size: @escaping Sizing) -> Traits {
        var traits = drawing
        traits.decodedSize = size
        return traits
    }

    /// Decodes to a size, and nothing else.
    fileprivate static func resizing(
        _ size: @escaping Sizing,
        prefersSpeed: Bool = false,
        keepsFile: Bool = false
    ) -> Traits {
        var traits = sized(size)
        traits.onlyResizes = true
        traits.prefersSpeed = prefersSpeed
        traits.keepsFile = keepsFile
        return traits
    }

    fileprivate static func canvas(_ size: Sizing? = nil, keeps part: Cutting? = nil) -> Traits {
        var traits = drawing
        traits.drawnSize = size
        traits.keptPart = part
        return traits
    }

    /// Whether the processor makes the same image of a bitmap as of bytes.
    var takesBitmap: Bool {
        switch kind {
        case .drawing, .decoding: true
        // Later steps receive an image in any case.
        case .chain(let steps): Traits(of: steps[0]).takesBitmap
        case .frames, .profile, .file, .custom: false
        }
    }

    /// Whether the processor should receive bytes rather than a decoded image: it makes the same of
    /// both, and decodes more efficiently itself.
    var prefersBytes: Bool {
        switch kind {
        case .chain(let steps): Traits(of: steps[0]).prefersBytes
        case .custom: false
        default: true
        }
    }
}

extension ImageProcessor {
    /// The steps of a chain, or this processor alone.
    var steps: [any ImageProcessor] {
        if case .chain(let steps) = Traits(of: self).kind { steps } else { [self] }
    }

    /// This processor if it is one of the library, which alone are in the table below.
    var builtIn: (any BuiltInProcessor)? { self as? any BuiltInProcessor }

    var onlyDecodes: Bool { if case .decoding = Traits(of: self).kind { true } else { false } }

    /// By the type, because every load asks, and an identifier may be made at each call.
    var carriesFile: Bool { self is OriginalBytesProcessor }
}

// MARK: - The table

extension PortableProcessors {
    /// The processors that workers know; their places are their names in messages.
    ///
    /// Both sides run the same program, so the order may change with every version.
    static let types: [any BuiltInProcessor.Type] = [
        DefaultImageProcessor.self, ProcessorChain.self, AnimatedImageProcessor.self,
        ProfileKeepingProcessor.self, DownsamplingImageProcessor.self,
        ResizingImageProcessor.self, ViewSizeProcessor.self, SmartCroppingImageProcessor.self,
        RoundCornerImageProcessor.self, CroppingImageProcessor.self, PaddingImageProcessor.self,
        RotatingImageProcessor.self, TrimmingImageProcessor.self, FlippingImageProcessor.self,
        BorderImageProcessor.self, WatermarkImageProcessor.self, BlendImageProcessor.self,
        CompositingImageProcessor.self, ColorControlsProcessor.self, BlackWhiteProcessor.self,
        TintImageProcessor.self, OverlayImageProcessor.self, BlurImageProcessor.self,
        SharpeningImageProcessor.self,
    ]
}

extension DefaultImageProcessor: BuiltInProcessor {
    static let form = PortableForm(Self.init) { _ in }
    var traits: Traits { Traits(.decoding) }
}

extension OriginalBytesProcessor: BuiltInProcessor {
    static let form = PortableForm(Self.init) { _ in }
    var traits: Traits { Traits(.file) }
}

extension ProcessorChain: BuiltInProcessor {
    static let form = PortableForm(
        { (steps: [PortableProcessor]) in Self(steps: steps.map(\.processor)) },
        { $0.steps.map(PortableProcessor.init) }
    )
    var traits: Traits {
        let start = Traits(of: start)
        var traits = Traits(.chain(steps))
        traits.decodedSize = start.decodedSize
        traits.onlyResizes = start.onlyResizes
        traits.prefersSpeed = start.prefersSpeed
        return traits
    }
}

extension AnimatedImageProcessor: BuiltInProcessor {
    static let form = PortableForm(
        { Self($0.processor, format: $1, compressionQuality: $2, maxFrameCount: $3) },
        { (PortableProcessor($0.processor), $0.format, $0.compressionQuality, $0.maxFrameCount) }
    )
    var traits: Traits { Traits(.frames(processor, format)) }
}

extension ProfileKeepingProcessor: BuiltInProcessor {
    static let form = PortableForm({ Self($0.processor) }, { PortableProcessor($0.processor) })
    var traits: Traits { Traits(.profile(processor)) }
}

extension DownsamplingImageProcessor: BuiltInProcessor {
    static let form = PortableForm(Self.init(size:)) { $0.size }
    var traits: Traits { .resizing(decodedSize) }
}

extension ResizingImageProcessor: BuiltInProcessor {
    static let form = PortableForm(Self.init(referenceSize:mode:prefersSpeed:)) {
        ($0.referenceSize, $0.targetContentMode, $0.prefersSpeed)
    }
    var traits: Traits { .resizing(decodedSize, prefersSpeed: prefersSpeed) }
}

extension ViewSizeProcessor: BuiltInProcessor {
    static let form = PortableForm({ Self(size: $0, covers: $1) }, { ($0.size, $0.covers) })
    var traits: Traits { .resizing(target, keepsFile: true) }
}

extension SmartCroppingImageProcessor: BuiltInProcessor {
    static let form = PortableForm(Self.init(size:)) { $0.size }
    var traits: Traits { .sized(decodedSize) }
}

extension RoundCornerImageProcessor: BuiltInProcessor {
    static let form = PortableForm(
        Self.init(radius:targetSize:roundingCorners:backgroundColor:)
    ) { ($0.radius, $0.targetSize, $0.roundingCorners, $0.backgroundColor) }
    var traits: Traits { .sized(decodedSize) }
}

extension CroppingImageProcessor: BuiltInProcessor {
    static let form = PortableForm(Self.init(size:anchor:)) { ($0.size, $0.anchor) }
    var traits: Traits { .canvas(keeps: keptPart) }
}

extension PaddingImageProcessor: BuiltInProcessor {
    static let form = PortableForm(Self.init(top:left:bottom:right:backgroundColor:)) {
        ($0.top, $0.left, $0.bottom, $0.right, $0.backgroundColor)
    }
    var traits: Traits { .canvas(drawnSize, keeps: keptPart) }
}

extension RotatingImageProcessor: BuiltInProcessor {
    static let form = PortableForm(Self.init(degrees:backgroundColor:)) {
        ($0.degrees, $0.backgroundColor)
    }
    var traits: Traits { .canvas(drawnSize) }
}

extension TrimmingImageProcessor: BuiltInProcessor {
    static let form = PortableForm(Self.init(tolerance:)) { $0.tolerance }
    var traits: Traits { .drawing }
}

extension FlippingImageProcessor: BuiltInProcessor {
    static let form = PortableForm(Self.init(_:)) { $0.direction }
    var traits: Traits { .drawing }
}

extension BorderImageProcessor: BuiltInProcessor {
    static let form = PortableForm(Self.init(border:)) { $0.border }
    var traits: Traits { .drawing }
}

extension WatermarkImageProcessor: BuiltInProcessor {
    static let form = PortableForm(
        { Self(watermark: $0.image, anchor: $1, margin: $2, alpha: $3) },
        { (PortableImage($0.watermark), $0.anchor, $0.margin, $0.alpha) }
    )
    var traits: Traits { .drawing }
}

extension BlendImageProcessor: BuiltInProcessor {
    static let form = PortableForm(Self.init(blendMode:alpha:backgroundColor:)) {
        ($0.blendMode, $0.alpha, $0.backgroundColor)
    }
    var traits: Traits { .drawing }
}

extension CompositingImageProcessor: BuiltInProcessor {
    static let form = PortableForm(Self.init(compositingOperation:alpha:backgroundColor:)) {
        ($0.compositingOperation, $0.alpha, $0.backgroundColor)
    }
    var traits: Traits { .drawing }
}

extension ColorControlsProcessor: BuiltInProcessor {
    static let form = PortableForm(Self.init(brightness:contrast:saturation:inputEV:)) {
        ($0.brightness, $0.contrast, $0.saturation, $0.inputEV)
    }
    var traits: Traits { .drawing }
}

extension BlackWhiteProcessor: BuiltInProcessor {
    static let form = PortableForm(Self.init) { _ in }
    var traits: Traits { .drawing }
}

extension TintImageProcessor: BuiltInProcessor {
    static let form = PortableForm(Self.init(tint:)) { $0.tint }
    var traits: Traits { .drawing }
}

extension OverlayImageProcessor: BuiltInProcessor {
    static let form = PortableForm(Self.init(overlay:fraction:)) { ($0.overlay, $0.fraction) }
    var traits: Traits { .drawing }
}

extension BlurImageProcessor: BuiltInProcessor {
    static let form = PortableForm(Self.init(blurRadius:)) { $0.blurRadius }
    var traits: Traits { .drawing }
}

extension SharpeningImageProcessor: BuiltInProcessor {
    static let form = PortableForm(Self.init(amount:radius:)) { ($0.amount, $0.radius) }
    var traits: Traits { .drawing }
}
