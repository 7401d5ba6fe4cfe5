/// Applies the options of a URL, with its presets, one after the other.
struct OptionReader {
    private(set) var options = ProcessingOptions()
    private let settings: GrammarSettings
    private let kind: ImageRequest.Kind
    private var appliedPresets: Set<String> = []
    private var count = 0

    /// Starts with the options of the preset `default`, if there is one.
    init(settings: GrammarSettings, kind: ImageRequest.Kind) throws(ServiceError) {
        self.settings = settings
        self.kind = kind
        if settings.presets["default"] != nil { try applyPreset("default") }
    }

    /// Applies an option of the URL.
    mutating func apply(_ call: OptionCall) throws(ServiceError) {
        try apply(call, isFromPreset: false)
    }

    /// Applies a preset, unless it has been applied already.
    mutating func applyPreset(_ name: String) throws(ServiceError) {
        guard let calls = settings.presets[name] else {
            throw .refused("the preset \(ServiceError.quoted(name)) is not defined")
        }
        guard appliedPresets.insert(name).inserted else { return }
        for call in calls { try apply(call, isFromPreset: true) }
    }

    /// Sets the format that follows the source.
    mutating func setFormat(_ name: String) throws(ServiceError) {
        try apply(OptionCall(name: "format", arguments: [name]), isFromPreset: true)
    }

    private mutating func apply(_ call: OptionCall, isFromPreset: Bool) throws(ServiceError) {
        count += 1
        guard count <= GrammarSettings.maximalOptions else {
            throw .refused("more than \(GrammarSettings.maximalOptions) options")
        }
        if PresetDefinitions.optionNames.contains(call.name) {
            try requireAllowed(PresetDefinitions.optionNames, isFromPreset: isFromPreset)
            for name in call.arguments where !name.isEmpty { try applyPreset(name) }
            return
        }
        guard let option = URLOption.named(call.name) else { throw Self.unknown(call.name) }
        try requireAllowed([option.name] + option.shortNames, isFromPreset: isFromPreset)
        guard option.scope != .limit || settings.allowsSecurityOptions else {
            throw .refused("the option \(option.name): URLs and presets must not set limits")
        }
        let arguments = OptionArguments(
            option: call.name == option.name ? option.name : "\(call.name) (\(option.name))",
            values: call.arguments,
            sources: settings.sources
        )
        try arguments.requireAtMost(option.maximalArguments)
        guard option.scope == .information, kind == .image else {
            return try option.read(arguments, &options)
        }
        // A preset may serve URLs of both kinds.
        guard isFromPreset else {
            throw .refused("the option \(option.name): it is only for information, /info/")
        }
    }

    private func requireAllowed(
        _ names: [String],
        isFromPreset: Bool
    ) throws(ServiceError) {
        guard !isFromPreset, !settings.allowedOptions.isEmpty else { return }
        guard names.contains(where: settings.allowedOptions.contains) else {
            throw .refused("the option \(names[0]) is not allowed")
        }
    }

    private static func unknown(_ name: String) -> ServiceError {
        URLOption.unsupported.contains(name)
            ? .refused("the option \(name) is not supported by this service")
            : .refused("the option \(ServiceError.quoted(name)) is unknown")
    }
}
