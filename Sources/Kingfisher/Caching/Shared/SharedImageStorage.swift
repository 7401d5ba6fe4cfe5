public import Foundation

/// A storage that several machines share, such as Redis: the last level of their caches.
///
/// Set it with ``ImageCache/useSharedStorage(_:settings:)``. `KingfisherRedis` implements it for
/// Redis and Valkey, `KingfisherTesting` in memory.
///
/// Only ``values(for:)``, ``store(_:)`` and ``remove(_:)`` are required. Without leases several
/// machines may make the same image at once; without messages a machine keeps its own copy of an
/// image that another machine has removed.
///
/// The cache checks whatever it receives, so an implementation may lose, truncate or confuse
/// values: they then count as missing. It may also fail or be slow: see ``SharedStorageSettings``.
/// Methods are called concurrently, also while earlier calls have not returned. The task of a call
/// that exceeds the time-out is cancelled, and its result is ignored.
public protocol SharedImageStorage: Sendable {
    /// Returns the values of several names.
    ///
    /// - Parameter names: The names, each of 64 hexadecimal digits, without duplicates.
    /// - Returns: The values that exist.
    /// - Throws: Any error; the values then count as missing.
    func values(for names: [String]) async throws -> [String: Data]

    /// Stores several values, each replacing an earlier one of its name.
    ///
    /// - Parameter items: The values with their names.
    /// - Throws: Any error; the values are then not stored, and the call is not repeated.
    func store(_ items: [SharedStorageItem]) async throws

    /// Removes the values of several names; a missing one is no error.
    ///
    /// - Parameter names: The names.
    /// - Throws: Any error; the call is repeated later.
    func remove(_ names: [String]) async throws

    /// Acquires the lease of a name, unless another token has it.
    ///
    /// - Parameters:
    ///   - name: The name of a value; leases and values of a name are independent.
    ///   - token: Identifies the owner.
    ///   - duration: After this time the lease ends by itself.
    /// - Returns: Whether the token has the lease now.
    /// - Throws: Any error; the caller then continues without a lease.
    func acquireLease(of name: String, token: String, for duration: Duration) async throws -> Bool

    /// Ends the lease of a name if the token has it.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - token: The token that acquired the lease.
    /// - Throws: Any error; the lease then ends by itself.
    func releaseLease(of name: String, token: String) async throws

    /// Passes a message to all users of the storage that currently receive ``messages()``.
    ///
    /// - Parameter message: At most 64 KiB.
    /// - Throws: Any error; the call is repeated later.
    func publish(_ message: Data) async throws

    /// The messages published from now on, by this machine too.
    ///
    /// The stream continues after failures; messages of the meantime may be lost.
    func messages() -> AsyncStream<Data>
}

extension SharedImageStorage {
    /// Grants every lease, so that machines do not wait for each other.
    public func acquireLease(
        of name: String,
        token: String,
        for duration: Duration
    ) async throws -> Bool { true }

    /// Does nothing.
    public func releaseLease(of name: String, token: String) async throws {}

    /// Does nothing.
    public func publish(_ message: Data) async throws {}

    /// A stream without messages.
    public func messages() -> AsyncStream<Data> { AsyncStream { $0.finish() } }
}

/// A value for a ``SharedImageStorage`` to store.
public struct SharedStorageItem: Sendable, Equatable {
    /// The name of the value: 64 hexadecimal digits.
    public let name: String
    /// The bytes of the value.
    public let value: Data
    /// After this time the storage should remove the value; at least one second.
    public let timeToLive: Duration

    /// Makes an item; tests of an implementation use it.
    ///
    /// - Parameters:
    ///   - name: The name of the value.
    ///   - value: The bytes of the value.
    ///   - timeToLive: After this time the storage should remove the value.
    public init(name: String, value: Data, timeToLive: Duration) {
        self.name = name
        self.value = value
        self.timeToLive = timeToLive
    }
}
