import Kingfisher

/// The options of a request, completed by the configuration.
struct RenderPlan: Sendable {
    var options: ProcessingOptions
    var format: OutputFormat
    /// Whether the EXIF orientation is applied.
    var rotates: Bool
    /// Nil if none is drawn.
    var watermark: KFCrossPlatformImage?
    var watermarkOpacity: Double
    var bounds: ResultBounds
    /// See ``RendererSettings/prefersSpeed``.
    var prefersSpeed = false
    /// See ``RendererSettings/unsharpMask``.
    var unsharpMask: ProcessingOptions.UnsharpMask?

    /// Makes a plan; a drawing gets the size that is asked for, whether or not that enlarges it.
    init(
        options: ProcessingOptions,
        of source: SourceFacts,
        rotates: Bool,
        watermarkOpacity: Double,
        bounds: ResultBounds,
        prefersSpeed: Bool = false,
        unsharpMask: ProcessingOptions.UnsharpMask? = nil
    ) {
        self.options = options
        self.options.enlarge = options.enlarge || source.isDrawing
        format = source.ownFormat
        self.rotates = rotates
        self.watermarkOpacity = watermarkOpacity
        self.bounds = bounds
        self.prefersSpeed = prefersSpeed
        self.unsharpMask = unsharpMask
    }

    /// Whether the image is drawn on an opaque colour.
    func flattens(_ source: SourceFacts, isExtended: Bool) -> Bool {
        let hasCorners = (options.cornerRadius ?? 0) > 0
        guard source.hasAlpha || isExtended || hasCorners else { return false }
        return options.background != nil || !format.hasAlpha
    }

    /// The plan for the frames of an animation.
    ///
    /// Frames are processed one by one, and a smart place would differ from frame to frame, so that
    /// the centre takes its place.
    ///
    /// - Throws: ``ServiceError`` 422 with the option `trim`: frames would get different sizes.
    func forAnimation() throws(ServiceError) -> RenderPlan {
        guard options.trim == nil else {
            throw ServiceError(422, "Animations cannot be trimmed", "Leave out the option trim")
        }
        var plan = self
        let centre = ProcessingOptions.Gravity.compass(.centre, x: 0, y: 0)
        if options.gravity == .smart { plan.options.gravity = centre }
        if options.crop?.gravity == .smart { plan.options.crop?.gravity = centre }
        return plan
    }

    /// The size of the result of a source, without regard to `trim`; nil if it is above a limit.
    func size(of source: SourceFacts) -> Extent? {
        let turned = turned(source.size, orientation: source.orientation)
        return try? Geometry(source: turned, options: options, limits: bounds).size
    }

    /// The size that ``Geometry`` starts from.
    func turned(_ size: Extent, orientation: Int) -> Extent {
        Reorientation(self, orientation: orientation).swapsSides ? size.transposed : size
    }
}
