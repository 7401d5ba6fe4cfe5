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

/// Limits the memory that all animations together hold beyond their current frame and the next one.
///
/// It counts decoded frames, and what decoders hold for the next frame. Frames in advance come from
/// the first half. The second half is left to what saves decoding frames again: the canvases of
/// decoders, and frames that take less memory than a canvas.
final class FrameAllowance: Sendable {
    /// The allowance of the process: 128 MiB.
    static let shared = FrameAllowance(limit: 128 << 20)

    private let limit: Int
    private let used = Atomic(0)

    init(limit: Int) { self.limit = limit }

    /// The bytes that are counted.
    var usedBytes: Int { used.load(ordering: .relaxed) }

    /// Whether frames in advance must be released.
    var isHalfUsed: Bool { usedBytes > limit / 2 }

    /// Whether everything that can be made again must be released.
    var isExceeded: Bool { usedBytes > limit }

    /// Whether a frame fits whose size is `bytes`; `isSaving` if keeping it saves a canvas.
    func fits(_ bytes: Int, isSaving: Bool) -> Bool {
        usedBytes + bytes <= (isSaving ? limit : limit / 2)
    }

    /// Counts bytes that are held, or with a negative number bytes that are released.
    func add(_ bytes: Int) { used.wrappingAdd(bytes, ordering: .relaxed) }
}
