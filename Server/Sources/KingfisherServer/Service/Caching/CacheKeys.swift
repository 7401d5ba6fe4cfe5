import Foundation
import Kingfisher
import NIOCore

/// Makes the keys of sources and results, and the validators of results; nothing else does.
///
/// A key has all that selects the bytes: the request, the fields that the source gets from the
/// client, and the settings by their ``ConfigurationEntry/Effect``. A validator is made of the bytes
/// themselves.
struct CacheKeys: Sendable {
    private let sourceSettings: String
    private let keyRule: CacheKeyRule?

    /// Makes the keys for a configuration.
    init(_ configuration: ServiceConfiguration) {
        sourceSettings = Self.variant(of: configuration, [.sources])
        keyRule = configuration.sources.keyRule
    }

    /// The name of a source, which no result has.
    ///
    /// Clients whose passed fields differ may see different sources.
    func source(_ reference: ImageReference, _ fields: [HeaderField]) -> String {
        var name = "source \(reference.canonicalText(by: keyRule))"
        if !sourceSettings.isEmpty { name += " configuration:\(sourceSettings)" }
        return fields.isEmpty ? name : "\(name) \(Self.tag(of: fields))"
    }

    /// The name of an attempt to load a source.
    ///
    /// It has the whole address: a signature that is not part of ``source(_:_:)`` decides whether
    /// the server answers.
    func attempt(_ reference: ImageReference, _ fields: [HeaderField]) -> String {
        "\(source(reference, fields)) \(reference)"
    }

    /// The key of a result.
    ///
    /// - Parameters:
    ///   - request: The canonical key of the negotiated request, which names the settings.
    ///   - fields: The fields that the source gets from the client.
    /// - Returns: The key.
    static func result(_ request: String, _ fields: [HeaderField]) -> String {
        fields.isEmpty ? request : "\(tag(of: fields))/\(request)"
    }

    /// The key of a result that is made of the fallback in place of the source.
    ///
    /// - Parameters:
    ///   - request: The canonical key of the negotiated request.
    ///   - file: The fallback; nil if it is the request's source.
    /// - Returns: The key.
    static func fallback(_ request: String, _ file: Data?) -> String {
        file.map { "fallback \(Hexadecimal.text(of: Digest.sha256($0)))/\(request)" } ?? request
    }

    /// The entity tag of a result, without quotation marks and ``EntityTags``' changes.
    ///
    /// The hash of the body: whatever went into it, a new release included, has changed the tag if
    /// and only if it has changed the bytes.
    static func validator(of body: ByteBuffer) -> String {
        Hexadecimal.text(of: body.withUnsafeReadableBytes { Digest.sha256($0) }.prefix(16))
    }

    /// Differs between configurations that differ in a setting with one of the effects; empty for
    /// the default one.
    static func variant(
        of configuration: ServiceConfiguration,
        _ effects: Set<ConfigurationEntry.Effect>
    ) -> String {
        let usual = ServiceConfiguration()
        var changes = ServiceConfiguration.entries.filter { entry in
            effects.contains(entry.effect) && entry.text(configuration) != entry.text(usual)
        }.map { "\($0.name)=\($0.text(configuration))" }
        // The service does not start if the file cannot be read.
        let path = effects.contains(.results) ? configuration.processing.watermarkPath : nil
        if let mark = path.flatMap(FileManager.default.contents(atPath:)) {
            changes.append(Hexadecimal.text(of: Digest.sha256(mark)))
        }
        return changes.isEmpty ? "" : Digest.tag(of: changes)
    }

    private static func tag(of fields: [HeaderField]) -> String {
        Digest.tag(of: fields.map { "\($0.name): \($0.value)" })
    }
}
