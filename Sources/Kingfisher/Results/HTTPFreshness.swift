/// How a picture stands to its server, by the rules of HTTP; see
/// ``KingfisherOptionsInfoItem/httpCaching``.
public enum HTTPFreshness: Sendable, Hashable {
    /// Just downloaded, or within the time that its server gave it.
    case fresh
    /// Past that time, and used all the same: the server allows it while it is asked behind, or
    /// could not be asked.
    case stale
    /// Past that time, and the server said that it is still the same (status 304).
    case revalidated
}
