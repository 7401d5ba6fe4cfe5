import Foundation
import Kingfisher
import Testing

struct AESGCMTransformerTests {
    let bytes = Data("an image".utf8)

    @Test func `an example of the standard is opened`() throws {
        // Test case 2 of the GCM specification: a key, a nonce and a plaintext of zeros.
        let sealed =
            Data(count: 12)
            + Data(base64Encoded: "A4jazmC2o5LzKMK5cbL+eKtuR9Qs7BO99TpnshJXvd8=")!
        #expect(
            try AESGCMTransformer(key: Data(count: 16)).open(sealed, name: "") == Data(count: 16)
        )
    }

    @Test(arguments: [16, 24, 32])
    func `each size of key opens what it sealed`(size: Int) throws {
        let transformer = AESGCMTransformer(key: Data(repeating: 7, count: size))
        for bytes in [bytes, Data()] {
            let sealed = try transformer.seal(bytes, name: "a")
            #expect(sealed.count == bytes.count + 28)
            #expect(try transformer.open(sealed, name: "a") == bytes)
        }
    }

    @Test func `the same bytes never seal to the same`() throws {
        let transformer = AESGCMTransformer(key: Data(count: 32))
        #expect(try transformer.seal(bytes, name: "a") != transformer.seal(bytes, name: "a"))
    }

    @Test func `another name, another key and a changed byte are refused`() throws {
        let transformer = AESGCMTransformer(key: Data(count: 32))
        let sealed = try transformer.seal(bytes, name: "a")
        let other = AESGCMTransformer(key: Data(repeating: 1, count: 32))
        #expect(throws: AESGCMTransformer.Failure.self) { try transformer.open(sealed, name: "b") }
        #expect(throws: AESGCMTransformer.Failure.self) { try other.open(sealed, name: "a") }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: AESGCMTransformer.Failure.self) {
                try transformer.open(changed, name: "a")
            }
        }
        for count in [0, 1, 27] {
            #expect(throws: AESGCMTransformer.Failure.self) {
                try transformer.open(sealed.prefix(count), name: "a")
            }
        }
    }
}
