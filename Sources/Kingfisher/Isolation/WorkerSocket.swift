internal import CIsolationShim
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A message with the memory that travels beside it.
struct WorkerMessage: Sendable {
    /// The most bytes of a message: files and pixels are not part of it.
    static let maxBytes = 96 << 10

    var bytes: [UInt8]
    var memory: [SealedMemory] = []
    /// The result in ``ExchangeMemory``; the program sees a copy of its own.
    var result: SharedBytes?
}

/// One end of the socket between this process and a worker.
struct WorkerSocket: Sendable {
    /// The end of waiting for a message.
    enum Received {
        case message(WorkerMessage)
        /// The other process is gone.
        case end
        case timedOut
    }

    let descriptor: Int32

    /// Sends a message; false when the other process is gone.
    ///
    /// Never waits: one side has always read everything before the other one sends.
    ///
    /// - Throws: ``WorkerFailure/requestTooLarge``, ``WorkerFailure/noMemory(errno:)``,
    ///   ``WorkerFailure/invalidAnswer(_:)`` when the other side has not read.
    func send(_ message: WorkerMessage) throws(WorkerFailure) -> Bool {
        guard message.bytes.count <= WorkerMessage.maxBytes,
            message.memory.count <= Int(KF_MESSAGE_DESCRIPTORS)
        else { throw .requestTooLarge }
        let error = message.bytes.withUnsafeBytes { bytes in
            let descriptors = message.memory.map(\.descriptor)
            return kf_message_send(
                descriptor,
                bytes.baseAddress,
                bytes.count,
                descriptors,
                descriptors.count
            )
        }
        withExtendedLifetime(message) {}
        switch error {
        case 0: return true
        case EPIPE, ECONNRESET, ENOTCONN: return false
        case EAGAIN: throw .invalidAnswer("it answers requests that it has not read")
        default: throw .noMemory(errno: error)
        }
    }

    /// Whether there is a message, or the other process is gone.
    var isReadable: Bool { kf_message_wait(descriptor, 0) == 0 }

    /// Waits for a message.
    ///
    /// - Parameter deadline: The latest moment; nil waits forever.
    /// - Returns: The message, or why there is none.
    /// - Throws: ``WireError`` for one that is too large, or carries too much.
    func receive(before deadline: ContinuousClock.Instant? = nil) throws(WireError) -> Received {
        while let deadline {
            let left = max(.zero, ContinuousClock.now.duration(to: deadline))
            // Rounded up, so that the last millisecond is not spent in a loop.
            let milliseconds = min(left / .milliseconds(1), 3_600_000).rounded(.up)
            let error = kf_message_wait(descriptor, Int32(milliseconds))
            if error == 0 { break }
            if error == ETIMEDOUT, left == .zero { return .timedOut }
            if error != ETIMEDOUT, error != EINTR { return .end }
        }
        return try receiveNow()
    }

    private func receiveNow() throws(WireError) -> Received {
        var descriptors = [Int32](repeating: -1, count: Int(KF_MESSAGE_DESCRIPTORS))
        var count = 0
        var length = WorkerMessage.maxBytes
        var error: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, used in
            error = kf_message_receive(
                descriptor,
                buffer.baseAddress,
                &length,
                &descriptors,
                &count
            )
            used = error == 0 ? length : 0
        }
        // Taken over at once, so that each is closed whatever becomes of the message.
        let memory = descriptors.prefix(count).map(SealedMemory.adopting)
        switch error {
        case 0 where bytes.isEmpty: return .end
        case 0: return .message(WorkerMessage(bytes: bytes, memory: memory))
        case EMSGSIZE: throw WireError("the message is too large")
        default: return .end
        }
    }
}
