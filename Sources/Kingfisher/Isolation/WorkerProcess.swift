internal import CKFIsolationShim
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The program that workers run.
struct WorkerProgram: Sendable {
    /// Stands as the first argument of a worker; the version changes with the messages.
    static let argument = "--kingfisher-worker-6"

    /// The program itself, even after its file was replaced.
    static let own = WorkerProgram(path: "/proc/self/exe")

    let path: String
    /// Called before each start in tests; an error number refuses it.
    var refusal: @Sendable () -> Int32 = { 0 }

    /// The variables of the dynamic linker, of sanitizers and of our own switches.
    ///
    /// Workers inherit no others: keys and passwords are often among them.
    fileprivate static let inheritedVariables = [
        "LD_LIBRARY_PATH", "LD_PRELOAD", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS",
        "LLVM_PROFILE_FILE", "KF_PORTABLE_KERNELS",
    ]

    fileprivate var environment: [String] {
        Self.inheritedVariables.compactMap { name in
            getenv(name).map { "\(name)=\(String(cString: $0))" }
        } + ["SWIFT_BACKTRACE=enable=no"]
    }
}

/// Bounds on a worker.
struct WorkerLimits: Sendable {
    /// Bytes of address space in addition to those that the program needs to start.
    var memory: Int
    /// How long one request may take.
    var time: Duration

    /// Twice the time after which a busy worker is replaced, so that an honest one never reaches it.
    fileprivate var cpuSeconds: Int {
        Int((max(time, .zero) / .seconds(1) * 2).rounded(.up).clamped(to: 1...1_000_000)) + 1
    }
}

extension Double {
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
        min(range.upperBound, max(range.lowerBound, self))
    }
}

/// What a worker loads before its walls are up, in addition to what every request may need.
///
/// What the bits mean is up to the handler of requests.
struct WorkerPreparations: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
}

/// A running worker.
///
/// Used by one thread, the one that made it: the worker ends with that thread. Only
/// ``kill()`` may be called from other threads.
final class WorkerProcess: Sendable {
    /// How long a worker may take to be ready; starting takes some 50 ms on an idle machine.
    private static let patience: Duration = .seconds(30)
    /// How long a worker may take to end in milliseconds: the system may be writing its memory to a
    /// slow disk.
    private static let endPatience: Int32 = 10_000

    let pid: pid_t
    let socket: WorkerSocket
    let preparations: WorkerPreparations
    private let exchange: ExchangeMemory
    private let process: Int32
    private let limits: WorkerLimits
    private let endProcess: @Sendable (_ process: Int32) -> Int32
    private let isReaped = Atomic(false)
    private let requests = Atomic(0)
    private let busyMilliseconds = Atomic(0)

    /// Starts a worker and does not wait for it.
    ///
    /// - Parameters:
    ///   - program: The program.
    ///   - limits: The bounds of the worker.
    ///   - preparations: What it loads before its first request.
    ///   - endProcess: Ends a process at once; returns an error number if that is refused.
    /// - Throws: ``WorkerFailure/cannotStart(_:)``, ``WorkerFailure/noProcess(errno:)``,
    ///   ``WorkerFailure/noMemory(errno:)``.
    init(
        _ program: WorkerProgram,
        limits: WorkerLimits,
        preparing preparations: WorkerPreparations,
        endProcess: @escaping @Sendable (_ process: Int32) -> Int32 = { kf_worker_kill($0) }
    ) throws(WorkerFailure) {
        self.endProcess = endProcess
        self.preparations = preparations
        exchange = try ExchangeMemory()
        var worker = kf_worker()
        let words = ["kingfisher-worker", WorkerProgram.argument]
        var error = program.refusal()
        if error == 0 {
            error = withCStrings(words) { arguments in
                withCStrings(program.environment) { environment in
                    kf_worker_start(program.path, arguments, environment, &worker)
                }
            }
        }
        guard error != EAGAIN else { throw .noProcess(errno: error) }
        guard error == 0 else { throw .cannotStart(String(cString: strerror(error))) }
        (pid, process) = (worker.pid, worker.process)
        socket = WorkerSocket(descriptor: worker.socket)
        self.limits = limits
        var hello = WireWriter()
        hello.write(limits.memory)
        hello.write(limits.cpuSeconds)
        hello.write(Int(preparations.rawValue))
        // If the worker has ended already, the next receive reports it.
        _ = try socket.send(WorkerMessage(bytes: hello.bytes, memory: [exchange.memory]))
    }

    deinit {
        _ = end()
        close(socket.descriptor)
        close(process)
    }

    /// How many requests were sent.
    var requestCount: Int { requests.load(ordering: .relaxed) }

    /// How long it has worked, all in all.
    var busyTime: Duration { .milliseconds(busyMilliseconds.load(ordering: .relaxed)) }

    /// Waits until the worker has locked itself in.
    ///
    /// - Throws: ``WorkerFailure/cannotStart(_:)``.
    func awaitReady() throws(WorkerFailure) {
        let message: WorkerMessage
        do throws(WorkerFailure) {
            message = try receive(limit: Self.patience, while: { true })
        } catch {
            throw .cannotStart("\(error)")
        }
        let trouble = message.bytes.withUnsafeBytes { bytes -> String? in
            do throws(WireError) {
                var reader = WireReader(bytes)
                return try reader.bool() ? nil : try reader.string(maxBytes: 1000)
            } catch {
                return "\(error)"
            }
        }
        if let trouble { throw .cannotStart(trouble) }
    }

    /// The end of a request.
    enum Answer {
        case message(WorkerMessage)
        /// The worker had ended, or had answered, before the request reached it.
        case wasGone
    }

    /// Sends a request and waits for its answer.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isWanted: Polled; once it returns false, the worker is ended after a grace period. Not
    ///     at once: most requests end before that, and a new worker costs more CPU than they do.
    /// - Returns: The answer, without its number, and with a copy of its result.
    /// - Throws: ``WorkerFailure``. The worker has ended, unless it was not to blame: see
    ///   ``hasEnded``.
    func answer(
        to request: WorkerRequest,
        while isWanted: () -> Bool
    ) throws(WorkerFailure) -> Answer {
        // One that has ended, or answers what it was not asked, is of no use.
        guard !socket.isReadable else { return .wasGone }
        let number = requestCount + 1
        guard try isSent(try request.framed(number, exchange)) else { return .wasGone }
        requests.store(number, ordering: .relaxed)
        let start = ContinuousClock.now
        defer {
            let time = start.duration(to: .now) / .milliseconds(1)
            busyMilliseconds.wrappingAdd(Int(min(time, 1e9)), ordering: .relaxed)
        }
        let answer = try receive(limit: limits.time, while: isWanted)
        return .message(try checked(answer, number))
    }

    private func isSent(_ message: WorkerMessage) throws(WorkerFailure) -> Bool {
        do throws(WorkerFailure) {
            return try socket.send(message)
        } catch {
            throw error == .requestTooLarge ? error : failed(error)
        }
    }

    /// The answer without what precedes it, and with a copy of its result.
    private func checked(
        _ answer: WorkerMessage,
        _ number: Int
    ) throws(WorkerFailure) -> WorkerMessage {
        let parts = answer.bytes.withUnsafeBytes { bytes in
            Result { () throws(WireError) in
                var reader = WireReader(bytes)
                guard try reader.int() == number else { throw WireError("of another request") }
                let count = try reader.optional { reader throws(WireError) in try reader.int() }
                return (count, reader.rest())
            }
        }
        // Too short is as wrong as another number.
        guard case .success((let count, let bytes)) = parts else {
            throw failed(.invalidAnswer("it belongs to no request"))
        }
        var checked = WorkerMessage(bytes: bytes, memory: answer.memory)
        guard let count else { return checked }
        do throws(WorkerFailure) {
            checked.result = try exchange.result(byteCount: count)
        } catch {
            throw error.blamesRequest ? failed(error) : error
        }
        return checked
    }

    /// Whether the process has ended, and was reaped.
    var hasEnded: Bool { isReaped.load(ordering: .relaxed) }

    /// Ends the process at once, from any thread.
    func kill() {
        guard endProcess(process) != 0 else { return }
        // A filter of system calls refuses it. The thread of this worker sees the end of the socket,
        // and ends the process by its number, which it alone knows to be valid.
        hangUp()
    }

    /// Ends the process at once, on the thread that reaps it.
    private func killUnreaped() {
        guard endProcess(process) != 0, kf_worker_kill_number(pid) != 0 else { return }
        // Without its socket the worker ends after its request.
        hangUp()
    }

    private func hangUp() { _ = shutdown(socket.descriptor, Int32(SHUT_RDWR)) }

    /// Kills the process, reaps it, and returns the reason of its end.
    @discardableResult
    func end() -> WorkerFailure {
        guard !isReaped.exchange(true, ordering: .relaxed) else { return .stopped }
        killUnreaped()
        return reaped()
    }

    // MARK: Receiving

    /// How long a worker may continue with a request that has no callers left.
    private static let grace: Duration = .milliseconds(25)

    private func receive(
        limit: Duration,
        while isWanted: () -> Bool
    ) throws(WorkerFailure) -> WorkerMessage {
        let deadline = ContinuousClock.now + limit
        while true {
            let now = ContinuousClock.now
            if let message = try receive(before: min(deadline, now + Self.grace)) { return message }
            if now >= deadline { throw failed(.timedOut(limit)) }
            if !isWanted() { throw failed(.cancelled) }
        }
    }

    /// The next message; nil when none has come in time.
    private func receive(
        before deadline: ContinuousClock.Instant
    ) throws(WorkerFailure) -> WorkerMessage? {
        let received: WorkerSocket.Received
        do throws(WireError) {
            received = try socket.receive(before: deadline)
        } catch {
            throw failed(.invalidAnswer(error.description))
        }
        switch received {
        case .timedOut: return nil
        case .end:
            isReaped.store(true, ordering: .relaxed)
            // One that has only closed its socket is ended by this; the others keep their reason.
            killUnreaped()
            throw reaped()
        case .message(let message):
            if let number = Self.forbiddenCall(in: message) {
                throw failed(.forbiddenCall(number: number))
            }
            return message
        }
    }

    private func failed(_ failure: WorkerFailure) -> WorkerFailure {
        end()
        return failure
    }

    private func reaped() -> WorkerFailure {
        var (signal, code): (Int32, Int32) = (0, 0)
        let error = kf_worker_wait(process, Self.endPatience, &signal, &code)
        // Other code has reaped it, so the reason is unknown here; or it cannot be ended, and is
        // left alone rather than waited for with a lane that other requests need.
        guard error == 0 else { return .exited(code: -1) }
        return switch signal {
        case 0: .exited(code: code)
        // The filter's, for a call that was made while signals were blocked, so without a report.
        case SIGSYS: .forbiddenCall(number: -1)
        default: .crashed(signal: signal)
        }
    }

    private static func forbiddenCall(in message: WorkerMessage) -> Int32? {
        message.bytes.withUnsafeBytes { bytes in
            guard bytes.count == MemoryLayout<kf_forbidden_call>.size else { return nil }
            let call = bytes.loadUnaligned(as: kf_forbidden_call.self)
            return call.magic == UInt32(KF_FORBIDDEN_MAGIC) ? call.number : nil
        }
    }
}

/// Calls `body` with a null-terminated list of C strings.
private func withCStrings<Result>(
    _ texts: [String],
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    copies.append(nil)
    return copies.withUnsafeBufferPointer { body($0.baseAddress.unsafelyUnwrapped) }
}
