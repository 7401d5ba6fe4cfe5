import Foundation

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

    mutating func string(maxBytes: Int) throws(WireError) -> String {
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
