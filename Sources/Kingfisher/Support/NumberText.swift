import Foundation

/// Conversion between bytes and lower-case hexadecimal digits, two per byte.
enum Hexadecimal {
    private static let digits: StaticString = "0123456789abcdef"

    static func text(of bytes: UnsafeRawBufferPointer) -> String {
        String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            var count = 0
            for byte in bytes {
                text[count] = digits.utf8Start[Int(byte >> 4)]
                text[count + 1] = digits.utf8Start[Int(byte & 15)]
                count += 2
            }
            return count
        }
    }

    /// A number without leading zeros.
    static func text(of number: UInt64) -> String {
        let count = max(1, (67 - number.leadingZeroBitCount) / 4)
        return String(unsafeUninitializedCapacity: count) { text in
            for index in 0..<count {
                let digit = Int(number >> UInt64(4 * (count - 1 - index)) & 15)
                text[index] = digits.utf8Start[digit]
            }
            return count
        }
    }

    /// Reads pairs of digits into bytes; false if `text` contains any other character.
    static func read(
        _ text: UnsafeRawBufferPointer,
        into bytes: UnsafeMutableRawBufferPointer
    ) -> Bool {
        var isValid = true
        for index in 0..<(text.count / 2) {
            let (high, low) = (value(text[2 * index]), value(text[2 * index + 1]))
            isValid = isValid && high < 16 && low < 16
            bytes[index] = high &<< 4 | low & 15
        }
        return isValid
    }

    /// The value of a digit; more than 15 if it is not a digit.
    @inline(__always)
    private static func value(_ digit: UInt8) -> UInt8 {
        let number = digit &- UInt8(ascii: "0")
        let letter = digit &- UInt8(ascii: "a")
        return number < 10 ? number : letter < 6 ? letter &+ 10 : 255
    }
}

/// The text forms of numbers, sizes and colours in cache keys.
///
/// They follow Apple's text forms and never use `description`, which differs between platforms:
/// keys must match those made on Apple's platforms.
enum NumberText {
    /// `20.0`.
    static func number(_ value: CGFloat) -> String { "\(Double(value))" }

    /// `(100.0, 50.5)`.
    static func size(_ size: CGSize) -> String {
        "(\(number(size.width)), \(number(size.height)))"
    }

    /// `(0.5, 0.5)`.
    static func point(_ point: CGPoint) -> String {
        "(\(number(point.x)), \(number(point.y)))"
    }
}
