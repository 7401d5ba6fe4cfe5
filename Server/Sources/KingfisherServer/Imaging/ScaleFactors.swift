/// The factors that bring an image to its requested size.
struct ScaleFactors: Sendable, Hashable {
    /// The factor of the width, with `zoom` and `dpr`.
    private(set) var x: Double
    /// The factor of the height, with `zoom` and `dpr`.
    private(set) var y: Double
    /// The effective `dpr`, multiplied by the reduction: the factor of paddings, offsets and the
    /// watermark.
    let dpr: Double
    /// The requested size, with `zoom` and `dpr`.
    let target: TargetBox

    /// - Parameters:
    ///   - size: The size of the image.
    ///   - options: The options of the request.
    ///   - reduction: The factor of all lengths, at most 1.
    init(of size: Extent, _ options: ProcessingOptions, _ reduction: Double) {
        let (width, height) = (Double(size.width), Double(size.height))
        let zoom = (x: Self.factor(options.zoomX), y: Self.factor(options.zoomY))
        (x, y) = Self.fitting(size, options)
        (x, y) = (x * zoom.x, y * zoom.y)
        var wanted = Self.factor(options.dpr ?? 1)
        if !options.enlarge { wanted = min(wanted, max(1, 1 / max(x, y))) }
        (x, y) = (x * wanted, y * wanted)
        let largest = max(x, y)
        let asked = wanted * reduction
        // Only now: a factor below 1 may bring a large request down to the image's own size.
        if !options.enlarge, largest > 1 {
            (x, y) = (x / largest, y / largest)
            // Without a canvas of the requested size the result is as if asked for with less.
            if wanted < 1, !options.extend.isOn { wanted /= largest }
        }
        (x, y) = (x * reduction, y * reduction)
        dpr = wanted * reduction
        let small = max(
            Double(max(0, options.minimalWidth)) * asked / (width * x),
            Double(max(0, options.minimalHeight)) * asked / (height * y)
        )
        if small > 1 { (x, y) = (x * small, y * small) }
        target = TargetBox(
            width: Double(max(0, options.width)) * zoom.x * asked,
            height: Double(max(0, options.height)) * zoom.y * asked
        )
    }

    /// A factor from outside; 1 for values that are no factor.
    private static func factor(_ value: Double) -> Double {
        value > 0 && value.isFinite ? max(1e-6, min(1e6, value)) : 1
    }

    private static func fitting(
        _ size: Extent,
        _ options: ProcessingOptions
    ) -> (x: Double, y: Double) {
        let across = options.width > 0 ? Double(options.width) / Double(size.width) : nil
        let down = options.height > 0 ? Double(options.height) / Double(size.height) : nil
        guard options.resizingType != .force else { return (across ?? 1, down ?? 1) }
        guard let across, let down else {
            let both = across ?? down ?? 1
            return (both, both)
        }
        let covers =
            switch options.resizingType {
            case .fill, .fillDown: true
            case .fit, .force: false
            case .auto: (size.width >= size.height) == (options.width >= options.height)
            }
        let both = covers ? max(across, down) : min(across, down)
        return (both, both)
    }
}

/// The requested size in pixels; 0 for a side that was not requested.
struct TargetBox: Sendable, Hashable {
    let width: Double
    let height: Double

    /// The size of the part of a scaled image that lies inside the box.
    ///
    /// - Parameters:
    ///   - size: The size of the scaled image.
    ///   - keepsRatio: Whether a smaller image is cropped to the aspect ratio of the box.
    /// - Returns: The size of the part.
    func crop(of size: Extent, keepsRatio: Bool) -> Extent {
        var (across, down) = (width, height)
        if keepsRatio, across > 0, down > 0 {
            let share = min(Double(size.width) / across, Double(size.height) / down)
            if share < 1 { (across, down) = (across * share, down * share) }
        }
        func side(_ wanted: Double, _ own: Int) -> Int {
            wanted > 0 ? max(1, min(own, Rounding.pixels(wanted))) : own
        }
        return Extent(width: side(across, size.width), height: side(down, size.height))
    }

    /// The smallest canvas that holds both an image and the box.
    func canvas(around size: Extent) -> Extent {
        Extent(
            width: max(size.width, Rounding.pixels(width)),
            height: max(size.height, Rounding.pixels(height))
        )
    }

    /// The smallest canvas around an image that has the aspect ratio of the box.
    func ratioCanvas(around size: Extent) -> Extent {
        guard width > 0, height > 0 else { return size }
        let (own, other) = (Double(size.width), Double(size.height))
        // Less than a pixel is the rounding of a size that already has the ratio.
        func side(_ own: Int, _ wanted: Double) -> Int {
            wanted - Double(own) < 1 ? own : Rounding.pixels(wanted)
        }
        return Extent(
            width: side(size.width, other * width / height),
            height: side(size.height, own * height / width)
        )
    }
}
