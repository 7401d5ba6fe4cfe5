import Foundation

/// Collects the lines of a response head as libcurl reports them.
///
/// Versions of libcurl differ in what they accept, so that what all of them would reject, or only one
/// of them, is rejected here.
struct CurlHead {
    enum Step {
        case more
        case complete
        /// The head is not valid, or exceeds a limit; the reason continues "the response is not valid:".
        case refused(String)
    }

    /// 256 KiB: libcurl limits a single line to 100 KiB, and real heads are smaller than 16 KiB.
    private static let maxBytes = 256 << 10
    /// Including trailers and the heads of interim responses; real heads have fewer than 100 lines.
    ///
    /// libcurl reports all lines that have arrived in one round, so the limit bounds its time.
    private static let maxLines = 2_000
    /// The bytes of a line that an error shows.
    private static let maxShown = 80

    /// Why a head whose first field continues another is refused.
    static let foldedFirst = "its head begins with a folded line"

    private(set) var statusCode = 0
    private(set) var httpVersion = ""
    private(set) var fields: [(name: String, value: String)] = []
    private var bytes = 0
    private var lines = 0
    /// Whether a status line was received, and not yet the end of its head.
    private(set) var isOpen = false

    /// Whether no line has been received.
    var isEmpty: Bool { bytes == 0 }

    /// Receives one line, including its line end.
    ///
    /// Heads of interim responses (1xx) are skipped. Trailers are counted and ignored.
    mutating func take(_ line: UnsafeBufferPointer<UInt8>, isTrailer: Bool = false) -> Step {
        bytes += line.count
        lines += 1
        guard bytes <= Self.maxBytes else { return Self.tooLarge("\(Self.maxBytes) bytes") }
        guard lines <= Self.maxLines else { return Self.tooLarge("\(Self.maxLines) lines") }
        if isTrailer { return .more }
        var end = line.count
        while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
        let text = UnsafeBufferPointer(rebasing: line[..<end])
        guard isOpen else {
            // Only here: a field may have a name that begins like a status line.
            return text.starts(with: "HTTP/".utf8) ? open(text) : .more
        }
        guard text.isEmpty else { return addField(text) }
        isOpen = false
        // 101 does not occur, because no upgrade is requested.
        return statusCode >= 200 ? .complete : .more
    }

    private static func tooLarge(_ limit: String) -> Step {
        .refused("its head has more than \(limit)")
    }

    /// Reads a status line: version, space, three digits, and the end or a space (RFC 9112, 4).
    private mutating func open(_ line: UnsafeBufferPointer<UInt8>) -> Step {
        let version = line.prefix { $0 != 0x20 }
        let status = line[version.endIndex...].dropFirst().prefix { $0 != 0x20 }
        httpVersion = Self.string(UnsafeBufferPointer(rebasing: version))
        guard status.count == 3,
            let code = HTTPSyntax.number(String(decoding: status, as: UTF8.self)),
            code >= 100, Self.isKnown(httpVersion)
        else {
            let start = UnsafeBufferPointer(rebasing: line.prefix(Self.maxShown))
            return .refused("its status line is “\(Self.string(start))”")
        }
        statusCode = code
        fields = []
        fields.reserveCapacity(16)
        isOpen = true
        return .more
    }

    private static func isKnown(_ version: String) -> Bool {
        switch version {
        case "HTTP/1.1", "HTTP/2", "HTTP/1.0", "HTTP/3": true
        default: false
        }
    }

    private mutating func addField(_ line: UnsafeBufferPointer<UInt8>) -> Step {
        // A folded line (RFC 9112, 5.2) continues the value before it.
        if line[0] == 0x20 || line[0] == 0x09 {
            guard let last = fields.indices.last else {
                return .refused(Self.foldedFirst)
            }
            // In place: a copy for each line would take time with the square of their number.
            fields[last].value += " " + Self.string(Self.trimmed(line))
            return .more
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return .more }
        let name = Self.string(Self.trimmed(UnsafeBufferPointer(rebasing: line[..<colon])))
        let value = Self.trimmed(UnsafeBufferPointer(rebasing: line[(colon + 1)...]))
        // An entity tag must be sent back to the server byte for byte.
        let isTag = !Self.isASCII(value) && name.lowercased() == "etag"
        fields.append((name, isTag ? HTTPSyntax.opaqueText(value) : Self.string(value)))
        return .more
    }

    // Without an early exit, so that the compiler can compare many bytes at once.
    private static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.reduce(0, |) < 0x80
    }

    private static func trimmed(
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8> {
        var low = 0
        var high = bytes.count
        while low < high, bytes[low] == 0x20 || bytes[low] == 0x09 { low += 1 }
        while high > low, bytes[high - 1] == 0x20 || bytes[high - 1] == 0x09 { high -= 1 }
        return UnsafeBufferPointer(rebasing: bytes[low..<high])
    }

    // Fields are Latin-1 by specification, but usually UTF-8.
    private static func string(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        // Nearly always ASCII; checking that is ten times faster than validating.
        if isASCII(bytes) { return String(decoding: bytes, as: UTF8.self) }
        return String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
