extension URLOption {
    /// Parts, borders, and turns of the image.
    static let geometry: [URLOption] = [
        URLOption("gravity", ["g"], arguments: 3) { arguments, options throws(ServiceError) in
            if let gravity = try arguments.gravity() { options.gravity = gravity }
        } write: { options in
            options.gravity == ProcessingOptions().gravity ? nil : options.gravity.arguments
        },
        URLOption("crop", ["c"], arguments: 5, read: readCrop, write: writeCrop),
        URLOption("trim", ["t"], arguments: 4, read: readTrim, write: writeTrim),
        URLOption("padding", ["pd"], arguments: 4, read: readPadding, write: writePadding),
        .flag("auto_rotate", ["ar"], \.autoRotate),
        URLOption("rotate", ["rot"], arguments: 1, read: readRotation) { options in
            options.rotation == 0 ? nil : [String(options.rotation)]
        },
        URLOption("flip", ["fl"], arguments: 2) { arguments, options throws(ServiceError) in
            if let flips = try arguments.flag(0) { options.flipsHorizontally = flips }
            if let flips = try arguments.flag(1) { options.flipsVertically = flips }
        } write: { options in
            let flips = [options.flipsHorizontally, options.flipsVertically]
            return flips.contains(true) ? flips.map { $0 ? "1" : "0" } : nil
        },
        URLOption("round", ["rd"], arguments: 1) { arguments, options throws(ServiceError) in
            let radius = try arguments.number(0, in: 0...Double(maximalSide))
            if let radius { options.cornerRadius = radius == 0 ? nil : radius }
        } write: { options in
            options.cornerRadius.map { [OptionArguments.text(of: $0)] }
        },
    ]

    private static func readCrop(
        _ arguments: OptionArguments,
        _ options: inout ProcessingOptions
    ) throws(ServiceError) {
        guard !arguments.isEmpty else { return }
        let sides = 0...Double(maximalSide)
        let width = try arguments.number(0, in: sides) ?? 0
        let height = try arguments.number(1, in: sides) ?? 0
        let gravity = try arguments.dropping(2).gravity()
        // Both sides whole: nothing is cut off.
        let isWhole = width == 0 && height == 0
        options.crop = isWhole ? nil : .init(width: width, height: height, gravity: gravity)
    }

    private static func writeCrop(_ options: ProcessingOptions) -> [String]? {
        guard let crop = options.crop else { return nil }
        let sides = [crop.width, crop.height].map(OptionArguments.text(of:))
        return sides + (crop.gravity?.arguments ?? [])
    }

    private static func readTrim(
        _ arguments: OptionArguments,
        _ options: inout ProcessingOptions
    ) throws(ServiceError) {
        guard !arguments.isEmpty else { return }
        // libvips, whose scale imgproxy's thresholds have, takes 10 unless it gets another one.
        var trim = ProcessingOptions.Trim(threshold: try arguments.number(0, in: 0...1000) ?? 10)
        trim.colour = try arguments.colour(1)
        trim.equalHorizontally = try arguments.flag(2) ?? false
        trim.equalVertically = try arguments.flag(3) ?? false
        options.trim = trim
    }

    private static func writeTrim(_ options: ProcessingOptions) -> [String]? {
        options.trim.map { trim in
            [
                OptionArguments.text(of: trim.threshold), trim.colour?.hexadecimal ?? "",
                trim.equalHorizontally ? "1" : "0", trim.equalVertically ? "1" : "0",
            ]
        }
    }

    /// Missing sides are those of CSS: right and bottom as top, left as right.
    private static func readPadding(
        _ arguments: OptionArguments,
        _ options: inout ProcessingOptions
    ) throws(ServiceError) {
        guard !arguments.isEmpty else { return }
        let sides = 0...maximalSide
        let top = try arguments.integer(0, in: sides) ?? 0
        let right = try arguments.integer(1, in: sides) ?? top
        let bottom = try arguments.integer(2, in: sides) ?? top
        let left = try arguments.integer(3, in: sides) ?? right
        let isNone = [top, right, bottom, left].allSatisfy { $0 == 0 }
        options.padding = isNone ? nil : .init(top: top, right: right, bottom: bottom, left: left)
    }

    private static func writePadding(_ options: ProcessingOptions) -> [String]? {
        options.padding.map { padding in
            [padding.top, padding.right, padding.bottom, padding.left].map { String($0) }
        }
    }

    private static func readRotation(
        _ arguments: OptionArguments,
        _ options: inout ProcessingOptions
    ) throws(ServiceError) {
        guard let degrees = try arguments.integer(0, in: -360_000...360_000) else { return }
        guard degrees % 90 == 0 else { throw arguments.error(0, "is not a multiple of 90") }
        options.rotation = (degrees % 360 + 360) % 360
    }
}

extension OptionArguments {
    /// A gravity from all the arguments, or nil if these are empty.
    func gravity() throws(ServiceError) -> ProcessingOptions.Gravity? {
        guard !isEmpty else { return nil }
        switch self[0] {
        case "sm":
            guard dropping(1).isEmpty else { throw error(0, "takes no offsets") }
            return .smart
        case "fp":
            guard let x = try number(1, in: 0...1), let y = try number(2, in: 0...1) else {
                throw error(0, "needs two numbers in 0…1: fp:x:y")
            }
            return .focus(x: x, y: y)
        case "obj", "objw":
            throw error(0, "needs detection of objects, which this service does not have")
        default:
            let compass = try choice(0, of: ProcessingOptions.Compass.self) ?? .centre
            let offsets = Self.offsets
            return .compass(
                compass,
                x: try number(1, in: offsets) ?? 0,
                y: try number(2, in: offsets) ?? 0
            )
        }
    }

    /// Offsets, in pixels or relative.
    static let offsets = -Double(URLOption.maximalSide)...Double(URLOption.maximalSide)
}

extension ProcessingOptions.Gravity {
    /// The arguments that name the gravity.
    var arguments: [String] {
        switch self {
        case .compass(let compass, 0, 0): [compass.rawValue]
        case .compass(let compass, let x, let y):
            [compass.rawValue, OptionArguments.text(of: x), OptionArguments.text(of: y)]
        case .smart: ["sm"]
        case .focus(let x, let y):
            ["fp", OptionArguments.text(of: x), OptionArguments.text(of: y)]
        }
    }
}
