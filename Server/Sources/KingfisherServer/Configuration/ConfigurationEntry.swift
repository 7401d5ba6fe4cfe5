/// One variable of the environment: how it is read into a configuration, and printed.
struct ConfigurationEntry: Sendable {
    /// The part of the keys of caches that names a variable, because caches outlive a change of it.
    enum Effect: Sendable {
        /// It selects the bytes or the stored properties of results: part of the keys of results.
        case results
        /// It selects the bytes behind the name of a source: part of the keys of sources and results.
        case sources
        /// Neither: it is applied again to each request or answer.
        case answers
    }

    /// The name, such as `IMGPROXY_BIND`.
    let name: String
    /// Whether the value must not be printed or logged.
    let isSecret: Bool
    /// The keys that the value is part of.
    let effect: Effect
    /// The accepted values, for messages.
    let expected: String
    /// Sets the value; false if the text is malformed.
    let set: @Sendable (String, inout ServiceConfiguration) -> Bool
    /// The value as text, in the form that ``set`` accepts.
    let text: @Sendable (ServiceConfiguration) -> String

    /// Makes an entry for a property.
    init<Value>(
        _ name: String,
        _ property: any WritableKeyPath<ServiceConfiguration, Value> & Sendable,
        _ format: ConfigurationFormat<Value>,
        _ effect: Effect,
        isSecret: Bool = false
    ) {
        self.name = name
        self.effect = effect
        self.isSecret = isSecret
        expected = format.expected
        set = { text, configuration in
            guard let value = format.parse(text) else { return false }
            configuration[keyPath: property] = value
            return true
        }
        text = { format.text($0[keyPath: property]) }
    }

    /// Makes an entry for a property that has no value unless the variable is set.
    init<Value>(
        _ name: String,
        _ property: any WritableKeyPath<ServiceConfiguration, Value?> & Sendable,
        _ format: ConfigurationFormat<Value>,
        _ effect: Effect,
        isSecret: Bool = false
    ) {
        self.init(name, property, format.optional, effect, isSecret: isSecret)
    }
}

extension ServiceConfiguration {
    /// All variables, in the order in which they are printed.
    static let entries: [ConfigurationEntry] =
        Connections.entries + URLs.entries + Sources.entries + Stores.entries
        + Processing.entries + Negotiation.entries + Responses.entries + Caches.entries
        + Operation.entries + Telemetry.entries

    /// The variables by name.
    static let entriesByName = Dictionary(
        uniqueKeysWithValues: entries.map { ($0.name, $0) }
    )
}
