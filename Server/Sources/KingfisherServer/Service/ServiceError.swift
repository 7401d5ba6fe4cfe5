/// A request that the service refuses or cannot fulfil.
struct ServiceError: Error, Sendable, Hashable {
    /// The HTTP status.
    var status: Int
    /// One line for the client, without secrets.
    var message: String
    /// More for the log, and for the client in development mode.
    var detail: String?

    /// Makes an error.
    init(_ status: Int, _ message: String, detail: String? = nil) {
        self.status = status
        self.message = message
        self.detail = detail
    }
}
