import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Digests compared with the examples of FIPS 180-4.
struct SHA256Tests {
    static let examples = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ]

    @Test(arguments: examples)
    func `one call gives the standard's digest`(text: String, digest: String) {
        #expect(SHA256.hash(Data(text.utf8)).withUnsafeBytes { Hexadecimal.text(of: $0) } == digest)
    }

    @Test(arguments: examples)
    func `bytes that come one by one give the same digest`(text: String, digest: String) {
        let hash = SHA256()
        for byte in text.utf8 { hash.update([byte]) }
        #expect(hash.finalize().withUnsafeBytes { Hexadecimal.text(of: $0) } == digest)
    }

    @Test(arguments: [false, true])
    func `hashing and encrypting work until the process has ended`(
        afterTransfer: Bool
    ) async {
        await #expect(processExitsWith: .success) { [afterTransfer] in
            // Runs after the handlers that are registered later, such as OpenSSL's.
            atexit {
                let sealed = try? AESGCMTransformer(key: Data(count: 16))
                    .seal(Data(count: 4), name: "a")
                let digest = SHA256.hash(Data("abc".utf8)).withUnsafeBytes {
                    Hexadecimal.text(of: $0)
                }
                if sealed == nil || digest != SHA256Tests.examples[1].1 { _exit(1) }
            }
            if afterTransfer {
                let transport = CurlTransport(configuration: .init())
                let port = try ImageServer.freePort()
                let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
                _ = await transport.load(url)
            }
            _ = SHA256.hash(Data())
        }
    }
}
