extension ServiceError {
    /// The error for a URL that the service does not accept.
    ///
    /// The status is 404, because options and source are part of the path.
    static func refused(_ reason: String) -> ServiceError {
        ServiceError(404, reason, "Correct the URL")
    }

    /// A part of a URL for a message: at most 24 visible ASCII characters in quotes.
    static func quoted(_ text: some StringProtocol) -> String {
        let shown = text.unicodeScalars.prefix(24).map { scalar in
            (32..<127).contains(scalar.value) ? Character(scalar) : "?"
        }
        return "'\(String(shown))\(shown.count < text.unicodeScalars.count ? "…" : "")'"
    }
}
