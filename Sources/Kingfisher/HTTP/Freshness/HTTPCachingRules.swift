/// The rules of HTTP caching that depend on the users of a cache; see
/// ``ImageCache/httpCachingRules``.
public struct HTTPCachingRules: Sendable, Hashable {
    /// Whether the images are shown to other users than those whose requests loaded them.
    ///
    /// Responses with `private` are then not stored, `s-maxage` replaces `max-age`, and
    /// `proxy-revalidate` counts as `must-revalidate` (RFC 9111, 5.2.2).
    public var isShared: Bool

    /// The names of response header fields that are stored in addition to those that caching
    /// needs, in upper or lower case.
    ///
    /// ``RetrieveImageResult/response`` of a cached image has them too. They are stored as they
    /// arrive, so do not list fields that contain secrets.
    public var keptFields: Set<String>

    /// Makes rules.
    ///
    /// - Parameters:
    ///   - isShared: Whether the cache serves several users.
    ///   - keptFields: The names of additional fields to store.
    public init(isShared: Bool = false, keptFields: Set<String> = []) {
        self.isShared = isShared
        self.keptFields = keptFields
    }
}
