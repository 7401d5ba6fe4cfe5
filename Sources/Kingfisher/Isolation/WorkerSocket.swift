internal import CKFIsolationShim
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

/// Why a message between this process and a worker was refused.
struct WireError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Writes a message: numbers in the order of this machine, because both sides are this machine.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ number: Int) {
        withUnsafeBytes(of: Int64(number)) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ number: Double) {
        withUnsafeBytes(of: number.bitPattern) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    /// Writes bytes without their number.
    mutating func write(bytes more: [UInt8]) { bytes += more }

    mutating func write(_ text: String) {
        write(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes a value that may be missing.
    mutating func write<Value>(
        _ value: Value?,
        _ body: (inout WireWriter, Value) -> Void
    ) {
        write(value != nil)
        if let value { body(&self, value) }
    }
}

/// Reads a message that another process has written; nothing in it is believed.
///
/// Every length is checked against the bytes that are left before anything is allocated.
struct WireReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    /// Reads bytes that have to stay valid as long as the reader.
    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func int() throws(WireError) -> Int { Int(try word() as Int64) }

    /// A number within bounds.
    mutating func int(in range: ClosedRange<Int>) throws(WireError) -> Int {
        let number = try int()
        guard range.contains(number) else {
            throw WireError("\(number) is not in \(range.lowerBound)…\(range.upperBound)")
        }
        return number
    }

    mutating func double() throws(WireError) -> Double {
        Double(bitPattern: try word() as UInt64)
    }

    mutating func bool() throws(WireError) -> Bool {
        let byte = try take(1)[0]
        guard byte <= 1 else { throw WireError("\(byte) is neither true nor false") }
        return byte == 1
    }

    /// Reads a text of one line: it may reach a terminal or a log.
    ///
    /// Line breaks, other control characters and marks that change the writing direction become
    /// spaces.
    mutating func string(maxBytes: Int) throws(WireError) -> String {
        let count = try int(in: 0...maxBytes)
        let text = String(decoding: try take(count), as: UTF8.self)
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: line.append(" ")
            default: line.append(scalar)
            }
        }
        return String(line)
    }

    /// Reads a text as it is, for a worker: it reaches no terminal and no log.
    mutating func text(maxBytes: Int) throws(WireError) -> String {
        let count = try int(in: 0...maxBytes)
        return String(decoding: try take(count), as: UTF8.self)
    }

    /// Reads a value that may be missing.
    mutating func optional<Value>(
        _ body: (inout WireReader) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        try bool() ? try body(&self) : nil
    }

    /// All bytes that follow.
    mutating func rest() -> [UInt8] {
        defer { offset = bytes.count }
        return Array(bytes[offset...])
    }

    /// Makes sure that nothing follows.
    func end() throws(WireError) {
        guard offset == bytes.count else {
            throw WireError("\(bytes.count - offset) bytes too many")
        }
    }

    private mutating func word<Word: FixedWidthInteger>() throws(WireError) -> Word {
        try take(MemoryLayout<Word>.size).loadUnaligned(as: Word.self)
    }

    private mutating func take(_ count: Int) throws(WireError) -> UnsafeRawBufferPointer {
        guard count <= bytes.count - offset else { throw WireError("the message is too short") }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
    }
}
