extension URLOption {
    /// The image drawn over the result.
    static let watermark: [URLOption] = [
        URLOption("watermark", ["wm"], arguments: 5, read: readWatermark) { options in
            options.watermark?.arguments
        },
        URLOption("watermark_url", ["wmu"], arguments: 1, read: readSource) { options in
            options.watermarkSource.map { [Base64URL.encoded($0.description.utf8)] }
        },
        URLOption("watermark_text", ["wmt"], arguments: 1, read: readText) { options in
            options.watermarkText.map { [Base64URL.encoded($0.markup.utf8)] }
        },
        URLOption("watermark_size", ["wms"], arguments: 2) {
            arguments,
            options throws(ServiceError) in
            let sides = 0...maximalSide
            if let side = try arguments.integer(0, in: sides) { options.watermarkWidth = side }
            if let side = try arguments.integer(1, in: sides) { options.watermarkHeight = side }
        } write: { options in
            let sides = [options.watermarkWidth, options.watermarkHeight]
            return sides == [0, 0] ? nil : sides.map { String($0) }
        },
    ]

    private static func readWatermark(
        _ arguments: OptionArguments,
        _ options: inout ProcessingOptions
    ) throws(ServiceError) {
        guard !arguments.isEmpty else { return }
        let opacity = try arguments.number(0, in: 0...1) ?? 1
        var watermark = ProcessingOptions.Watermark(opacity: opacity)
        switch arguments[1] {
        case "re": watermark.position = .tiled
        case "ch": throw arguments.error(1, "is not supported by this service; use re")
        default:
            let compass = try arguments.choice(1, of: ProcessingOptions.Compass.self)
            watermark.position = .at(compass ?? .centre)
        }
        watermark.x = try arguments.number(2, in: OptionArguments.offsets) ?? 0
        watermark.y = try arguments.number(3, in: OptionArguments.offsets) ?? 0
        watermark.scale = try arguments.number(4, in: 0...100) ?? 0
        options.watermark = opacity == 0 ? nil : watermark
    }

    /// The text is URL-safe Base64.
    private static func readText(
        _ arguments: OptionArguments,
        _ options: inout ProcessingOptions
    ) throws(ServiceError) {
        guard let argument = arguments[0] else { return }
        guard let bytes = Base64URL.decoded(argument),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw arguments.error(0, "is not URL-safe Base64") }
        do throws(WatermarkText.Fault) {
            options.watermarkText = try WatermarkText(text)
        } catch {
            throw .refused("the option watermark_text: \(error.reason)")
        }
    }

    /// The address is URL-safe Base64; the rules for sources apply to it.
    private static func readSource(
        _ arguments: OptionArguments,
        _ options: inout ProcessingOptions
    ) throws(ServiceError) {
        options.watermarkSource = try arguments.source(0)
    }
}

extension OptionArguments {
    /// A source in URL-safe Base64, to which the rules for sources apply.
    func source(_ index: Int) throws(ServiceError) -> ImageReference? {
        guard let text = self[index] else { return nil }
        guard let bytes = Base64URL.decoded(text),
            let address = String(validating: bytes, as: UTF8.self)
        else { throw error(index, "is not URL-safe Base64") }
        return try sources.reference(address)
    }
}

extension ProcessingOptions.Watermark {
    /// The arguments that name the watermark.
    fileprivate var arguments: [String] {
        let place =
            switch position {
            case .at(let compass): compass.rawValue
            case .tiled: "re"
            }
        let text = OptionArguments.text(of:)
        return [text(opacity), place, text(x), text(y), text(scale)]
    }
}
