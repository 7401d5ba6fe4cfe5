#if Redis
import Foundation
import Synchronization

/// A command, and the key that decides which server of a cluster gets it.
struct RedisKeyedCommand: Sendable {
    let words: [Data]
    /// The key; nil for a command that any server may get.
    let key: Data?
}

/// The servers of a storage: one, or the masters of a cluster.
///
/// That a server belongs to a cluster shows in its replies. From then on each command goes to the
/// master of its key, on one connection for each master. The map of the masters is read again when
/// a reply names another master, and when one fails.
final class RedisServers: Sendable {
    private struct State {
        var clients: [RedisAddress: RedisClient] = [:]
        var slots: RedisSlots?
        /// The server for messages, and for all commands while there is no map.
        var home: RedisAddress
        var isClosed = false
        var isLooking = false
        var nextLook = ContinuousClock.now
    }

    /// A command on its way.
    private struct Errand {
        let index: Int
        /// Where an earlier reply sent it.
        var redirection: RedisRedirection?
    }

    /// How often a command follows a reply to another server.
    private static let maximalRedirections = 5
    private static let lookInterval = Duration.milliseconds(200)

    private let seeds: [RedisAddress]
    private let settings: RedisSettings
    private let log: RedisLog
    private let state: Mutex<State>

    /// Starts connecting to the first address; the others are asked when it fails.
    ///
    /// - Throws: ``RedisError`` if there is no address, or the system refuses a descriptor or thread.
    init(
        _ seeds: [RedisAddress],
        _ settings: RedisSettings,
        log: RedisLog = .system
    ) throws(RedisError) {
        guard let home = seeds.first else { throw RedisError("Redis needs an address.") }
        (self.seeds, self.settings, self.log) = (seeds, settings, log)
        state = Mutex(State(home: home))
        _ = try client(home)
    }

    deinit { close() }

    /// Ends all connections; requests fail.
    func close() {
        let clients = state.withLock { state in
            state.isClosed = true
            defer { state.clients = [:] }
            return state.clients.values
        }
        for client in clients { client.close() }
    }

    /// The masters, once a reply has shown that there is a cluster.
    var masters: [RedisAddress] { state.withLock { $0.slots?.masters ?? [] } }

    // MARK: Commands

    /// Sends commands, each with at most one key, and returns their replies in order.
    ///
    /// - Returns: The replies; with a cluster the failure of a master is an error reply to each of
    ///   its commands.
    /// - Throws: ``RedisError`` if the only server fails; `CancellationError`.
    func run(_ commands: [RedisKeyedCommand]) async throws -> [RedisReply] {
        var replies = [RedisReply](
            repeating: .error("The servers of the cluster send the key back and forth."),
            count: commands.count
        )
        var errands = commands.indices.map { Errand(index: $0) }
        for _ in 0...Self.maximalRedirections where !errands.isEmpty {
            var next: [Errand] = []
            for (address, sent, result) in try await send(errands, of: commands) {
                for (errand, reply) in zip(sent, result) {
                    if let redirection = RedisRedirection(reply, from: address) {
                        if redirection.isLasting { look() }
                        next.append(Errand(index: errand.index, redirection: redirection))
                    } else {
                        replies[errand.index] = reply
                    }
                }
            }
            errands = next
        }
        return replies
    }

    /// Sends each command to its server.
    private func send(
        _ errands: [Errand],
        of commands: [RedisKeyedCommand]
    ) async throws -> [(RedisAddress, [Errand], [RedisReply])] {
        let (slots, home) = state.withLock { ($0.slots, $0.home) }
        let groups = Dictionary(grouping: errands) { errand in
            errand.redirection?.address
                ?? commands[errand.index].key.flatMap { slots?.master(of: $0) } ?? home
        }
        if groups.count == 1, let (address, errands) = groups.first {
            let replies = try await send(errands, of: commands, to: address, slots != nil)
            return [(address, errands, replies)]
        }
        return try await withThrowingTaskGroup { tasks in
            for (address, errands) in groups {
                tasks.addTask {
                    let replies = try await self.send(errands, of: commands, to: address, true)
                    return (address, errands, replies)
                }
            }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
    }

    private func send(
        _ errands: [Errand],
        of commands: [RedisKeyedCommand],
        to address: RedisAddress,
        _ isOneOfMany: Bool
    ) async throws -> [RedisReply] {
        // A server that a slot moves to takes commands for it only after this one.
        let asks = errands.map { $0.redirection?.isLasting == false }
        let words = zip(errands, asks).flatMap { errand, asks in
            (asks ? [[Data("ASKING".utf8)]] : []) + [commands[errand.index].words]
        }
        do {
            var rest = try await client(address).run(words)[...]
            return asks.map { asks in
                if asks { _ = rest.popFirst() }
                return rest.popFirst() ?? RedisReply.none
            }
        } catch let error as RedisError {
            if isOneOfMany || seeds.count > 1 { look() }
            guard isOneOfMany else { throw error }
            return errands.map { _ in .error(error.description) }
        }
    }

    private func client(_ address: RedisAddress) throws(RedisError) -> RedisClient {
        let found = state.withLock { state in
            Result { () throws(RedisError) -> RedisClient in
                if let client = state.clients[address] { return client }
                guard !state.isClosed else { throw RedisError("The storage was closed.") }
                guard state.clients.count < RedisSlots.maximalMasters else {
                    throw RedisError("The cluster names too many servers.")
                }
                let client = try RedisClient(address, settings, log: log)
                state.clients[address] = client
                return client
            }
        }
        return try found.get()
    }

    // MARK: The map

    /// Reads the map in the background, unless that happens already or just happened.
    private func look() {
        let now = ContinuousClock.now
        let begins = state.withLock { state in
            guard !state.isLooking, !state.isClosed, now >= state.nextLook else { return false }
            state.isLooking = true
            return true
        }
        guard begins else { return }
        Task { [weak self] in
            await self?.readMap()
            self?.state.withLock { state in
                state.isLooking = false
                state.nextLook = .now + Self.lookInterval
            }
        }
    }

    private func readMap() async {
        let known = state.withLock { Array($0.clients.keys) }
        for address in known.shuffled() + seeds.filter({ !known.contains($0) }) {
            let command = [["CLUSTER", "SLOTS"].map { Data($0.utf8) }]
            guard let reply = try? await client(address).run(command).first,
                let slots = RedisSlots(reply, from: address)
            else { continue }
            return use(slots)
        }
    }

    private func use(_ slots: RedisSlots) {
        let (isNew, old) = state.withLock { state in
            defer { state.slots = slots }
            let old = state.clients.filter { !slots.masters.contains($0.key) }
            for address in old.keys { state.clients[address] = nil }
            if !slots.masters.contains(state.home) { state.home = slots.masters[0] }
            return (state.slots == nil, old.values)
        }
        for client in old { client.close() }
        if isNew { log.info("Redis is a cluster of \(slots.masters.count) masters.") }
    }

    // MARK: Messages

    /// The messages of the settings' channel from now on; at most 10,000 are kept for a receiver.
    ///
    /// They come from one server, because a cluster passes a message to all of its servers. When that
    /// one leaves the cluster, they come from another.
    func messages() -> AsyncStream<Data> {
        AsyncStream(bufferingPolicy: .bufferingNewest(10_000)) { continuation in
            let task = Task { [weak self] in
                while !Task.isCancelled, let messages = self?.messagesOfHome() {
                    for await message in messages { continuation.yield(message) }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func messagesOfHome() -> AsyncStream<Data>? {
        try? client(state.withLock { $0.home }).messages()
    }
}
#endif
