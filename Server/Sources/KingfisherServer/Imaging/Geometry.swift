/// The sizes and places of all steps that change the size of an image.
///
/// Pure arithmetic. The coordinates are those of the source after EXIF orientation, rotation and
/// flipping. The steps follow imgproxy's documentation: crop, scale, crop to the result, extend,
/// extend to an aspect ratio, padding.
///
/// Where that documentation is silent:
/// - Lengths are rounded half up, and every side is at least 1.
/// - Without `enlarge` no side is scaled above its own length; the aspect ratio of the requested
///   scale is kept, also with `force`. `min-width` and `min-height` may enlarge nevertheless.
/// - A square source or target counts as landscape for `auto`.
/// - `dpr` is limited to the factor at which the image reaches its own size. One below 1 is limited
///   in the same way for paddings, offsets and the watermark, unless a canvas is asked for.
/// - An image above the largest result dimension is planned again with all lengths reduced.
/// - Where only the scaled image is above the limits, and most of it would be cropped away, the
///   source is cropped first: the result of a narrow source may be off by a pixel of the source.
struct Geometry: Sendable, Hashable {
    /// A part of an image.
    enum Part: Sendable, Hashable {
        case whole
        case frame(Frame)
        /// A part of this size that the processor places.
        case smart(Extent)
    }

    /// A larger canvas and the image's place on it.
    struct Canvas: Sendable, Hashable {
        let size: Extent
        let x: Int
        let y: Int
    }

    /// The size of the source.
    let source: Extent
    /// The part of the source that is used.
    let crop: Part
    /// The size of that part after scaling.
    let scaled: Extent
    /// The part of the scaled image that is used.
    let resultCrop: Part
    /// The canvases around that part, in order; at most two.
    let canvases: [Canvas]
    /// The margins of the result.
    let padding: ProcessingOptions.Padding
    /// The size of the result.
    let size: Extent
    /// The factor by which the result differs from the result without `dpr`.
    let dpr: Double

    /// Plans the steps.
    ///
    /// - Parameters:
    ///   - source: The size after orientation and rotation.
    ///   - options: The options of the request.
    ///   - limits: The limits of the results of each step.
    /// - Throws: ``ServiceError`` 422 if a step would exceed a limit.
    init(
        source: Extent,
        options: ProcessingOptions,
        limits: ResultBounds = ResultBounds()
    ) throws(ServiceError) {
        var plan = GeometryPlan(source: source, options: options, reduction: 1)
        if let side = limits.dimension.map({ max(1, $0) }) {
            // Sums of rounded parts may stay one pixel too long, so a few repetitions are needed.
            for _ in 0..<8 where plan.size.longestSide > side {
                let factor = Double(side) / Double(plan.size.longestSide)
                plan = GeometryPlan(
                    source: source,
                    options: options,
                    reduction: plan.reduction * factor
                )
            }
        }
        if !limits.allow(plan.scaled) { plan = plan.croppingFirst(in: source) ?? plan }
        for size in plan.sizes { try limits.check(size) }
        try limits.checkResult(plan.size)
        self.source = source
        crop = plan.crop
        scaled = plan.scaled
        resultCrop = plan.resultCrop
        canvases = plan.canvases
        padding = plan.padding
        size = plan.size
        dpr = plan.dpr
    }
}

/// The limits of the sizes of a result and of the steps before it.
struct ResultBounds: Sendable, Hashable {
    /// The largest side in pixels.
    var side = 32_767
    /// The largest number of pixels: by default 64 megapixels, 256 MB in each step.
    var pixelCount = 64_000_000
    /// The side to which larger results are reduced; nil for none.
    var dimension: Int?

    /// Refuses a result that cannot be reduced to the largest dimension: an aspect ratio of 64 : 1
    /// has no size within 50 pixels.
    ///
    /// - Throws: ``ServiceError`` 422.
    func checkResult(_ size: Extent) throws(ServiceError) {
        guard let dimension, size.longestSide > max(1, dimension) else { return }
        throw ServiceError(
            422,
            "The result is too large",
            "Ask for a smaller one",
            detail: "\(size) pixels cannot be reduced to \(dimension) pixels a side."
        )
    }

    func allow(_ size: Extent) -> Bool {
        size.longestSide <= side && size.pixelCount <= pixelCount
    }

    /// - Throws: ``ServiceError`` 422 if the size of a step is above the limits.
    func check(_ size: Extent) throws(ServiceError) {
        guard allow(size) else {
            throw ServiceError(
                422,
                "The result is too large",
                "Ask for a smaller one",
                detail: "A step needs \(size) pixels; at most \(side) pixels a side and "
                    + "\(pixelCount) pixels in all are allowed."
            )
        }
    }
}

/// The arithmetic of ``Geometry`` for one reduction of all lengths.
private struct GeometryPlan {
    let reduction: Double
    private(set) var crop: Geometry.Part
    private(set) var scaled: Extent
    private(set) var resultCrop: Geometry.Part
    let canvases: [Geometry.Canvas]
    let padding: ProcessingOptions.Padding
    let size: Extent
    let dpr: Double
    /// The size after each step.
    private(set) var sizes: [Extent]

    init(source: Extent, options: ProcessingOptions, reduction: Double) {
        self.reduction = reduction
        let part = Self.cropSize(of: source, options)
        crop = Self.part(part, of: source, by: options.crop?.gravity ?? options.gravity, scale: 1)
        let scale = ScaleFactors(of: part, options, reduction)
        dpr = scale.dpr
        scaled = Extent(
            width: Double(part.width) * scale.x,
            height: Double(part.height) * scale.y
        )
        let target = scale.target
        let kept = target.crop(of: scaled, keepsRatio: options.resizingType == .fillDown)
        resultCrop = Self.part(kept, of: scaled, by: options.gravity, scale: dpr)
        var sizes = [part, scaled, kept]
        var canvases: [Geometry.Canvas] = []
        func extend(to size: Extent, _ gravity: ProcessingOptions.Gravity) {
            let inner = sizes[sizes.count - 1]
            guard size != inner else { return }
            let frame = gravity.frame(of: inner, in: size, scale: scale.dpr)
            canvases.append(.init(size: size, x: frame.x, y: frame.y))
            sizes.append(size)
        }
        if options.extend.isOn { extend(to: target.canvas(around: kept), options.extend.gravity) }
        if options.extendAspectRatio.isOn {
            let canvas = target.ratioCanvas(around: sizes[sizes.count - 1])
            extend(to: canvas, options.extendAspectRatio.gravity)
        }
        self.canvases = canvases
        padding = Self.padding(options, scale: dpr)
        let inner = sizes[sizes.count - 1]
        size = Extent(
            width: inner.width + padding.left + padding.right,
            height: inner.height + padding.top + padding.bottom
        )
        self.sizes = sizes + [size]
    }

    /// The plan that takes from the source only what remains of the scaled image; nil if all of it
    /// does, or if a processor places the first part.
    func croppingFirst(in source: Extent) -> GeometryPlan? {
        let outer: Frame
        switch crop {
        case .whole: outer = Frame(x: 0, y: 0, size: source)
        case .frame(let frame): outer = frame
        case .smart: return nil
        }
        /// The pixels of a side that are scaled to some of `scaled` pixels.
        func range(_ start: Int, _ count: Int, of scaled: Int, side: Int) -> Range<Int> {
            let ratio = Double(side) / Double(scaled)
            let first = min(side - 1, Int(Double(start) * ratio))
            let end = (Double(start + count) * ratio).rounded(.up)
            return first..<max(first + 1, min(side, Int(end)))
        }
        func part(_ x: Int, _ y: Int, _ kept: Extent) -> (x: Range<Int>, y: Range<Int>) {
            (
                range(x, kept.width, of: scaled.width, side: outer.size.width),
                range(y, kept.height, of: scaled.height, side: outer.size.height)
            )
        }
        var plan = self
        let kept: Extent
        switch resultCrop {
        case .whole: return nil
        case .frame(let frame):
            kept = frame.size
            let (x, y) = part(frame.x, frame.y, kept)
            plan.sizes[0] = Extent(width: x.count, height: y.count)
            plan.crop = .frame(
                Frame(x: outer.x + x.lowerBound, y: outer.y + y.lowerBound, size: plan.sizes[0])
            )
        case .smart(let size):
            guard crop == .whole else { return nil }
            kept = size
            let (x, y) = part(0, 0, kept)
            plan.sizes[0] = Extent(width: x.count, height: y.count)
            plan.crop = .smart(plan.sizes[0])
        }
        plan.scaled = kept
        plan.sizes[1] = kept
        plan.resultCrop = .whole
        return plan
    }

    private static func cropSize(of source: Extent, _ options: ProcessingOptions) -> Extent {
        guard let crop = options.crop else { return source }
        func side(_ wanted: Double, _ own: Int) -> Int {
            guard wanted > 0 else { return own }
            let pixels = wanted < 1 ? wanted * Double(own) : wanted
            return max(1, min(own, Rounding.pixels(pixels)))
        }
        return Extent(
            width: side(crop.width, source.width),
            height: side(crop.height, source.height)
        )
    }

    private static func part(
        _ size: Extent,
        of outer: Extent,
        by gravity: ProcessingOptions.Gravity,
        scale: Double
    ) -> Geometry.Part {
        guard size != outer else { return .whole }
        if gravity == .smart { return .smart(size) }
        return .frame(gravity.frame(of: size, in: outer, scale: scale))
    }

    private static func padding(
        _ options: ProcessingOptions,
        scale: Double
    ) -> ProcessingOptions.Padding {
        func margin(_ side: Int) -> Int { max(0, Rounding.pixels(Double(side) * scale)) }
        let own = options.padding ?? .init(top: 0, right: 0, bottom: 0, left: 0)
        return .init(
            top: margin(own.top),
            right: margin(own.right),
            bottom: margin(own.bottom),
            left: margin(own.left)
        )
    }
}
