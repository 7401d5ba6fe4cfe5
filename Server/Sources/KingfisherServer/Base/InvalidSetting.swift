/// A setting of the configuration that the service cannot use.
struct InvalidSetting: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the environment variable without its prefix, for example `KEY`.
    var name: String
    /// The fault, and a valid form.
    var reason: String

    /// Makes an error.
    init(_ name: String, _ reason: String) {
        self.name = name
        self.reason = reason
    }

    var description: String { "\(name): \(reason)" }
}
