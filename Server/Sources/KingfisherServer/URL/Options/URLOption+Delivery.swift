import Foundation

extension URLOption {
    /// Options about the response around the image.
    static let delivery: [URLOption] = [
        URLOption("cachebuster", ["cb"], arguments: 1) { arguments, options throws(ServiceError) in
            guard let text = arguments[0] else { return }
            guard text.utf8.count <= 1024 else {
                throw .refused("the option cachebuster: the text is longer than 1024 bytes")
            }
            options.cacheBuster = text
        } write: { options in
            options.cacheBuster.map { [$0] }
        },
        URLOption("expires", ["exp"], arguments: 1, scope: .delivery) {
            arguments,
            options throws(ServiceError) in
            // Up to the end of the year 9999.
            guard let seconds = try arguments.integer(0, in: 0...253_402_300_799) else { return }
            options.expires = Date(timeIntervalSince1970: Double(seconds))
        } write: { options in
            options.expires.flatMap { Int(exactly: $0.timeIntervalSince1970.rounded()) }
                .map { [String($0)] }
        },
        URLOption("filename", ["fn"], arguments: 2, scope: .delivery, read: readFileName) {
            options in
            options.fileName.map { [Base64URL.encoded($0.utf8), "1"] }
        },
        URLOption("fallback_image_url", ["fiu"], arguments: 1, scope: .delivery) {
            arguments,
            options throws(ServiceError) in
            options.fallbackSource = try arguments.source(0)
        } write: { options in
            options.fallbackSource.map { [Base64URL.encoded($0.description.utf8)] }
        },
        .flag("return_attachment", ["att"], scope: .delivery, \.returnsAttachment),
    ]

    /// Limits; a limit that a URL does not name is that of the configuration.
    ///
    /// 0 is no limit, except for the number of frames and the side of the result.
    static let limits: [URLOption] = [
        .number(
            "max_src_resolution",
            ["msr"],
            scope: .limit,
            \.limits.megapixels,
            in: 0...1_000_000
        ),
        .integer("max_src_file_size", ["msfs"], scope: .limit, \.limits.fileSize, in: 0...1 << 40),
        .integer(
            "max_animation_frames",
            ["maf"],
            scope: .limit,
            \.limits.animationFrames,
            in: 1...1_000_000
        ),
        .number(
            "max_animation_frame_resolution",
            ["mafr"],
            scope: .limit,
            \.limits.frameMegapixels,
            in: 0...1_000_000
        ),
        .integer(
            "max_result_dimension",
            ["mrd"],
            scope: .limit,
            \.limits.resultDimension,
            in: 1...maximalSide
        ),
    ]

    private static func readFileName(
        _ arguments: OptionArguments,
        _ options: inout ProcessingOptions
    ) throws(ServiceError) {
        guard let text = arguments[0] else { return }
        var name = text
        if try arguments.flag(1) ?? false {
            guard let bytes = Base64URL.decoded(text),
                let decoded = String(validating: bytes, as: UTF8.self)
            else { throw arguments.error(0, "is not URL-safe Base64") }
            name = decoded
        }
        let isValid = name.unicodeScalars.allSatisfy { scalar in
            scalar.properties.generalCategory != .control && !"/\\".unicodeScalars.contains(scalar)
        }
        guard isValid, !name.isEmpty, name.utf8.count <= 255 else {
            throw .refused(
                "the option filename: write 1…255 bytes without slashes and control characters"
            )
        }
        options.fileName = name
    }
}
