import Testing

@testable import KingfisherServer

struct SignatureKeysTests {
    private static let path =
        "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png"
    private static let signature = "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8"
    private static let pair = pair("secret", "hello")
    private static let other = pair("other", "salt")

    private static func pair(_ key: String, _ salt: String) -> SignatureKeys.Pair {
        .init(key: Array(key.utf8), salt: Array(salt.utf8))
    }

    private func keys(size: Int = 32, trusted: [String] = []) -> SignatureKeys {
        SignatureKeys([Self.pair], size: size, trusted: trusted)
    }

    @Test func `the check value of the documentation`() {
        let keys = keys()
        #expect(keys.signature(of: Self.path) == Self.signature)
        #expect(keys.accepts(Self.signature, for: Self.path))
        #expect(keys.accepts(Self.signature + "=", for: Self.path))
    }

    @Test(arguments: [
        "", "unsafe", "_", "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH",
        String(signature.dropLast(9)),
        signature + "A", signature + signature, "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH9A",
        "OKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8",
        "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH9", "o%4BfUtW34", "\u{0}", "ÄÖÜ",
    ])
    func `a wrong signature is refused`(_ wrong: String) {
        #expect(!keys().accepts(wrong, for: Self.path))
    }

    @Test func `a signature is that of one path`() {
        let keys = keys()
        #expect(!keys.accepts(Self.signature, for: Self.path + "x"))
        #expect(!keys.accepts(Self.signature, for: Self.path.dropFirst()))
        #expect(!keys.accepts(Self.signature, for: ""))
    }

    @Test(arguments: 1...32)
    func `a truncated signature has exactly the configured size`(_ size: Int) {
        let keys = keys(size: size)
        let signature = keys.signature(of: Self.path)
        #expect(signature.utf8.count == (size * 8 + 5) / 6)
        #expect(Self.signature.hasPrefix(signature.dropLast()))
        #expect(keys.accepts(signature, for: Self.path))
        #expect(size == 32 || !keys.accepts(Self.signature, for: Self.path))
        #expect(size == 1 || !keys.accepts(signature.dropLast(2), for: Self.path))
    }

    @Test func `all pairs verify and the first one signs`() {
        let rotated = SignatureKeys([Self.other, Self.pair])
        #expect(rotated.accepts(Self.signature, for: Self.path))
        #expect(rotated.signature(of: Self.path) != Self.signature)
        #expect(rotated.accepts(rotated.signature(of: Self.path), for: Self.path))
        let crossed = SignatureKeys([
            .init(key: Self.other.key, salt: Self.pair.salt),
            .init(key: Self.pair.key, salt: Self.other.salt),
        ])
        #expect(!crossed.accepts(Self.signature, for: Self.path))
    }

    @Test func `a trusted text replaces a signature`() {
        let keys = keys(trusted: ["staging", ""])
        #expect(keys.accepts("staging", for: "/any"))
        #expect(!keys.accepts("Staging", for: "/any"))
        #expect(!keys.accepts("", for: "/any"))
    }

    @Test func `without keys every text is a signature`() {
        let keys = SignatureKeys(trusted: ["x"])
        #expect(!keys.isRequired)
        #expect(keys.accepts("unsafe", for: Self.path))
        #expect(keys.signature(of: Self.path) == "unsafe")
    }
}
