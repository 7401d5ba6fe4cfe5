import Foundation
import Testing

@testable import KingfisherServer

/// Sources that are encrypted in the URL.
struct EncryptedSourceTests {
    // The example of imgproxy's documentation.
    private static let key =
        "1eb5b0e971ad7f45324c1bb15c947cb207c43152fa5c6c7f35c4f36e0c18e0f1"
    private static let text =
        "p5VjorNdhs7mRRw8gA9TWoRlGci3l1kuzqN43UQlRaRIQ0qtBKW3qFABIsx-ZRz_cVc8iVTYbhsNsxNBL1BHaQ"

    private static func settings() -> GrammarSettings {
        var settings = GrammarSettings()
        settings.encryptionKey = Hexadecimal.bytes(key)
        return settings
    }

    @Test("The source of the documented example is decrypted", arguments: ["", ".webp", "/"])
    func example(_ end: String) throws {
        // Base64 may be divided by slashes.
        let text =
            end == "/" ? Self.text.prefix(20) + "/" + Self.text.dropFirst(20) : Self.text + end
        let request = try ImageRequest.parse("/_/w:5/enc/\(text)", with: Self.settings())
        #expect(request.source.description == "http://example.com/images/curiosity.jpg")
        #expect(request.hidesSource)
        #expect(request.options.format == (end == ".webp" ? .webp : nil))
    }

    @Test("Whatever is wrong with an encrypted source, the error is the same")
    func errors() throws {
        let settings = Self.settings()
        let bytes = try #require(Base64URL.decoded(Self.text))
        var wrong: [[UInt8]] = [[], Array(bytes.prefix(16)), Array(bytes.prefix(40)), bytes + [1]]
        // A wrong padding, a wrong scheme, and text that is not UTF-8.
        for index in [0, 3, 16, 30, bytes.count - 17, bytes.count - 1] {
            var changed = bytes
            changed[index] ^= 0x81
            wrong.append(changed)
        }
        let messages = wrong.map { bytes in
            let text = Base64URL.encoded(bytes)
            do throws(ServiceError) {
                let request = try ImageRequest.parse("/_/enc/\(text)", with: settings)
                // Only the first block can be changed without being noticed.
                return "\(request.source.description.hasSuffix("/images/curiosity.jpg"))"
            } catch {
                return error.message
            }
        }
        #expect(Set(messages).subtracting(["true"]).count == 1, "\(Set(messages))")
        let error = #expect(throws: ServiceError.self) {
            try ImageRequest.parse("/_/enc/\(Self.text)", with: GrammarSettings())
        }
        #expect(error?.status == 404)
    }
}
