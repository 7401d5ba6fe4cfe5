extension URLOption {
    /// The largest side in pixels that a URL can name; the service's own limits are lower.
    static let maximalSide = 1_000_000

    /// The size of the result and how the image is brought to it.
    static let size: [URLOption] = [
        URLOption(shorthand: "resize", ["rs"], arguments: 8) {
            arguments,
            options throws(ServiceError) in
            try readResizingType(arguments, &options)
            try readSize(arguments.dropping(1), &options)
        },
        URLOption(shorthand: "size", ["s"], arguments: 7, read: readSize),
        URLOption("resizing_type", ["rt"], arguments: 1, read: readResizingType) { options in
            options.resizingType == .fit ? nil : [options.resizingType.rawValue]
        },
        .integer("width", ["w"], \.width, in: 0...maximalSide),
        .integer("height", ["h"], \.height, in: 0...maximalSide),
        .integer("min-width", ["min_width", "mw"], \.minimalWidth, in: 0...maximalSide),
        .integer("min-height", ["min_height", "mh"], \.minimalHeight, in: 0...maximalSide),
        URLOption("zoom", ["z"], arguments: 2, read: readZoom) { options in
            let factors = [options.zoomX, options.zoomY]
            return factors == [1, 1] ? nil : factors.map(OptionArguments.text(of:))
        },
        .single("dpr", [], \.dpr) { arguments throws(ServiceError) in
            try arguments.number(0, in: factors).map { .some($0) }
        } write: { dpr in
            dpr == 1 ? nil : dpr.map(OptionArguments.text(of:))
        },
        .flag("enlarge", ["el"], \.enlarge),
        extend("extend", ["ex"], \.extend),
        extend("extend_aspect_ratio", ["extend_ar", "exar"], \.extendAspectRatio),
    ]

    /// Factors of sizes: greater than 0, and bounded so that products stay small.
    private static let factors = 0.001...100.0

    private static func readResizingType(
        _ arguments: OptionArguments,
        _ options: inout ProcessingOptions
    ) throws(ServiceError) {
        let type = try arguments.choice(0, of: ProcessingOptions.ResizingType.self)
        if let type { options.resizingType = type }
    }

    private static func readSize(
        _ arguments: OptionArguments,
        _ options: inout ProcessingOptions
    ) throws(ServiceError) {
        if let width = try arguments.integer(0, in: 0...maximalSide) { options.width = width }
        if let height = try arguments.integer(1, in: 0...maximalSide) { options.height = height }
        if let enlarge = try arguments.flag(2) { options.enlarge = enlarge }
        try read(arguments.dropping(3), into: &options.extend)
    }

    private static func readZoom(
        _ arguments: OptionArguments,
        _ options: inout ProcessingOptions
    ) throws(ServiceError) {
        let x = try arguments.number(0, in: factors)
        let y = try arguments.number(1, in: factors)
        if let x { options.zoomX = x }
        // A single factor stands for both.
        if let y = y ?? (arguments.values.count == 1 ? x : nil) { options.zoomY = y }
    }

    private static func extend(
        _ name: String,
        _ shortNames: [String],
        _ path: any Path<ProcessingOptions.Extend>
    ) -> URLOption {
        URLOption(name, shortNames, arguments: 4) { arguments, options throws(ServiceError) in
            try read(arguments, into: &options[keyPath: path])
        } write: { options in
            let extend = options[keyPath: path]
            guard extend.isOn else { return nil }
            let isCentred = extend.gravity == .compass(.centre, x: 0, y: 0)
            return ["1"] + (isCentred ? [] : extend.gravity.arguments)
        }
    }

    private static func read(
        _ arguments: OptionArguments,
        into extend: inout ProcessingOptions.Extend
    ) throws(ServiceError) {
        if let isOn = try arguments.flag(0) { extend.isOn = isOn }
        guard let gravity = try arguments.dropping(1).gravity() else { return }
        guard gravity != .smart else {
            throw arguments.error(1, "is no gravity for a canvas, which has no content")
        }
        extend.gravity = gravity
    }
}
