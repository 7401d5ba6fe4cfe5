import Foundation
import Synchronization

/// Notices removals of entries while their contents are made.
///
/// Work takes the watch of its entry before it looks for anything that was there before, and stores
/// its outcome by ``RemovalWatch/unlessRemoved(_:)``: what began before a removal does not undo it.
@_spi(Server) public final class Removals: Sendable {
    private struct Entry {
        /// The watch of work that begins now; nil if there is none.
        weak var current: RemovalWatch?
        var epoch = 0
        /// The number of watches, of earlier epochs too.
        var count = 0
    }

    private struct State {
        /// The entries that are worked on.
        var entries: [String: Entry] = [:]
        var lastEpoch = 0
    }

    private let state = Mutex(State())

    /// Makes a table without work.
    @_spi(Server) public init() {}

    /// The watch of a key; the same one for all work that begins between two removals.
    @_spi(Server) public func watch(_ key: String) -> RemovalWatch {
        state.withLock { state in
            var entry = state.entries[key] ?? Entry()
            if let watch = entry.current { return watch }
            let watch = RemovalWatch(epoch: entry.epoch) { [weak self] in self?.end(key) }
            entry.current = watch
            entry.count += 1
            state.entries[key] = entry
            return watch
        }
    }

    /// Notes a removal; call it before the entry is removed, and again when lookups find nothing.
    @_spi(Server) public func note(_ key: String) {
        let watch = state.withLock { state -> RemovalWatch? in
            guard var entry = state.entries[key] else { return nil }
            state.lastEpoch += 1
            let watch = entry.current
            entry.current = nil
            entry.epoch = state.lastEpoch
            state.entries[key] = entry
            return watch
        }
        // Outside the lock: its work may be storing.
        watch?.end()
    }

    /// Notes that all entries are removed, as ``note(_:)``.
    func noteAll() {
        for key in state.withLock({ Array($0.entries.keys) }) { note(key) }
    }

    private func end(_ key: String) {
        state.withLock { state in
            guard var entry = state.entries[key] else { return }
            entry.count -= 1
            state.entries[key] = entry.count > 0 ? entry : nil
        }
    }
}

/// Whether an entry was removed since some work on it began.
@_spi(Server) public final class RemovalWatch: Sendable {
    /// Differs between the work before and after a removal while both run; 0 without a removal.
    @_spi(Server) public let epoch: Int
    private let removed = Atomic(false)
    /// Recursive, because storing releases what it evicts, whose `deinit` may remove the entry.
    private let storing = NSRecursiveLock()
    private let onRelease: @Sendable () -> Void

    fileprivate init(epoch: Int, onRelease: @escaping @Sendable () -> Void) {
        self.epoch = epoch
        self.onRelease = onRelease
    }

    deinit { onRelease() }

    /// Whether the entry was removed.
    var isRemoved: Bool { removed.load(ordering: .acquiring) }

    /// Stores the outcome of the work, unless the entry was removed; a removal waits meanwhile.
    ///
    /// - Parameter store: Stores the outcome.
    /// - Returns: Whether `store` was called.
    @discardableResult
    @_spi(Server) public func unlessRemoved(_ store: () -> Void) -> Bool {
        storing.withLock {
            guard !isRemoved else { return false }
            store()
            return true
        }
    }

    fileprivate func end() { storing.withLock { removed.store(true, ordering: .releasing) } }
}
