import Foundation
import Testing

@testable import KingfisherServer

struct TextEncodingTests {
    @Test func `Base64 is that of Foundation`() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + count) }
            let expected = Data(bytes).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            #expect(Base64URL.encoded(bytes) == expected)
            #expect(Base64URL.decoded(expected) == bytes)
        }
    }

    @Test(arguments: [
        "A", "AAAAA", "A=", "AA===", "AA+A", "AA/A", "A A=", "é", "AA=A", "====", "=",
    ])
    func `malformed Base64 is refused`(_ text: String) {
        #expect((Base64URL.decoded(text) ?? []).isEmpty)
    }

    @Test func `padding is optional`() {
        #expect(Base64URL.decoded("TQ") == [77])
        #expect(Base64URL.decoded("TQ==") == [77])
        #expect(Base64URL.decoded("TWE=") == [77, 97])
    }

    @Test func `percent-encoding is decoded once`() {
        #expect(PercentEncoding.decoded("a%20b%2520%C3%A9") == "a b%20é")
        #expect(PercentEncoding.decoded("%") == nil)
        #expect(PercentEncoding.decoded("%4") == nil)
        #expect(PercentEncoding.decoded("%zz") == nil)
        #expect(PercentEncoding.decoded("%+1") == nil)
        #expect(PercentEncoding.decoded("%FF%FE") == nil)
    }

    @Test func `all but unreserved characters are encoded`() {
        #expect(PercentEncoding.encoded("a b/é%41", keeping: "/") == "a%20b/%C3%A9%2541")
        #expect(PercentEncoding.encoded("%41%4", keepsTriples: true) == "%41%254")
    }
}
