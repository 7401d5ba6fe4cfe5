/// The `Content-Disposition` field (RFC 6266).
enum ContentDisposition {
    /// Names that any client can read are not longer.
    private static let maximalLength = 200

    /// The value of the field.
    ///
    /// - Parameters:
    ///   - name: The name without extension, from anywhere: no character of it can end the field.
    ///   - fileExtension: The extension without a point.
    ///   - isAttachment: Whether browsers save the file rather than show it.
    /// - Returns: The value.
    static func value(name: String, fileExtension: String, isAttachment: Bool) -> String {
        let kind = isAttachment ? "attachment" : "inline"
        let name = cleaned(name)
        let file = "\(name.isEmpty ? "image" : name).\(fileExtension)"
        let ascii = String(
            file.unicodeScalars.map { scalar -> Character in
                let isPlain = scalar.isASCII && scalar != "\"" && scalar != "\\" && scalar != "%"
                return isPlain ? Character(scalar) : "_"
            }
        )
        let value = "\(kind); filename=\"\(ascii)\""
        return ascii == file ? value : "\(value); filename*=UTF-8''\(encoded(file))"
    }

    /// The name without folders, control characters and marks that reverse the direction of text.
    private static func cleaned(_ name: String) -> String {
        let scalars = name.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
            default: scalar != "/" && scalar != "\\"
            }
        }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars.prefix(maximalLength))
        return String(view).trimmed
    }

    /// Percent-encoding of RFC 8187.
    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isAttributeCharacter(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isAttributeCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$&+-.^_`|~".utf8.contains(byte)
        }
    }
}
