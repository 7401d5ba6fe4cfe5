import Foundation

extension ServiceConfiguration {
    /// How URLs are read and signed.
    public struct URLs: Sendable {
        /// The keys of signatures, each for the salt at its place; empty accepts any signature.
        public var keys: [[UInt8]] = []
        /// The salts of signatures.
        public var salts: [[UInt8]] = []
        /// The length of signatures in bytes, before Base64.
        public var signatureSize = 32
        /// Signatures that are accepted for every URL.
        public var trustedSignatures: [String] = []
        /// The key of encrypted sources: 16, 24 or 32 bytes; nil refuses them.
        public var encryptionKey: [UInt8]?
        /// Whether the last segment after a source in Base64 is a name without a meaning.
        public var hasFileNames = false
        /// Options by name: `name=option/option`.
        public var presets: [String] = []
        /// The text between two presets of a variable.
        var presetsSeparator = ","
        /// The presets of the variable, as they stand there.
        var presetsText: String? {
            get { presets.isEmpty ? nil : presets.joined(separator: presetsSeparator) }
            set { presets = newValue.map { Self.split($0, presetsSeparator) } ?? [] }
        }
        /// A file with a preset on each line.
        public var presetsPath: String?
        /// Whether URLs have names of presets in place of options.
        public var allowsOnlyPresets = false
        /// The options that URLs may have; empty for all.
        public var allowedOptions: [String] = []
        /// The separator of an option's arguments.
        public var argumentsSeparator = ":"
        /// Whether a URL may set limits.
        public var allowsSecurityOptions = false
        /// The beginning of all paths of the service, without a slash at the end; empty for none.
        public var pathPrefix: String?

        /// Makes the default settings.
        public init() {}

        private static func split(_ text: String, _ separator: String) -> [String] {
            text.components(separatedBy: separator).map(\.trimmed).filter { !$0.isEmpty }
        }

        static let entries: [ConfigurationEntry] = [
            .init("IMGPROXY_KEY", \.urls.keys, .keys, .answers, isSecret: true),
            .init("IMGPROXY_SALT", \.urls.salts, .keys, .answers, isSecret: true),
            .init("IMGPROXY_SIGNATURE_SIZE", \.urls.signatureSize, .integer(1...32), .answers),
            .init(
                "IMGPROXY_TRUSTED_SIGNATURES",
                \.urls.trustedSignatures,
                .list(of: .text),
                .answers,
                isSecret: true
            ),
            .init(
                "IMGPROXY_SOURCE_URL_ENCRYPTION_KEY",
                \.urls.encryptionKey,
                .aesKey,
                .answers,
                isSecret: true
            ),
            .init(
                "IMGPROXY_BASE64_URL_INCLUDES_FILENAME",
                \.urls.hasFileNames,
                .flag,
                .answers
            ),
            // Before the presets, which it divides.
            .init("IMGPROXY_PRESETS_SEPARATOR", \.urls.presetsSeparator, .separator, .answers),
            .init("IMGPROXY_PRESETS", \.urls.presetsText, .text, .answers),
            .init("IMGPROXY_PRESETS_PATH", \.urls.presetsPath, .text, .answers),
            .init("IMGPROXY_ONLY_PRESETS", \.urls.allowsOnlyPresets, .flag, .answers),
            .init(
                "IMGPROXY_ALLOWED_PROCESSING_OPTIONS",
                \.urls.allowedOptions,
                .list(of: .text),
                .answers
            ),
            .init("IMGPROXY_ARGUMENTS_SEPARATOR", \.urls.argumentsSeparator, .separator, .answers),
            .init("IMGPROXY_ALLOW_SECURITY_OPTIONS", \.urls.allowsSecurityOptions, .flag, .answers),
            .init("IMGPROXY_PATH_PREFIX", \.urls.pathPrefix, .absolutePath, .answers),
        ]
    }
}

extension ConfigurationFormat<[UInt8]> {
    /// A key for AES.
    fileprivate static let aesKey = ConfigurationFormat(
        expected: "32, 48 or 64 hexadecimal digits",
        parse: { text in
            Hexadecimal.bytes(text).flatMap { [16, 24, 32].contains($0.count) ? $0 : nil }
        },
        text: { Hexadecimal.text(of: $0) }
    )
}

extension ConfigurationFormat<String> {
    /// A separator of arguments; a slash separates the options.
    fileprivate static let separator = ConfigurationFormat(
        expected: "one or more characters other than a slash",
        parse: { $0.isEmpty || $0.contains("/") || !$0.isHeaderValue ? nil : $0 },
        text: { $0 }
    )
}
