/// The freshness of an image under HTTP caching rules; see
/// ``KingfisherOptionsInfoItem/httpCaching``.
public enum HTTPFreshness: Sendable, Hashable {
    /// Just downloaded, or within its lifetime.
    case fresh
    /// Past its lifetime but still usable: the response allows it during background revalidation or
    /// on errors, the request allows it, or the network must not be used.
    case stale
    /// Past its lifetime and confirmed by the server with status 304.
    case revalidated
}
