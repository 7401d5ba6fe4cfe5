#if Redis
public import Foundation
public import Kingfisher

/// How a ``RedisImageStorage`` uses its server.
public struct RedisSettings: Sendable, Hashable {
    /// The prefix of all keys and of the channel; by default `kf:`.
    ///
    /// Programs with different images on one server need different prefixes or databases.
    public var prefix = "kf:"
    /// The longest wait for a connection; by default 2 s.
    public var connectTimeout: Duration = .seconds(2)
    /// After this time without a reply the connection counts as lost; by default 5 s.
    public var replyTimeout: Duration = .seconds(5)
    /// The longest wait before the next attempt to connect, in seconds; by default 5.
    public var longestBackOff: Double = 5
    /// The maximum size of a reply in bytes; by default 512 MiB, the largest value of Redis.
    public var largestReply = 512 << 20
    /// The maximum number of requests without a reply; by default 10,000.
    public var pendingRequests = 10_000
    /// The maximum number of bytes of requests without a reply; by default 256 MiB.
    public var pendingBytes = 256 << 20
    /// A file with the certificates to trust with `rediss://`, in PEM format; nil for the system's.
    public var certificateFile: String?
    /// Whether the server's certificate must be valid for its name; by default true.
    public var verifiesCertificate = true

    /// Makes settings with the default values.
    public init() {}

    var channel: String { "\(prefix)messages" }
}

/// A shared storage in Redis or Valkey.
///
/// ```swift
/// let storage = try RedisImageStorage("redis://user:password@host:6379/0")
/// ImageCache.default.useSharedStorage(storage)
/// ```
///
/// All requests go over one connection without waiting for each other's replies, messages arrive
/// over a second one, and a single thread serves both. A lost connection is opened again, at first
/// soon and then less often; meanwhile requests fail at once.
///
/// If the server belongs to a Redis Cluster, the storage finds the other masters, and has a
/// connection and a thread for each. While a master is away, the values of the others are found.
/// Name several servers of a cluster, separated by commas, so that one of them is there at the start.
///
/// Set `maxmemory` and `maxmemory-policy allkeys-lru` in the server's configuration, so that it
/// evicts old values.
public final class RedisImageStorage: SharedImageStorage {
    /// Releases a lease only if it still has the token.
    private static let releaseScript = Data(
        """
        if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
        return 0
        """.utf8
    )

    let servers: RedisServers
    private let settings: RedisSettings

    /// Starts connecting to a server; that it cannot be reached is no error.
    ///
    /// - Parameters:
    ///   - url: `redis://user:password@host:6379/0`, `rediss://` for TLS, or
    ///     `unix:///path/to/socket?db=0`; for a cluster also several, separated by commas.
    ///   - settings: Time-outs and limits.
    /// - Throws: ``RedisError`` if the URL is invalid, or no descriptor is free.
    public init(_ url: String, settings: RedisSettings = RedisSettings()) throws(RedisError) {
        self.settings = settings
        servers = try RedisServers(try RedisAddress.list(url), settings)
    }

    // MARK: SharedImageStorage

    /// Returns the values of several names; see `SharedImageStorage`.
    ///
    /// Those of masters of a cluster that fail are missing.
    public func values(for names: [String]) async throws -> [String: Data] {
        let replies = try await servers.run(names.map { command("GET", key($0)) })
        var found: [String: Data] = [:]
        var failure: RedisError?
        var isAnswered = names.isEmpty
        for (name, reply) in zip(names, replies) {
            switch reply {
            case .bytes(let value): found[name] = value
            case .error(let text): failure = RedisError("Redis: \(text)")
            case .none: isAnswered = true
            default: throw RedisError("Redis returned no value.")
            }
        }
        if let failure, found.isEmpty, !isAnswered { throw failure }
        return found
    }

    /// Stores several values; see `SharedImageStorage`.
    public func store(_ items: [SharedStorageItem]) async throws {
        let commands = items.map { item in
            command("SET", key(item.name), item.value, word("PX"), milliseconds(item.timeToLive))
        }
        _ = try await run(commands)
    }

    /// Removes the values of several names; see `SharedImageStorage`.
    public func remove(_ names: [String]) async throws {
        _ = try await run(names.map { command("UNLINK", key($0)) })
    }

    /// Acquires the lease of a name; see `SharedImageStorage`.
    public func acquireLease(
        of name: String,
        token: String,
        for duration: Duration
    ) async throws -> Bool {
        let request = command(
            "SET",
            lease(name),
            word(token),
            word("NX"),
            word("PX"),
            milliseconds(duration)
        )
        return try await run([request]) == [.status("OK")]
    }

    /// Ends the lease of a name; see `SharedImageStorage`.
    public func releaseLease(of name: String, token: String) async throws {
        let key = lease(name)
        let words = [word("EVAL"), Self.releaseScript, word("1"), key, word(token)]
        _ = try await run([RedisKeyedCommand(words: words, key: key)])
    }

    /// Passes a message to all receivers; see `SharedImageStorage`.
    public func publish(_ message: Data) async throws {
        let words = [word("PUBLISH"), word(settings.channel), message]
        _ = try await run([RedisKeyedCommand(words: words, key: nil)])
    }

    /// The messages from now on; see `SharedImageStorage`.
    public func messages() -> AsyncStream<Data> { servers.messages() }

    // MARK: Commands

    /// The replies, none of which is an error.
    private func run(_ commands: [RedisKeyedCommand]) async throws -> [RedisReply] {
        let replies = try await servers.run(commands)
        for case .error(let text) in replies { throw RedisError("Redis: \(text)") }
        return replies
    }

    private func command(_ name: String, _ key: Data, _ rest: Data...) -> RedisKeyedCommand {
        RedisKeyedCommand(words: [word(name), key] + rest, key: key)
    }

    private func word(_ text: String) -> Data { Data(text.utf8) }

    private func key(_ name: String) -> Data { word("\(settings.prefix)value:\(name)") }

    private func lease(_ name: String) -> Data { word("\(settings.prefix)lease:\(name)") }

    /// From a millisecond to thirty years: Redis refuses anything else.
    private func milliseconds(_ duration: Duration) -> Data {
        let (seconds, attoseconds) = duration.components
        let bounded = min(max(seconds, 0), 1_000_000_000)
        let rest = max(attoseconds, 0) / 1_000_000_000_000_000
        return word("\(max(1, bounded * 1_000 + rest))")
    }
}
#endif
