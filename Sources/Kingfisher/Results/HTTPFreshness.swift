/// How an image stands to its server, by the rules of HTTP; see
/// ``KingfisherOptionsInfoItem/httpCaching``.
public enum HTTPFreshness: Sendable, Hashable {
    /// Just downloaded, or within its lifetime.
    case fresh
    /// Past its lifetime, and allowed all the same: by the server while it is asked in the
    /// background or cannot be asked, by the request, or because the network must not be used.
    case stale
    /// Past its lifetime, and confirmed by the server (status 304).
    case revalidated
}
