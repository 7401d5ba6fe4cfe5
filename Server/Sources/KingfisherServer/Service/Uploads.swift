/// The files that clients with a token send to `/process/options…`; nothing of them is kept.
struct Uploads: Sendable {
    /// The token.
    let token: String
    /// Reads the options.
    let grammar: GrammarSettings
    /// The files that are processed now.
    let files: DroppedFiles

    /// Takes the token of a configuration; nil if it has none.
    ///
    /// - Throws: ``ConfigurationError`` for malformed presets.
    init?(_ configuration: ServiceConfiguration) throws(ConfigurationError) {
        guard let token = configuration.operation.uploadToken else { return nil }
        self.token = token
        grammar = try configuration.grammar()
        files = DroppedFiles(maximalSize: configuration.sources.maximalFileSize)
    }

    /// The options in a path without prefix and query; nil for the path of something else.
    static func options(in path: Substring) -> Substring? {
        let name = "/process"
        guard path.hasPrefix(name) else { return nil }
        let rest = path.dropFirst(name.count)
        return rest.isEmpty || rest.first == "/" ? rest : nil
    }
}
