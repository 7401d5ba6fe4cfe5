internal import CKFSystemShim
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Notices that nothing runs any more because the system refuses threads.
///
/// libdispatch waits for a thread without a limit, in the call that needs it. The clocks of time
/// limits wait with it, so they do not fire. This watch has a thread of its own from the start.
@_spi(Programs) public final class RuntimeWatch: Sendable {
    /// Why the program cannot go on.
    @_spi(Programs) public enum Stall: Equatable, Sendable, CustomStringConvertible {
        /// Nothing has run for this long.
        case silent(Duration)
        /// A time limit has passed, and did not fire.
        case overdue
        /// A piece of work has waited for a thread for this long.
        case waiting(Duration)

        /// A message for the user: the stall, its reason, and the limits to raise.
        @_spi(Programs) public var description: String {
            let late =
                switch self {
                case .silent(let time): "nothing has run for \(time.components.seconds) s"
                case .overdue: "the time limit has passed"
                case .waiting(let time): "some work has waited for \(time.components.seconds) s"
                }
            return "\(late), because \(ThreadRefused(code: EAGAIN))"
        }
    }

    /// How long nothing may run, or one piece of work may wait, while threads are refused.
    static let patience: Duration = .seconds(30)
    /// How late a time limit may fire while threads are refused.
    static let grace: Duration = .seconds(2)

    private struct State {
        var lastSign: Duration
        var limits: [Int: Duration] = [:]
        var nextLimit = 0
        var refusal: Refusal?
    }

    /// Threads have been refused at every look since then.
    private struct Refusal {
        let start: Duration
        /// Those that have slept at every look.
        ///
        /// Nothing of this project sleeps, so libdispatch has them wait for another thread.
        var asleep: Set<Int32>
    }

    private let state: Mutex<State>
    private let threads: ThreadStarter
    private let asleep: @Sendable () -> Set<Int32>
    private let now: @Sendable () -> Duration

    /// Makes a watch with the threads and the time of the system.
    @_spi(Programs) public convenience init() {
        let start = ContinuousClock.now
        self.init(
            threads: .system,
            asleep: { Self.threadsAsleep() },
            now: { ContinuousClock.now - start }
        )
    }

    /// Makes a watch with the threads and the time of a test.
    init(
        threads: ThreadStarter,
        asleep: @escaping @Sendable () -> Set<Int32>,
        now: @escaping @Sendable () -> Duration
    ) {
        self.threads = threads
        self.asleep = asleep
        self.now = now
        state = Mutex(State(lastSign: now()))
    }

    /// The numbers of the threads that sleep now; empty where the system does not report it.
    static func threadsAsleep() -> Set<Int32> {
        var numbers = [Int32](repeating: 0, count: 1024)
        let count = kf_threads_asleep(&numbers, Int32(numbers.count))
        return Set(numbers.prefix(Int(count)))
    }

    /// Looks once per second, on a thread of its own, and calls `end` for a stall.
    ///
    /// - Throws: ``ThreadRefused`` if the watch gets no thread.
    @_spi(Programs) public func start(
        end: @escaping @Sendable (Stall) -> Void
    ) throws(ThreadRefused) {
        try threads("kf-watch") { [self] in
            while true {
                SystemTime.pause(.seconds(1))
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
        do throws(ThreadRefused) {
            try threads("kf-trial") {}
            state.withLock { $0.refusal = nil }
            return nil
        } catch {
            return lateness(asleep(), at: now())
        }
    }

    /// The stall at a moment when threads are refused; nil if there is none.
    private func lateness(_ asleep: Set<Int32>, at now: Duration) -> Stall? {
        state.withLock { state in
            var refusal = state.refusal ?? Refusal(start: now, asleep: asleep)
            refusal.asleep.formIntersection(asleep)
            if refusal.asleep.isEmpty { refusal = Refusal(start: now, asleep: asleep) }
            state.refusal = refusal
            if state.limits.values.contains(where: { now - $0 > Self.grace }) { return .overdue }
            let silence = now - state.lastSign
            if silence > Self.patience { return .silent(silence) }
            let wait = now - refusal.start
            return wait > Self.patience && !refusal.asleep.isEmpty ? .waiting(wait) : nil
        }
    }
}
