import Foundation
import Testing

@testable import Kingfisher

struct HexadecimalTests {
    @Test func `bytes are two digits each, and come back`() {
        let bytes = Data((0...255).map { UInt8($0) })
        let text = bytes.withUnsafeBytes { Hexadecimal.text(of: $0) }
        #expect(text == bytes.map { String(format: "%02x", $0) }.joined())
        #expect(read(text) == bytes)
    }

    @Test(arguments: ["0G", "A0", "/0", "0:", "`0", "0g"])
    func `a character that is not a digit is refused`(text: String) {
        #expect(read(text) == nil)
        #expect(read("00" + text) == nil)
    }

    @Test(arguments: [0, 1, 15, 16, 0xABC, 0x1234_5678_9ABC_DEF0, .max] as [UInt64])
    func `a number has no leading zeros`(number: UInt64) {
        #expect(Hexadecimal.text(of: number) == String(number, radix: 16))
    }

    private func read(_ text: String) -> Data? {
        var bytes = Data(count: text.utf8.count / 2)
        let isValid = bytes.withUnsafeMutableBytes { bytes in
            Array(text.utf8).withUnsafeBytes { Hexadecimal.read($0, into: bytes) }
        }
        return isValid ? bytes : nil
    }
}
