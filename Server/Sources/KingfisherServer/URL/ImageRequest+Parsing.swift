import Foundation

extension ImageRequest {
    /// Reads the path of a URL.
    ///
    /// - Parameters:
    ///   - path: The path as it arrived, percent-encoded; a query is ignored.
    ///   - settings: The configuration.
    ///   - now: The time for `expires`.
    /// - Returns: The request with presets applied.
    /// - Throws: ``ServiceError`` with the status 403 for a wrong signature, 404 for everything else.
    static func parse(
        _ path: String,
        with settings: GrammarSettings,
        now: Date = Date()
    ) throws(ServiceError) -> ImageRequest {
        let rest = try signedPath(of: path, settings)
        var segments = OptionCall.fields(of: Substring(rest.utf8.dropFirst()), separator: "/")[...]
        var kind = Kind.image
        dropEmpty(&segments)
        if segments.first == "info" {
            kind = .info
            segments.removeFirst()
        } else if segments.first == "srcset" {
            kind = try widths(segments.dropFirst().first ?? "")
            segments.removeFirst(2)
        }
        let start = segments
        var reader = try readOptions(&segments, settings, kind)
        let isEncrypted = segments.first == "enc"
        let (text, format) = try source(of: segments, settings)
        let reference = try Self.reference(text, isEncrypted: isEncrypted, settings)
        if let format { try reader.setFormat(format) }
        if case .widths(let widths, var parts) = kind {
            parts.options = start.dropLast(segments.count).filter { !$0.isEmpty }
            // In Base64: proxies change plain sources, for example by merging slashes.
            parts.source =
                Base64URL.encoded(text.utf8)
                + (format.map { ".\(PercentEncoding.encoded($0))" } ?? "")
            kind = .widths(widths, parts)
        }
        if let expires = reader.options.expires, expires < now {
            throw .refused("the URL has expired")
        }
        var request = ImageRequest(
            kind: kind,
            source: reference,
            options: reader.options,
            keyRule: settings.keyRule
        )
        request.hidesSource = isEncrypted
        return request
    }

    private static func reference(
        _ text: String,
        isEncrypted: Bool,
        _ settings: GrammarSettings
    ) throws(ServiceError) -> ImageReference {
        guard isEncrypted else { return try settings.sources.reference(text) }
        guard let reference = try? settings.sources.reference(text) else { throw unreadable }
        return reference
    }

    private static let unreadable = ServiceError.refused("the encrypted source cannot be read")

    /// The list of widths after `srcset`: at most 50 of them.
    private static func widths(_ text: String) throws(ServiceError) -> Kind {
        let parts = OptionCall.fields(of: text, separator: ",")
        let widths = parts.compactMap { Int($0) }.filter {
            (1...URLOption.maximalSide).contains($0)
        }
        guard widths.count == parts.count, widths.count <= 50 else {
            throw .refused("write srcset as /srcset/320,640/ with at most 50 widths")
        }
        return .widths(widths, Parts())
    }

    /// Reads the options for an image without a signature and a source.
    ///
    /// - Parameters:
    ///   - path: The options, such as `/width:300/format:webp`, percent-encoded.
    ///   - settings: The configuration.
    /// - Returns: The options with presets applied.
    /// - Throws: ``ServiceError`` 404.
    static func options(
        _ path: some StringProtocol,
        with settings: GrammarSettings
    ) throws(ServiceError) -> ProcessingOptions {
        guard path.utf8.count <= GrammarSettings.maximalPathLength else {
            throw .refused("the path is longer than \(GrammarSettings.maximalPathLength) bytes")
        }
        var segments = OptionCall.fields(of: path, separator: "/").filter { !$0.isEmpty }[...]
        let reader = try readOptions(&segments, settings, .image)
        if let rest = segments.first {
            throw .refused("\(ServiceError.quoted(rest)) is not an option with arguments")
        }
        return reader.options
    }

    /// Reads the options at the beginning of a path, and removes their segments.
    private static func readOptions(
        _ segments: inout ArraySlice<String>,
        _ settings: GrammarSettings,
        _ kind: Kind
    ) throws(ServiceError) -> OptionReader {
        var reader = try OptionReader(settings: settings, kind: kind)
        guard !settings.allowsOnlyPresets else {
            dropEmpty(&segments)
            try readPresets(&segments, settings, into: &reader)
            dropEmpty(&segments)
            return reader
        }
        dropEmpty(&segments)
        while let segment = segments.first,
            let call = try OptionCall(segment: segment, separator: settings.argumentsSeparator)
        {
            try reader.apply(call)
            segments.removeFirst()
            dropEmpty(&segments)
        }
        return reader
    }

    /// Removes empty segments before the next part of the path, which joined paths have.
    private static func dropEmpty(_ segments: inout ArraySlice<String>) {
        segments = segments.drop(while: \.isEmpty)
    }

    /// The path after the signature, which is verified.
    private static func signedPath(
        of path: String,
        _ settings: GrammarSettings
    ) throws(ServiceError) -> Substring {
        let slash = UInt8(ascii: "/")
        var rest = path.utf8.prefix { $0 != UInt8(ascii: "?") }
        guard rest.count <= GrammarSettings.maximalPathLength else {
            throw .refused("the path is longer than \(GrammarSettings.maximalPathLength) bytes")
        }
        for part in settings.pathPrefix.utf8.split(separator: slash) {
            guard rest.popFirst() == slash, rest.starts(with: part),
                rest.dropFirst(part.count).first == slash
            else { throw .refused("the path does not start with the configured prefix") }
            rest = rest.dropFirst(part.count)
        }
        guard rest.popFirst() == slash else { throw .refused("the path is not absolute") }
        rest = rest.drop { $0 == slash }
        let signature = rest.prefix { $0 != slash }
        rest = rest.dropFirst(signature.count)
        guard !signature.isEmpty, rest.count > 1 else {
            throw .refused("the path is not of the form /signature/options/source")
        }
        let originals = NormalisedPath.originals(of: Substring(rest))
        let signed = originals.first { settings.signature.accepts(Substring(signature), for: $0) }
        guard let signed else {
            throw ServiceError(
                403,
                "The signature is wrong",
                "Sign the path with the configured key and salt"
            )
        }
        return signed
    }

    /// Applies the presets that the first segment names, unless the source follows at once.
    private static func readPresets(
        _ segments: inout ArraySlice<String>,
        _ settings: GrammarSettings,
        into reader: inout OptionReader
    ) throws(ServiceError) {
        guard segments.first != "plain", let segment = segments.popFirst() else { return }
        guard let decoded = PercentEncoding.decoded(segment) else {
            throw .refused("\(ServiceError.quoted(segment)) is not valid percent-encoding")
        }
        let names = OptionCall.fields(of: decoded, separator: settings.argumentsSeparator)
        for name in names where !name.isEmpty { try reader.applyPreset(name) }
    }

    /// The decoded text of the source and the name of the format that follows it.
    private static func source(
        of segments: ArraySlice<String>,
        _ settings: GrammarSettings
    ) throws(ServiceError) -> (text: String, format: String?) {
        let isPlain = segments.first == "plain"
        let isEncrypted = segments.first == "enc"
        guard !isEncrypted || settings.encryptionKey != nil else {
            throw .refused("there is no key for encrypted sources")
        }
        var parts = isPlain || isEncrypted ? segments.dropFirst() : segments
        // A lone segment is the source.
        if settings.hasFileNames, !isPlain, parts.count > 1 { parts.removeLast() }
        let encoded = parts.joined(separator: isPlain ? "/" : "")
        let fields = OptionCall.fields(of: encoded, separator: isPlain ? "@" : ".")
        guard fields.count <= 2 else {
            throw .refused(
                isPlain
                    ? "the source contains more than one '@': write %40"
                    : "the source has two formats"
            )
        }
        guard let decoded = PercentEncoding.decoded(fields[0]),
            let format = PercentEncoding.decoded(fields.count > 1 ? fields[1] : "")
        else { throw .refused("the source is not valid percent-encoding") }
        if isEncrypted, let key = settings.encryptionKey {
            guard let bytes = Base64URL.decoded(decoded),
                let text = EncryptedSource.decrypted(bytes, with: key)
            else { throw unreadable }
            return (text, format.isEmpty ? nil : format)
        }
        let text = isPlain ? decoded : try base64Source(decoded, first: segments.first ?? "")
        guard !text.isEmpty else { throw .refused("the URL has no source") }
        return (text, format.isEmpty ? nil : format)
    }

    private static func base64Source(
        _ text: String,
        first segment: String
    ) throws(ServiceError) -> String {
        guard let bytes = Base64URL.decoded(text),
            let decoded = String(validating: bytes, as: UTF8.self)
        else {
            // Named as it arrived: it is usually an option without its arguments.
            let reason =
                "is neither an option such as w:300, nor plain/ before a source, nor the "
                + "beginning of a source in URL-safe Base64"
            throw .refused("\(ServiceError.quoted(segment)) \(reason)")
        }
        return decoded
    }
}
