import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Notices that nothing runs any more because the system refuses threads.
///
/// libdispatch waits for a thread without a limit. The clocks of time limits wait with it, so they
/// do not fire. This watch has a thread of its own from the start.
@_spi(Programs) public final class RuntimeWatch: Sendable {
    /// Why the program cannot go on.
    @_spi(Programs) public enum Stall: Equatable, Sendable {
        /// Nothing has run for this long.
        case silent(Duration)
        /// A time limit has passed, and did not fire.
        case overdue
    }

    /// How long nothing may run while threads are refused.
    static let patience: Duration = .seconds(30)
    /// How late a time limit may fire while threads are refused.
    static let grace: Duration = .seconds(2)

    private struct State {
        var lastSign: Duration
        var limits: [Int: Duration] = [:]
        var nextLimit = 0
    }

    private let state: Mutex<State>
    private let threads: ThreadStarter
    private let now: @Sendable () -> Duration

    /// Makes a watch with the threads and the time of the system.
    @_spi(Programs) public convenience init() {
        let start = ContinuousClock.now
        self.init(threads: .system) { ContinuousClock.now - start }
    }

    /// Makes a watch with the threads and the time of a test.
    init(threads: ThreadStarter, now: @escaping @Sendable () -> Duration) {
        self.threads = threads
        self.now = now
        state = Mutex(State(lastSign: now()))
    }

    /// Looks once per second, on a thread of its own, and calls `end` for a stall.
    ///
    /// - Throws: ``ThreadRefused`` if the watch gets no thread.
    @_spi(Programs) public func start(
        end: @escaping @Sendable (Stall) -> Void
    ) throws(ThreadRefused) {
        try threads("kf-watch") { [self] in
            while true {
                sleep(1)
                if let stall = stall() { return end(stall) }
            }
        }
        // The sleep ends on a thread of the pool, and the rest needs the thread of the main queue.
        Task { @MainActor in
            while true {
                noteSign()
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Registers a time limit; returns its number for ``removeLimit(_:)``.
    @_spi(Programs) public func addLimit(_ limit: Duration) -> Int {
        let end = now() + limit
        return state.withLock { state in
            state.nextLimit += 1
            state.limits[state.nextLimit] = end
            return state.nextLimit
        }
    }

    /// Removes a time limit that has fired, or whose work has ended.
    @_spi(Programs) public func removeLimit(_ number: Int) {
        state.withLock { $0.limits[number] = nil }
    }

    /// Notes that asynchronous work runs.
    func noteSign() {
        let now = now()
        state.withLock { $0.lastSign = now }
    }

    /// Whether the program is stuck: something is late, and the system refuses a thread.
    func stall() -> Stall? {
        let now = now()
        let late = state.withLock { state -> Stall? in
            if state.limits.values.contains(where: { now - $0 > Self.grace }) { return .overdue }
            let silence = now - state.lastSign
            return silence > Self.patience ? .silent(silence) : nil
        }
        guard let late else { return nil }
        do throws(ThreadRefused) {
            try threads("kf-trial") {}
            return nil
        } catch {
            return late
        }
    }
}
