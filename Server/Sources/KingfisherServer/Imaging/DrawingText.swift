import Foundation

/// The text of a drawing, from its bytes.
enum DrawingText {
    /// The largest file, which takes up to half a second and is held several times.
    static let maximalSize = 1 << 20

    /// The text in UTF-8, with the ends of lines as line feeds.
    ///
    /// - Throws: ``DrawingFault`` if the file is too large, in another encoding, or has characters that XML does not have.
    static func bytes(of file: Data) throws(DrawingFault) -> [UInt8] {
        guard file.count <= maximalSize else {
            throw DrawingFault("it has more than \(maximalSize) bytes")
        }
        let text = try decoded([UInt8](file))
        guard text.unicodeScalars.allSatisfy(isCharacter) else {
            throw DrawingFault("it has characters that XML does not have")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var isAfterReturn = false
        for byte in text.utf8 {
            if byte == 0x0D || byte != 0x0A || !isAfterReturn {
                bytes.append(byte == 0x0D ? 0x0A : byte)
            }
            isAfterReturn = byte == 0x0D
        }
        try check(encoding: declaredEncoding(bytes), of: bytes)
        return bytes
    }

    /// Whether XML 1.0 has a character.
    static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    private static func decoded(_ file: [UInt8]) throws(DrawingFault) -> String {
        let start = file.prefix(2)
        let isLittle = start == [0xFF, 0xFE] || start == [0x3C, 0]
        guard isLittle || start == [0xFE, 0xFF] || start == [0, 0x3C] else {
            let hasMark = file.prefix(3) == [0xEF, 0xBB, 0xBF]
            if let text = String(validating: file.dropFirst(hasMark ? 3 : 0), as: UTF8.self) {
                return text
            }
            throw DrawingFault("it is not valid UTF-8")
        }
        let units = stride(from: start.contains(0x3C) ? 0 : 2, to: file.count - 1, by: 2).map {
            let (first, second) = (UInt16(file[$0]), UInt16(file[$0 + 1]))
            return isLittle ? second << 8 | first : first << 8 | second
        }
        guard file.count.isMultiple(of: 2), let text = String(validating: units, as: UTF16.self)
        else { throw DrawingFault("it is not valid UTF-16") }
        return text
    }

    /// The name in the declaration at the beginning, in lower case; nil without one.
    private static func declaredEncoding(_ bytes: [UInt8]) -> String? {
        guard bytes.starts(with: "<?xml".utf8) else { return nil }
        let text = String(decoding: bytes.prefix(256), as: UTF8.self)
        let declaration = text.prefix { $0 != ">" }
        guard let name = declaration.firstMatch(of: /encoding\s*=\s*["']([^"']*)["']/)?.output.1
        else {
            return nil
        }
        return name.lowercased()
    }

    private static func check(encoding: String?, of bytes: [UInt8]) throws(DrawingFault) {
        guard let encoding, !["utf-8", "utf8", "utf-16"].contains(encoding) else { return }
        let extendsASCII = ["us-ascii", "ascii", "iso-8859-", "windows-125"].contains {
            encoding.hasPrefix($0)
        }
        guard extendsASCII, bytes.allSatisfy({ $0 < 0x80 }) else {
            throw DrawingFault("it is neither in UTF-8 nor in UTF-16")
        }
    }
}
