@_spi(Server) import Kingfisher

/// A request that the service refuses or cannot fulfil.
struct ServiceError: Error, Sendable, Hashable {
    /// The HTTP status.
    var status: Int
    /// The problem and the remedy, in a sentence each, on one line without secrets.
    let message: String
    /// More for the log, and for the client in development mode: of URLs only their hosts.
    private(set) var detail: String?
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
        message = "\(problem.sentence) \(action.sentence)".disclosing(.host)
        self.detail = detail?.disclosing(.host)
    }

    /// The error without details, which may name the host of a source that is secret.
    var withoutDetail: ServiceError {
        var error = self
        error.detail = nil
        return error
    }
}

extension String {
    /// The clause with a capital letter at the beginning and a full stop at the end.
    fileprivate var sentence: String { prefix(1).uppercased() + dropFirst() + "." }
}
