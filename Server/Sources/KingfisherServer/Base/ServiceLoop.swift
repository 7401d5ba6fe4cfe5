/// Requests that the service sends to itself, because a URL names one of its own URLs as the source.
///
/// Each service on the way adds its name to a field (RFC 8586). A request takes a place in the queue
/// for every level, so that a single one could fill it. A request for the very URL that is being
/// made, by way of a redirect, waits for itself until the download's time is over.
enum ServiceLoop {
    private static let token = "kf-serve"
    /// Enough for a watermark that another service makes.
    private static let maximalLevels = 2

    /// Refuses a request that has passed too many services.
    ///
    /// - Parameter value: The request's value of the field.
    /// - Throws: ``ServiceError`` 508.
    static func check(_ value: String?) throws(ServiceError) {
        guard let value, levels(value) > maximalLevels else { return }
        throw ServiceError(508, "The source is made by this service", "Name the original source")
    }

    /// The value for the request of a source.
    ///
    /// - Parameter value: The value of the request that needs the source.
    /// - Returns: The value with this service.
    static func next(_ value: String?) -> String {
        (0...levels(value ?? "")).map { _ in token }.joined(separator: ", ")
    }

    private static func levels(_ value: String) -> Int {
        let names = value.lowercased().split(separator: ",").map(\.trimmed)
        return min(names.count { $0.prefix { $0 != ";" } == token }, maximalLevels + 1)
    }
}
