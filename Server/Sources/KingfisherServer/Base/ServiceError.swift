/// A request that the service refuses or cannot fulfil.
struct ServiceError: Error, Sendable, Hashable {
    /// The HTTP status.
    var status: Int
    /// The problem and the remedy, in a sentence each, on one line without secrets.
    var message: String
    /// More for the log, and for the client in development mode.
    var detail: String?
    /// The status of the source's server, if it is the reason.
    var sourceStatus: Int?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - problem: The problem as a clause, without a full stop.
    ///   - action: The remedy of the client or the administrator, in the same form.
    ///   - detail: More for the log.
    init(_ status: Int, _ problem: String, _ action: String, detail: String? = nil) {
        self.status = status
        message = "\(problem.sentence) \(action.sentence)"
        self.detail = detail
    }
}

extension String {
    /// The clause with a capital letter at the beginning and a full stop at the end.
    fileprivate var sentence: String { prefix(1).uppercased() + dropFirst() + "." }
}
