/// Reads and checks the presets of the configuration.
enum PresetDefinitions {
    /// The names of the option that applies presets.
    static let optionNames = ["preset", "pr"]

    /// The options of each preset.
    static func parsed(
        _ definitions: [String],
        separator: String
    ) throws(InvalidSetting) -> [String: [OptionCall]] {
        var presets: [String: [OptionCall]] = [:]
        for definition in definitions {
            let text = trimmed(definition)
            if text.isEmpty || text.hasPrefix("#") { continue }
            guard let equals = text.firstIndex(of: "=") else {
                throw InvalidSetting(
                    "PRESETS",
                    "\(ServiceError.quoted(text)) is not of the form name=option/option"
                )
            }
            let name = trimmed(text[..<equals])
            guard !name.isEmpty, presets[name] == nil else {
                throw InvalidSetting(
                    "PRESETS",
                    "\(ServiceError.quoted(text)) has no name, or one that is defined"
                )
            }
            var calls: [OptionCall] = []
            for segment in trimmed(text[text.index(after: equals)...]).split(separator: "/") {
                calls.append(try call(segment, separator: separator, preset: name))
            }
            presets[name] = calls
        }
        return presets
    }

    /// Applies each preset once, so that a mistake appears when the service starts.
    static func validate(_ settings: GrammarSettings) throws(InvalidSetting) {
        var finished: Set<String> = []
        for name in settings.presets.keys.sorted() {
            try refuseCircles(from: name, path: [], settings.presets, &finished)
        }
        for name in settings.presets.keys.sorted() {
            do throws(ServiceError) {
                var reader = try OptionReader(settings: settings, kind: .info)
                try reader.applyPreset(name)
            } catch {
                throw InvalidSetting("PRESETS", "the preset '\(name)': \(error.message)")
            }
        }
    }

    private static func refuseCircles(
        from name: String,
        path: [String],
        _ presets: [String: [OptionCall]],
        _ finished: inout Set<String>
    ) throws(InvalidSetting) {
        guard !path.contains(name) else {
            let circle = (path + [name]).joined(separator: ", ")
            throw InvalidSetting("PRESETS", "presets refer to each other in a circle: \(circle)")
        }
        guard !finished.contains(name) else { return }
        let used = (presets[name] ?? []).filter { optionNames.contains($0.name) }
        for next in used.flatMap(\.arguments) where !next.isEmpty {
            try refuseCircles(from: next, path: path + [name], presets, &finished)
        }
        finished.insert(name)
    }

    private static func call(
        _ segment: Substring,
        separator: String,
        preset: String
    ) throws(InvalidSetting) -> OptionCall {
        do throws(ServiceError) {
            if let call = try OptionCall(segment: segment, separator: separator) { return call }
        } catch {
            throw InvalidSetting("PRESETS", "the preset '\(preset)': \(error.message)")
        }
        throw InvalidSetting("PRESETS", "the preset '\(preset)': '\(segment)' has no arguments")
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let isSpace = { (character: Character) in character.isWhitespace }
        let start = text.drop(while: isSpace)
        let end = start.lastIndex { !$0.isWhitespace }
        return end.map { String(start[...$0]) } ?? ""
    }
}
