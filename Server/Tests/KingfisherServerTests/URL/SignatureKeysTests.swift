import Testing

@testable import KingfisherServer

struct SignatureKeysTests {
    private static let path =
        "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png"
    private static let signature = "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8"
    /// `secret` and `hello`.
    private static let key = "736563726574"
    private static let salt = "68656C6C6F"

    private func keys(size: Int = 32, trusted: [String] = []) throws -> SignatureKeys {
        try SignatureKeys(keys: Self.key, salts: Self.salt, size: size, trusted: trusted)
    }

    @Test func `the check value of the documentation`() throws {
        let keys = try keys()
        #expect(keys.signature(of: Self.path) == Self.signature)
        #expect(keys.accepts(Self.signature, for: Self.path))
        #expect(keys.accepts(Self.signature + "=", for: Self.path))
    }

    @Test(arguments: [
        "", "unsafe", "_", "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH",
        String(signature.dropLast(9)),
        signature + "A", signature + signature, "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH9A",
        "OKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8", "o%4BfUtW34", "\u{0}", "ÄÖÜ",
    ])
    func `a wrong signature is refused`(_ wrong: String) throws {
        #expect(try !keys().accepts(wrong, for: Self.path))
    }

    @Test func `a signature is that of one path`() throws {
        let keys = try keys()
        #expect(!keys.accepts(Self.signature, for: Self.path + "x"))
        #expect(!keys.accepts(Self.signature, for: Self.path.dropFirst()))
        #expect(!keys.accepts(Self.signature, for: ""))
    }

    @Test(arguments: 1...32)
    func `a truncated signature has exactly the configured size`(_ size: Int) throws {
        let keys = try keys(size: size)
        let signature = keys.signature(of: Self.path)
        #expect(signature.utf8.count == (size * 8 + 5) / 6)
        #expect(Self.signature.hasPrefix(signature.dropLast()))
        #expect(keys.accepts(signature, for: Self.path))
        #expect(size == 32 || !keys.accepts(Self.signature, for: Self.path))
        #expect(size == 1 || !keys.accepts(signature.dropLast(2), for: Self.path))
    }

    @Test func `all pairs verify and the first one signs`() throws {
        let rotated = try SignatureKeys(
            keys: "aabb, \(Self.key)",
            salts: "ccdd,\(Self.salt)"
        )
        #expect(rotated.accepts(Self.signature, for: Self.path))
        #expect(rotated.signature(of: Self.path) != Self.signature)
        #expect(rotated.accepts(rotated.signature(of: Self.path), for: Self.path))
        let crossed = try SignatureKeys(keys: "aabb,\(Self.key)", salts: "\(Self.salt),ccdd")
        #expect(!crossed.accepts(Self.signature, for: Self.path))
    }

    @Test func `a trusted text replaces a signature`() throws {
        let keys = try keys(trusted: ["staging", ""])
        #expect(keys.accepts("staging", for: "/any"))
        #expect(!keys.accepts("Staging", for: "/any"))
        #expect(!keys.accepts("", for: "/any"))
    }

    @Test func `without keys every text is a signature`() throws {
        let keys = try SignatureKeys(keys: "", salts: "", trusted: ["x"])
        #expect(!keys.isRequired)
        #expect(keys.accepts("unsafe", for: Self.path))
        #expect(keys.signature(of: Self.path) == "unsafe")
    }

    @Test(arguments: [
        ("736563", "", 32, "SALT"), ("", "736563", 32, "SALT"), ("aa,bb", "aa", 32, "SALT"),
        ("xyz!", "aa", 32, "KEY"), ("abc", "aa", 32, "KEY"), ("aa", "a,b", 32, "SALT"),
        ("aa,", "aa,bb", 32, "KEY"), ("aa", "bb", 0, "SIGNATURE_SIZE"),
        ("aa", "bb", 33, "SIGNATURE_SIZE"),
    ])
    func `malformed keys are refused`(_ key: String, _ salt: String, _ size: Int, _ name: String) {
        let error = #expect(throws: InvalidSetting.self) {
            try SignatureKeys(keys: key, salts: salt, size: size)
        }
        #expect(error?.name == name)
        #expect(error?.reason.contains("xyz") == false)
    }
}
