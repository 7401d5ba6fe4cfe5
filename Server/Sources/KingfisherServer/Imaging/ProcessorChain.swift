import Foundation
import Kingfisher

/// The processors that make a result from the bytes of a source.
///
/// The order is fixed: decode to a size, undo the EXIF orientation if it is not wanted, rotate,
/// flip, crop, scale, crop to the result, colours, blur, sharpen, pixelate, round corners, extend,
/// padding, background, gradient, watermark.
///
/// Processors of the library are used wherever one exists: they decode straight to the size and,
/// isolated, run in the worker processes. Those of the service run after the decoding, on the
/// smaller image.
struct ProcessorChain {
    private(set) var steps: [any ImageProcessor] = []
    /// The size after the last step.
    private var size: Extent
    private let options: ProcessingOptions
    private let prefersSpeed: Bool
    private let unsharpMask: ProcessingOptions.UnsharpMask?

    /// The chain as one processor.
    ///
    /// Never ``DefaultImageProcessor`` alone, whose result would be the source's own bytes.
    var processor: any ImageProcessor {
        steps.dropFirst().reduce(steps.first ?? resizing(to: size)) { $0 |> $1 }
    }

    /// Builds the chain for an image of known size.
    ///
    /// - Parameters:
    ///   - source: The source's properties.
    ///   - geometry: The sizes; planned for ``SourceFacts/size`` turned as the request says.
    ///   - request: The options, completed by the configuration.
    ///   - isDecoded: Whether the first step gets an image rather than bytes.
    init(
        _ source: SourceFacts,
        _ geometry: Geometry,
        _ request: RenderPlan,
        isDecoded: Bool = false
    ) {
        options = request.options
        prefersSpeed = request.prefersSpeed
        unsharpMask = request.unsharpMask
        let scale = Self.decodedScale(source, geometry, request.bounds)
        let decoded = Self.decodedSize(geometry, scale)
        let reorientation = Reorientation(request, orientation: source.orientation)
        size = decoded
        // An image in its own size needs no step, but bytes need one that decodes.
        if !isDecoded || decoded != geometry.source {
            append(resizing(to: reorientation.swapsSides ? decoded.transposed : decoded))
        }
        steps += reorientation.steps
        crop(Self.decodedPart(geometry, scale, in: decoded))
        if size != geometry.scaled {
            append(resizing(to: geometry.scaled), making: geometry.scaled)
        }
        crop(geometry.resultCrop)
        adjustColours()
        addDetailFilters(
            isReduced: geometry.scaled.pixelCount < geometry.crop.size(geometry.source).pixelCount
        )
        if let radius = options.cornerRadius, radius > 0, radius.isFinite {
            append(RoundCornerImageProcessor(cornerRadius: CGFloat(radius * geometry.dpr)))
        }
        for canvas in geometry.canvases { extend(to: canvas) }
        pad(geometry.padding)
        if request.flattens(source, isExtended: size != geometry.resultCrop.size(geometry.scaled)) {
            let colour = (options.background ?? .white).imageColour
            append(BlendImageProcessor(blendMode: .normal, backgroundColor: colour))
        }
        if let gradient = options.gradient { append(GradientProcessor(gradient)) }
        if let mark = request.watermark, let place = options.watermark {
            let box = (options.watermarkWidth, options.watermarkHeight)
            let placing = WatermarkPlacing(
                mark,
                place,
                in: box,
                on: size,
                dpr: geometry.dpr,
                density: options.watermarkText == nil ? 1 : WatermarkText.density
            )
            if let step = placing.processor(opacity: request.watermarkOpacity) { append(step) }
        }
    }

    private mutating func append(_ step: any ImageProcessor, making size: Extent? = nil) {
        steps.append(step)
        self.size = size ?? self.size
    }

    private func resizing(to size: Extent) -> any ImageProcessor {
        ResizingImageProcessor(
            referenceSize: CGSize(width: size.width, height: size.height),
            prefersSpeed: prefersSpeed
        )
    }

    /// The factors by which a source is decoded from which a part is taken.
    ///
    /// A part that is enlarged is taken from the source in its own size, unless it is a drawing,
    /// which is drawn in the size that gives the part its own, within the limits.
    private static func decodedScale(
        _ source: SourceFacts,
        _ geometry: Geometry,
        _ bounds: ResultBounds
    ) -> (x: Double, y: Double) {
        let (own, scaled) = (geometry.source, geometry.scaled)
        let part = geometry.crop.size(own)
        let across = Double(scaled.width) / Double(part.width)
        let down = Double(scaled.height) / Double(part.height)
        let whole = Extent(width: Double(own.width) * across, height: Double(own.height) * down)
        let enlarges = source.isDrawing && bounds.allow(whole)
        return enlarges ? (across, down) : (min(1, across), min(1, down))
    }

    /// The size to decode to: that in which the part that is kept has its final size.
    ///
    /// The place of the part is then rounded to pixels of the result.
    private static func decodedSize(
        _ geometry: Geometry,
        _ scale: (x: Double, y: Double)
    ) -> Extent {
        let own = geometry.source
        guard geometry.crop.size(own) != own else { return geometry.scaled }
        return Extent(width: Double(own.width) * scale.x, height: Double(own.height) * scale.y)
    }

    /// The part of the source in the decoded image.
    private static func decodedPart(
        _ geometry: Geometry,
        _ scale: (x: Double, y: Double),
        in decoded: Extent
    ) -> Geometry.Part {
        let own = geometry.source
        let part = geometry.crop.size(own)
        let size = Extent(
            width: scale.x < 1 || scale.x > 1 ? geometry.scaled.width : part.width,
            height: scale.y < 1 || scale.y > 1 ? geometry.scaled.height : part.height
        )
        switch geometry.crop {
        case .whole: return .whole
        case .smart: return .smart(size)
        case .frame(let frame):
            func place(_ place: Int, _ own: Int, _ decoded: Int, _ size: Int) -> Int {
                let scaled = Double(place) * Double(decoded) / Double(own)
                return min(Rounding.pixels(scaled), decoded - size)
            }
            return .frame(
                Frame(
                    x: place(frame.x, own.width, decoded.width, size.width),
                    y: place(frame.y, own.height, decoded.height, size.height),
                    size: size
                )
            )
        }
    }

    // MARK: Parts and margins

    private mutating func crop(_ part: Geometry.Part) {
        switch part {
        case .whole: return
        case .frame(let frame):
            append(
                Self.margins(
                    top: -frame.y,
                    right: frame.x + frame.size.width - size.width,
                    bottom: frame.y + frame.size.height - size.height,
                    left: -frame.x
                ),
                making: frame.size
            )
        case .smart(let target):
            // The processor places the largest part of an aspect ratio, so that one side at a time
            // is shortened without scaling.
            if target.height < size.height {
                smartCrop(to: Extent(width: size.width, height: target.height))
            }
            if target.width < size.width { smartCrop(to: target) }
        }
    }

    private mutating func smartCrop(to target: Extent) {
        let points = CGSize(width: target.width, height: target.height)
        append(SmartCroppingImageProcessor(size: points), making: target)
    }

    private mutating func extend(to canvas: Geometry.Canvas) {
        append(
            Self.margins(
                top: canvas.y,
                right: canvas.size.width - size.width - canvas.x,
                bottom: canvas.size.height - size.height - canvas.y,
                left: canvas.x
            ),
            making: canvas.size
        )
    }

    private mutating func pad(_ padding: ProcessingOptions.Padding) {
        let outer = Extent(
            width: size.width + padding.left + padding.right,
            height: size.height + padding.top + padding.bottom
        )
        guard outer != size else { return }
        append(
            Self.margins(
                top: padding.top,
                right: padding.right,
                bottom: padding.bottom,
                left: padding.left
            ),
            making: outer
        )
    }

    private static func margins(
        top: Int,
        right: Int,
        bottom: Int,
        left: Int
    ) -> any ImageProcessor {
        PaddingImageProcessor(
            top: CGFloat(top),
            left: CGFloat(left),
            bottom: CGFloat(bottom),
            right: CGFloat(right)
        )
    }

    // MARK: Filters

    private mutating func adjustColours() {
        if (options.brightness, options.contrast, options.saturation) != (0, 1, 1) {
            append(
                ColorControlsProcessor(
                    brightness: CGFloat(options.brightness / 255),
                    contrast: CGFloat(options.contrast),
                    saturation: CGFloat(options.saturation),
                    inputEV: 0
                )
            )
        }
        if options.monochromeIntensity > 0 {
            append(
                MonochromeProcessor(
                    intensity: options.monochromeIntensity,
                    colour: options.monochromeColour ?? .monochrome
                )
            )
        }
    }

    private mutating func addDetailFilters(isReduced: Bool) {
        if options.blur > 0 { append(BlurImageProcessor(blurRadius: CGFloat(options.blur))) }
        if options.sharpen > 0 {
            append(SharpeningImageProcessor(radius: CGFloat(options.sharpen)))
        }
        if let mask = options.unsharpMask ?? unsharpMask,
            mask.mode == .always || mask.mode == .auto && isReduced && options.sharpen == 0
        {
            append(UnsharpMaskProcessor(weight: mask.weight, divider: mask.divider))
        }
        if options.pixelate > 1 { append(PixelateProcessor(side: options.pixelate)) }
    }
}

extension Geometry.Part {
    /// The size of the part of an image of size `outer`.
    func size(_ outer: Extent) -> Extent {
        switch self {
        case .whole: outer
        case .frame(let frame): frame.size
        case .smart(let size): size
        }
    }
}

extension ProcessingOptions.Colour {
    static let white = Self(red: 255, green: 255, blue: 255)
    /// The colour of monochrome images that name none, as in imgproxy's documentation.
    static let monochrome = Self(red: 0xB3, green: 0xB3, blue: 0xB3)

    /// The opaque colour for the library.
    var imageColour: KFCrossPlatformColor {
        KFCrossPlatformColor(
            red: CGFloat(red) / 255,
            green: CGFloat(green) / 255,
            blue: CGFloat(blue) / 255,
            alpha: 1
        )
    }
}
