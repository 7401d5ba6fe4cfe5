import Foundation
import Synchronization

/// Decodes the frames of one animation, one after another, in a pool that all animations share.
///
/// A queue for each animation would start a thread for each of them.
final class FrameWork: Sendable {
    private struct State: Sendable {
        var waiting: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private static let pool = WorkPool(
        label: "com.onevcat.Kingfisher.frames",
        width: ProcessInfo.processInfo.activeProcessorCount,
        computes: true
    )

    private let state = Mutex(State())

    func submit(_ body: @escaping @Sendable () -> Void) {
        let starts = state.withLock { state in
            state.waiting.append(body)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { Self.pool.submit { self.runNext() } }
    }

    /// Runs one piece of work, then lets those of other animations run.
    private func runNext() {
        let body = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.isRunning = false
            return nil
        }
        guard let body else { return }
        body()
        Self.pool.submit { self.runNext() }
    }
}

/// Limits the memory of the frames that all animations together keep beyond the next one.
final class FrameAllowance: Sendable {
    /// The allowance of the process: 64 MiB.
    static let shared = FrameAllowance(limit: 64 << 20)

    private let limit: Int
    private let used = Atomic(0)

    init(limit: Int) { self.limit = limit }

    /// Whether frames use more than the limit.
    var isExceeded: Bool { used.load(ordering: .relaxed) > limit }

    /// Whether one more frame fits.
    func fits(_ bytes: Int) -> Bool { used.load(ordering: .relaxed) + bytes <= limit }

    /// Counts frames that are kept, or with a negative number frames that are released.
    func add(_ bytes: Int) { used.wrappingAdd(bytes, ordering: .relaxed) }
}
