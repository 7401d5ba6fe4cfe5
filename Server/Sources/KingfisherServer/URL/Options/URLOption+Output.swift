extension URLOption {
    /// The encoded file.
    ///
    /// With these options alone an SVG is passed on: those of pixels belong in other lists
    /// (``DrawingTreatment``), and costly ones in ``WorkSize``, too.
    static let output: [URLOption] = [
        .integer("quality", ["q"], \.quality, in: 0...100, isUnsetByZero: true),
        URLOption(
            "format_quality",
            ["fq"],
            arguments: 2 * OutputFormat.allCases.count,
            read: readFormatQuality
        ) { options in
            let qualities = options.formatQuality.sorted { $0.key.rawValue < $1.key.rawValue }
            let arguments = qualities.flatMap { [$0.key.rawValue, String($0.value)] }
            return arguments.isEmpty ? nil : arguments
        },
        .integer("max_bytes", ["mb"], \.maximalBytes, in: 0...1 << 40, isUnsetByZero: true),
        URLOption("autoquality", ["aq"], arguments: 5, read: readAutoQuality) { options in
            options.autoQuality?.arguments
        },
        URLOption("format", ["f", "ext"], arguments: 1) { arguments, options throws(ServiceError) in
            guard let name = arguments[0]?.lowercased() else { return }
            options.wantsBest = name == "best"
            options.wantsDrawing = name == "svg"
            let isFormat = !options.wantsBest && !options.wantsDrawing
            options.format = isFormat ? try arguments.format(0) : nil
        } write: { options in
            if options.wantsDrawing { return ["svg"] }
            return options.wantsBest ? ["best"] : options.format.map { [$0.rawValue] }
        },
        URLOption("jpeg_options", ["jpgo"], arguments: 6) {
            arguments,
            options throws(ServiceError) in
            if let flag = try arguments.flag(0) { options.isProgressive = flag }
            if let flag = try arguments.flag(1) { options.subsampling[.jpeg] = flag ? .off : .auto }
            try arguments.requireUnset(from: 2)
        } write: { options in
            let progressive = options.isProgressive.map { $0 ? "1" : "0" }
            let chroma = options.subsampling[.jpeg].map { $0 == .off ? "1" : "0" }
            if let chroma { return [progressive ?? "", chroma] }
            return progressive.map { [$0] }
        },
        URLOption("png_options", ["pngo"], arguments: 3) {
            arguments,
            options throws(ServiceError) in
            guard try arguments.flag(0) != true else { throw arguments.unsupported(0) }
            if let flag = try arguments.flag(1) { options.quantizes = flag }
            if let colors = try arguments.integer(2, in: 2...256) { options.maximalColors = colors }
        } write: { options in
            guard options.quantizes != nil || options.maximalColors != nil else { return nil }
            let flag = options.quantizes.map { $0 ? "1" : "0" } ?? ""
            return ["", flag, options.maximalColors.map { String($0) } ?? ""]
        },
        URLOption("webp_options", ["webpo"], arguments: 3) {
            arguments,
            options throws(ServiceError) in
            if let way = try arguments.choice(0, of: Compression.self) {
                options.compression[.webp] = way
            }
            guard try arguments.flag(1) != true else { throw arguments.unsupported(1) }
            guard (arguments[2] ?? "default") == "default" else { throw arguments.unsupported(2) }
        } write: { options in
            options.compression[.webp].map { [$0.rawValue] }
        },
        URLOption("avif_options", ["avifo"], arguments: 2) {
            arguments,
            options throws(ServiceError) in
            if let way = try arguments.choice(0, of: ChromaSubsampling.self) {
                options.subsampling[.avif] = way
            }
            if let way = try arguments.exactness(1) { options.compression[.avif] = way }
        } write: { options in
            let chroma = options.subsampling[.avif]?.rawValue
            if let way = options.compression[.avif] { return [chroma ?? "", way.rawValue] }
            return chroma.map { [$0] }
        },
        URLOption("jxl_options", ["jxlo"], arguments: 2) {
            arguments,
            options throws(ServiceError) in
            guard arguments[0] == nil else { throw arguments.unsupported(0) }
            if let way = try arguments.exactness(1) { options.compression[.jxl] = way }
        } write: { options in
            options.compression[.jxl].map { ["", $0.rawValue] }
        },
        .flag("strip_metadata", ["sm"], \.stripMetadata),
        .flag("keep_copyright", ["kcr"], \.keepCopyright),
        .flag("strip_color_profile", ["scp"], \.stripColorProfile),
        URLOption("skip_processing", ["skp"], arguments: OutputFormat.allCases.count) {
            arguments,
            options throws(ServiceError) in
            for index in arguments.values.indices {
                if let format = try arguments.format(index) {
                    options.skipProcessing.insert(format)
                }
            }
        } write: { options in
            options.skipProcessing.isEmpty ? nil : options.skipProcessing.map(\.rawValue).sorted()
        },
        .flag("raw", [], \.isRaw),
        .integer("page", ["pg"], \.page, in: 0...1_000_000),
        .number("video_thumbnail_second", ["vts"], \.videoSecond, in: 0...1_000_000),
        .flag("disable_animation", ["da"], \.disablesAnimation),
    ]

    /// Answers about the source.
    static let information: [URLOption] = [
        .flag("thumbhash", ["th"], scope: .information, \.wantsThumbHash),
        .flag("blurhash", ["bh"], scope: .information, \.wantsBlurHash),
    ]

    private static func readFormatQuality(
        _ arguments: OptionArguments,
        _ options: inout ProcessingOptions
    ) throws(ServiceError) {
        for index in stride(from: 0, to: arguments.values.count, by: 2) {
            let format = try arguments.format(index)
            let quality = try arguments.integer(index + 1, in: 0...100)
            guard let format, let quality else {
                if format == nil, quality == nil { continue }
                throw .refused("the option format_quality: write pairs of format and quality")
            }
            options.formatQuality[format] = quality == 0 ? nil : quality
        }
    }

    private static func readAutoQuality(
        _ arguments: OptionArguments,
        _ options: inout ProcessingOptions
    ) throws(ServiceError) {
        guard !arguments.isEmpty else { return }
        if arguments[0] == "ml" {
            throw arguments.error(0, "is not supported by this service; use dssim")
        }
        var search = ProcessingOptions.AutoQuality()
        search.method =
            try arguments.choice(0, of: ProcessingOptions.AutoQuality.Method.self) ?? .dssim
        guard search.method != .none else {
            options.autoQuality = search
            return
        }
        search.target =
            search.method == .size
            ? try arguments.integer(1, in: 1...1 << 40).map { Double($0) }
            : try arguments.number(1, in: 0...1)
        search.minimum = try arguments.integer(2, in: 1...100)
        search.maximum = try arguments.integer(3, in: 1...100)
        search.allowedError = try arguments.number(4, in: 0...1)
        guard search.minimum ?? 1 <= search.maximum ?? 100 else {
            throw .refused("the option autoquality: the smallest quality is above the largest")
        }
        options.autoQuality = search
    }
}

extension OptionArguments {
    /// The compression of a format that is exact or not; nil for an empty argument.
    fileprivate func exactness(_ index: Int) throws(ServiceError) -> Compression? {
        let way = try choice(index, of: Compression.self)
        guard way != .nearLossless else { throw unsupported(index) }
        return way
    }

    /// The error of an argument whose effect this service does not have.
    fileprivate func unsupported(_ index: Int) -> ServiceError {
        error(index, "is not supported by this service as argument \(index + 1)")
    }

    /// Refuses arguments that ask for effects that this service does not have.
    fileprivate func requireUnset(from first: Int) throws(ServiceError) {
        for index in values.indices.dropFirst(first) {
            guard let text = self[index]?.lowercased() else { continue }
            guard ["0", "f", "false"].contains(text) else { throw unsupported(index) }
        }
    }
}

extension ProcessingOptions.AutoQuality {
    /// The arguments that name the search.
    fileprivate var arguments: [String] {
        if method == .none { return ["none"] }
        let number = { (value: Double?) in value.map(OptionArguments.text(of:)) ?? "" }
        let integer = { (value: Int?) in value.map { String($0) } ?? "" }
        let start = [method.rawValue, number(target), integer(minimum), integer(maximum)]
        return start + [number(allowedError)]
    }
}
