import Foundation
import Synchronization

/// Files that ended workers, remembered for a while so that they do not end more of them.
final class CrashMemory: Sendable {
    private struct Entry {
        let failure: WorkerFailure
        let end: ContinuousClock.Instant
    }

    private struct State {
        /// By the digest of the file.
        var entries: [[UInt8]: Entry] = [:]
        /// The sizes of the files: a file of another size need not be hashed, which on the way of
        /// every good file would cost as much as decoding a part of it.
        var sizes: Set<Int> = []
    }

    private let state = Mutex(State())
    private let duration: Duration
    private let capacity: Int
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Makes a memory.
    ///
    /// - Parameters:
    ///   - duration: How long a file is remembered.
    ///   - capacity: How many files; the oldest is forgotten first.
    ///   - now: The time.
    init(
        duration: Duration = .seconds(600),
        capacity: Int = 1024,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.duration = duration
        self.capacity = max(1, capacity)
        self.now = now
    }

    /// The failure that a file has caused, if it is remembered.
    func failure(of file: Data) -> WorkerFailure? {
        guard state.withLock({ $0.sizes.contains(file.count) }) else { return nil }
        let name = Self.name(of: file)
        return state.withLock { state in
            guard let entry = state.entries[name] else { return nil }
            if entry.end > now() { return entry.failure }
            forget(name, in: &state)
            return nil
        }
    }

    /// Remembers the failure that a file has caused.
    func note(_ failure: WorkerFailure, of file: Data) {
        let name = Self.name(of: file)
        state.withLock { state in
            if state.entries.count >= capacity,
                let oldest = state.entries.min(by: { $0.value.end < $1.value.end })
            {
                forget(oldest.key, in: &state)
            }
            state.entries[name] = Entry(failure: failure, end: now() + duration)
            state.sizes.insert(file.count)
        }
    }

    private func forget(_ name: [UInt8], in state: inout State) {
        state.entries[name] = nil
        // A size too many costs a hash and is never wrong.
        if state.entries.isEmpty { state.sizes = [] }
    }

    private static func name(of file: Data) -> [UInt8] { SHA256.hash(file) }
}
