extension URLOption {
    /// Filters and colours.
    static let colour: [URLOption] = [
        URLOption("background", ["bg"], arguments: 3, read: readBackground) { options in
            options.background.map { [$0.hexadecimal] }
        },
        .number("blur", ["bl"], \.blur, in: 0...1000),
        .number("sharpen", ["sh"], \.sharpen, in: 0...1000),
        .single("pixelate", ["pix"], \.pixelate) { arguments throws(ServiceError) in
            try arguments.integer(0, in: 0...maximalSide)
        } write: { side in
            // A square of one pixel changes nothing.
            side < 2 ? nil : String(side)
        },
        URLOption("unsharp_masking", ["ush"], arguments: 3, read: readUnsharpMask) { options in
            guard let mask = options.unsharpMask else { return nil }
            guard mask.mode != .none else { return ["none"] }
            let text = OptionArguments.text(of:)
            return [mask.mode.rawValue, text(mask.weight), text(mask.divider)]
        },
        URLOption("gradient", ["gr"], arguments: 5, read: readGradient) { options in
            guard let gradient = options.gradient else { return nil }
            let text = OptionArguments.text(of:)
            return [text(gradient.opacity), gradient.colour.hexadecimal]
                + [gradient.degrees, gradient.start, gradient.end].map(text)
        },
        URLOption(shorthand: "adjust", ["a"], arguments: 3) {
            arguments,
            options throws(ServiceError) in
            if let value = try arguments.number(0, in: -255...255) { options.brightness = value }
            if let value = try arguments.number(1, in: factorsOfColour) { options.contrast = value }
            if let value = try arguments.number(2, in: factorsOfColour) {
                options.saturation = value
            }
        },
        .number("brightness", ["br"], \.brightness, in: -255...255),
        .number("contrast", ["co"], \.contrast, in: factorsOfColour),
        .number("saturation", ["sa"], \.saturation, in: factorsOfColour),
        URLOption("monochrome", ["mc"], arguments: 2) { arguments, options throws(ServiceError) in
            if let intensity = try arguments.number(0, in: 0...1) {
                options.monochromeIntensity = intensity
            }
            if let colour = try arguments.colour(1) { options.monochromeColour = colour }
        } write: { options in
            guard options.monochromeIntensity > 0 else { return nil }
            let intensity = OptionArguments.text(of: options.monochromeIntensity)
            return [intensity] + (options.monochromeColour.map { [$0.hexadecimal] } ?? [])
        },
    ]

    private static let factorsOfColour = 0.0...100.0

    private static func readUnsharpMask(
        _ arguments: OptionArguments,
        _ options: inout ProcessingOptions
    ) throws(ServiceError) {
        guard !arguments.isEmpty else { return }
        let mode = try arguments.choice(0, of: ProcessingOptions.UnsharpMask.Mode.self)
        var mask = ProcessingOptions.UnsharpMask(mode: mode ?? .auto)
        mask.weight = try arguments.number(1, in: 0.001...1000) ?? mask.weight
        mask.divider = try arguments.number(2, in: 0.001...100_000) ?? mask.divider
        options.unsharpMask = mask
    }

    private static func readGradient(
        _ arguments: OptionArguments,
        _ options: inout ProcessingOptions
    ) throws(ServiceError) {
        guard !arguments.isEmpty else { return }
        let opacity = try arguments.number(0, in: 0...1) ?? 1
        var gradient = ProcessingOptions.Gradient(opacity: opacity)
        gradient.colour = try arguments.colour(1) ?? gradient.colour
        let directions = ["down": 0, "left": 90, "up": 180, "right": 270.0]
        if let named = arguments[2].flatMap({ directions[$0] }) {
            gradient.degrees = named
        } else {
            gradient.degrees = try arguments.number(2, in: -360...360) ?? 0
        }
        gradient.start = try arguments.number(3, in: 0...1) ?? 0
        gradient.end = try arguments.number(4, in: 0...1) ?? 1
        guard gradient.start <= gradient.end else {
            throw .refused("the option gradient: it ends before it begins")
        }
        options.gradient = opacity == 0 ? nil : gradient
    }

    private static func readBackground(
        _ arguments: OptionArguments,
        _ options: inout ProcessingOptions
    ) throws(ServiceError) {
        switch arguments.values.count {
        // Without a colour, a preset's background is taken back.
        case 1: options.background = try arguments.colour(0)
        case 3:
            var components: [UInt8] = []
            for index in 0..<3 {
                guard let value = try arguments.integer(index, in: 0...255) else {
                    throw .refused("the option background: write R:G:B with three numbers in 0…255")
                }
                components.append(UInt8(value))
            }
            options.background = .init(
                red: components[0],
                green: components[1],
                blue: components[2]
            )
        default: throw .refused("the option background: write a hexadecimal colour or R:G:B")
        }
    }
}

extension ProcessingOptions.Colour {
    /// Six hexadecimal digits.
    var hexadecimal: String { Hexadecimal.text(of: [red, green, blue]) }
}
