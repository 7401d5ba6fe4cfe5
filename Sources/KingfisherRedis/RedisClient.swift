#if Redis
internal import CKFRedisShim
import Foundation
import Glibc
@_spi(Programs) import Kingfisher
import Synchronization

/// Two connections to a server on one thread: one for requests, and one for messages once they are
/// requested.
///
/// Requests are pipelined: each is sent without waiting for the replies of earlier ones.
final class RedisClient: Sendable {
    private struct Inbox {
        var requests: [RedisRequest] = []
        var count = 0
        var byteCount = 0
        var wantsMessages = false
        var isClosed = false
        var receivers: [Int: AsyncStream<Data>.Continuation] = [:]
        var lastReceiver = 0
    }

    private let address: RedisAddress
    private let settings: RedisSettings
    private let log: RedisLog
    private let inbox = Mutex(Inbox())
    /// An event descriptor that ends the thread's wait.
    private let wake: Int32

    /// Starts the thread, which connects.
    ///
    /// - Throws: ``RedisError`` if the system refuses a descriptor or the thread.
    init(
        _ address: RedisAddress,
        _ settings: RedisSettings,
        log: RedisLog = .system,
        threads: ThreadStarter = .system
    ) throws(RedisError) {
        self.address = address
        self.log = log
        self.settings = settings
        wake = kf_redis_event_new()
        guard wake >= 0 else { throw RedisError("Too many files are open for a connection.") }
        do throws(ThreadRefused) {
            try threads("KingfisherRedis") { self.run() }
        } catch {
            throw RedisError("The connection has no thread: \(error).")
        }
    }

    // The thread retains the client, so this is after `close()`.
    deinit { Glibc.close(wake) }

    /// Ends the thread; requests fail.
    func close() {
        let receivers = inbox.withLock { inbox in
            inbox.isClosed = true
            defer { inbox.receivers = [:] }
            return inbox.receivers.values
        }
        for receiver in receivers { receiver.finish() }
        signal()
    }

    // MARK: Requests

    /// Sends commands, and returns their replies in order.
    ///
    /// - Throws: ``RedisError``; `CancellationError` at once, although the commands may be sent.
    func run(_ commands: [[Data]]) async throws -> [RedisReply] {
        guard !commands.isEmpty else { return [] }
        try Task.checkCancellation()
        var bytes = Data()
        for words in commands { RedisCommand.append(words, to: &bytes) }
        let result = OneResult()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                result.set(continuation)
                let size = bytes.count
                let request = RedisRequest(bytes: bytes, count: commands.count) { [weak self] in
                    self?.ended(size)
                    result.end($0.mapError { $0 as any Error })
                }
                submit(request, size, result)
            }
        } onCancel: {
            result.end(.failure(CancellationError()))
        }
    }

    private func submit(_ request: RedisRequest, _ size: Int, _ result: OneResult) {
        let problem: RedisError? = inbox.withLock { inbox in
            if inbox.isClosed { return RedisError("The storage was closed.") }
            guard inbox.count < settings.pendingRequests,
                inbox.byteCount < settings.pendingBytes
            else { return RedisError("Too many requests wait for \(address.name).") }
            inbox.count += 1
            inbox.byteCount += size
            inbox.requests.append(request)
            return nil
        }
        if let problem { return result.end(.failure(problem)) }
        signal()
    }

    private func ended(_ size: Int) {
        inbox.withLock { inbox in
            inbox.count -= 1
            inbox.byteCount -= size
        }
    }

    // MARK: Messages

    /// The messages of the settings' channel from now on; at most 10,000 are kept for a receiver.
    func messages() -> AsyncStream<Data> {
        AsyncStream(bufferingPolicy: .bufferingNewest(10_000)) { continuation in
            let id = inbox.withLock { inbox -> Int? in
                guard !inbox.isClosed else { return nil }
                inbox.wantsMessages = true
                inbox.lastReceiver += 1
                inbox.receivers[inbox.lastReceiver] = continuation
                return inbox.lastReceiver
            }
            guard let id else { return continuation.finish() }
            continuation.onTermination = { [weak self] _ in
                _ = self?.inbox.withLock { $0.receivers.removeValue(forKey: id) }
            }
            signal()
        }
    }

    private func push(_ message: Data) {
        let receivers = inbox.withLock { Array($0.receivers.values) }
        for receiver in receivers { receiver.yield(message) }
    }

    // MARK: The thread

    private func signal() {
        var one: UInt64 = 1
        // A full counter ends the wait too.
        _ = write(wake, &one, 8)
    }

    private func run() {
        kf_redis_block_broken_pipe_signal()
        var links = [RedisLink(address, settings, log: log)]
        while true {
            let (requests, wantsMessages, isClosed) = inbox.withLock { inbox in
                defer { inbox.requests = [] }
                return (inbox.requests, inbox.wantsMessages, inbox.isClosed)
            }
            for request in requests { links[0].submit(request) }
            guard !isClosed else { break }
            if wantsMessages, links.count == 1 {
                let push: @Sendable (Data) -> Void = { [weak self] in self?.push($0) }
                links.append(
                    RedisLink(
                        address,
                        settings,
                        log: log,
                        channel: settings.channel,
                        push: push
                    )
                )
            }
            let now = ContinuousClock.now
            for link in links { link.work(at: now) }
            wait(for: links)
        }
        for link in links { link.close() }
    }

    private func wait(for links: [RedisLink]) {
        let now = ContinuousClock.now
        var entries = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
        var deadline = now + .seconds(60)
        for link in links {
            let interest = link.interest(at: now)
            if let entry = interest.poll { entries.append(entry) }
            deadline = min(deadline, interest.deadline)
        }
        let (seconds, attoseconds) = max(.zero, deadline - now).components
        let milliseconds = min(seconds, 60) * 1_000 + attoseconds / 1_000_000_000_000_000 + 1
        poll(&entries, nfds_t(entries.count), deadline <= now ? 0 : Int32(milliseconds))
        var count: UInt64 = 0
        _ = read(wake, &count, 8)
    }
}

/// A continuation that is resumed once, by the reply or by a cancellation.
private final class OneResult: Sendable {
    private typealias Waiter = CheckedContinuation<[RedisReply], any Error>

    private enum State {
        case waiting(Waiter?)
        case ended
        /// It ended before the continuation was set.
        case early(Result<[RedisReply], any Error>)
    }

    private let state = Mutex(State.waiting(nil))

    func set(_ continuation: CheckedContinuation<[RedisReply], any Error>) {
        let early: Result<[RedisReply], any Error>? = state.withLock { state in
            if case .early(let result) = state {
                state = .ended
                return result
            }
            state = .waiting(continuation)
            return nil
        }
        if let early { continuation.resume(with: early) }
    }

    func end(_ result: Result<[RedisReply], any Error>) {
        let waiter: Waiter? = state.withLock { state in
            guard case .waiting(let waiter) = state else { return nil }
            state = waiter == nil ? .early(result) : .ended
            return waiter
        }
        waiter?.resume(with: result)
    }
}
#endif
