import Kingfisher

/// The part of the configuration that decides which URLs are valid, and their meaning.
///
/// The names of environment variables are those of `IMGPROXY_…`.
struct GrammarSettings: Sendable {
    /// `KEY`, `SALT`, `SIGNATURE_SIZE`, `TRUSTED_SIGNATURES`.
    var signature = SignatureKeys()
    /// `SOURCE_URL_ENCRYPTION_KEY`: 16, 24 or 32 bytes; nil refuses encrypted sources.
    var encryptionKey: [UInt8]?
    /// `BASE64_URL_INCLUDES_FILENAME`: the last segment after a source in Base64 is a name.
    var hasFileNames = false
    /// `PATH_PREFIX`, with or without slashes at its ends; empty for none.
    var pathPrefix = ""
    /// `ARGUMENTS_SEPARATOR`; not empty.
    var argumentsSeparator = ":"
    /// `ONLY_PRESETS`: the first segment of the options consists of names of presets.
    var allowsOnlyPresets = false
    /// `ALLOWED_PROCESSING_OPTIONS`: long or short names, empty for all.
    ///
    /// Presets are not restricted.
    var allowedOptions: Set<String> = []
    /// `ALLOW_SECURITY_OPTIONS`: URLs may set limits of their own.
    var allowsSecurityOptions = false
    /// `BASE_URL`, `ALLOWED_SOURCES` and the available kinds of sources.
    var sources = SourceRules()
    /// `KF_SOURCE_KEY_QUERY`; nil for none.
    var keyRule: CacheKeyRule?
    /// The presets; see ``definePresets(_:)``.
    private(set) var presets: [String: [OptionCall]] = [:]

    /// The defaults: no signatures, no presets, sources from all web servers.
    init() {}

    /// The longest path in bytes.
    static let maximalPathLength = 16 << 10
    /// The largest number of options in a URL or a preset.
    static let maximalOptions = 100

    /// Replaces the presets, and checks the other properties.
    ///
    /// Call it after setting all other properties, also when there are no presets.
    ///
    /// - Parameter definitions: `PRESETS` split at its commas, or the lines of `PRESETS_PATH`; each
    ///   has the form `name=option:argument/option:argument`. Empty ones and comments (`#`) are
    ///   skipped. The preset `default` applies to every request.
    /// - Throws: ``InvalidSetting`` if a definition is malformed, an option is invalid, or presets
    ///   refer to each other in a circle.
    mutating func definePresets(_ definitions: [String]) throws(InvalidSetting) {
        // Letters, digits, - and _ occur in names and in Base64; the others divide paths.
        let isValid = argumentsSeparator.utf8.allSatisfy { byte in
            (33..<127).contains(byte) && !"-_=%/?#".utf8.contains(byte)
                && !(Character(UnicodeScalar(byte)).isLetter
                    || Character(UnicodeScalar(byte)).isNumber)
        }
        guard isValid, !argumentsSeparator.isEmpty else {
            let reason = "use punctuation other than - _ = % / ? #"
            throw InvalidSetting("ARGUMENTS_SEPARATOR", "'\(argumentsSeparator)': \(reason)")
        }
        try checkAllowedOptions()
        presets = try PresetDefinitions.parsed(definitions, separator: argumentsSeparator)
        try PresetDefinitions.validate(self)
    }

    /// An unknown name is an error, because the option that was meant would be refused.
    private func checkAllowedOptions() throws(InvalidSetting) {
        let unknown = allowedOptions.sorted().first { name in
            URLOption.named(name) == nil && !URLOption.unsupported.contains(name)
                && !PresetDefinitions.optionNames.contains(name)
        }
        guard let unknown else { return }
        throw InvalidSetting("ALLOWED_PROCESSING_OPTIONS", "there is no option '\(unknown)'")
    }
}
