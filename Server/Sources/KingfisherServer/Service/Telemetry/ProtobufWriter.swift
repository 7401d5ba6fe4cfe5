/// Writes messages in the binary form of Protocol Buffers: the few kinds of fields that OTLP needs.
///
/// Fields with the default value are left out, except in `oneof`, where their presence counts.
/// Source: https://protobuf.dev/programming-guides/encoding/
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    private enum Kind: UInt64 {
        case varint = 0
        case fixed64 = 1
        case bytes = 2
    }

    /// Writes a whole number or an enumeration.
    mutating func varint(_ field: UInt64, _ value: UInt64, isPresent: Bool = false) {
        guard value != 0 || isPresent else { return }
        tag(field, .varint)
        raw(value)
    }

    /// Writes a boolean.
    mutating func flag(_ field: UInt64, _ value: Bool, isPresent: Bool = false) {
        varint(field, value ? 1 : 0, isPresent: isPresent)
    }

    /// Writes eight bytes, the lowest first.
    mutating func fixed(_ field: UInt64, _ value: UInt64, isPresent: Bool = false) {
        guard value != 0 || isPresent else { return }
        tag(field, .fixed64)
        raw(fixed: value)
    }

    /// Writes a floating-point number.
    mutating func double(_ field: UInt64, _ value: Double, isPresent: Bool = false) {
        fixed(field, value.bitPattern, isPresent: isPresent)
    }

    /// Writes many numbers of eight bytes as one field.
    mutating func packed(_ field: UInt64, _ values: [UInt64]) {
        guard !values.isEmpty else { return }
        tag(field, .bytes)
        raw(UInt64(values.count * 8))
        for value in values { raw(fixed: value) }
    }

    /// Writes bytes.
    mutating func bytes(_ field: UInt64, _ value: [UInt8], isPresent: Bool = false) {
        guard !value.isEmpty || isPresent else { return }
        tag(field, .bytes)
        raw(UInt64(value.count))
        bytes += value
    }

    /// Writes a text.
    mutating func text(_ field: UInt64, _ value: String, isPresent: Bool = false) {
        bytes(field, Array(value.utf8), isPresent: isPresent)
    }

    /// Writes a message within this one.
    mutating func message(_ field: UInt64, _ write: (inout ProtobufWriter) -> Void) {
        var inner = ProtobufWriter()
        write(&inner)
        bytes(field, inner.bytes, isPresent: true)
    }

    private mutating func tag(_ field: UInt64, _ kind: Kind) { raw(field << 3 | kind.rawValue) }

    private mutating func raw(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private mutating func raw(fixed value: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
