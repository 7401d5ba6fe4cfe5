import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Values of a shared storage: what was stored, or nothing.
struct SharedValueTests {
    private let name = String(repeating: "a1", count: 32)

    private func value(_ count: Int, metadata: Int = 20, expiry: Double = 1e9) -> SharedValue {
        SharedValue(
            data: Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }),
            metadata: Data(repeating: 7, count: metadata),
            expiry: expiry
        )
    }

    @Test(arguments: [1, 2, 31, 32, 33, 1_000, 100_000], [0, 1, 500, EntryMetadata.maximalSize])
    func `a value comes back as it was`(count: Int, metadata: Int) throws {
        let value = value(count, metadata: metadata, expiry: .infinity)
        let encoded = try #require(value.encoded(for: name))
        #expect(encoded.count == SharedValue.headerSize + metadata + count)
        #expect(SharedValue(encoded, name: name) == value)
    }

    /// Made from the description of the format, not by this code: a change that needs other bytes
    /// makes machines with two versions refuse each other's values.
    @Test func `values of earlier versions are read, and written as they were`() throws {
        let text = "S0ZTRQEAAAAGAAAABQAAAAAAAABlzc1BYzsRckfC+8dyZWNvcmRieXRlcw=="
        let kept = try #require(Data(base64Encoded: text))
        let value = SharedValue(
            data: Data("bytes".utf8),
            metadata: Data("record".utf8),
            expiry: 1e9
        )
        #expect(SharedValue(kept, name: name) == value)
        #expect(value.encoded(for: name) == kept)
    }

    @Test(
        arguments: [
            ("https://a.example/x", "", nil, "c314ac1b0598a57d8b87cd0060d9ac37"),
            ("https://a.example/x", "p", "png", "c7b83a4968e74628945b4ca9d26b6b1f"),
            ("a@b", "c", nil, "c7895b7941cc152c6a750a84e076ad24"),
            ("a@b@c", "", nil, "473e544d45ca2c157a52bf06cae3d72f"),
        ] as [(String, String, String?, String)]
    )
    func `values have the names of earlier versions`(
        key: String,
        identifier: String,
        forced: String?,
        beginning: String
    ) {
        let entry = CacheEntryName(key: key, identifier: identifier, forced: forced)
        #expect(entry.sharedName.prefix(32) == beginning)
    }

    @Test func `a slice of other bytes can be a value`() throws {
        let value = value(100)
        let encoded = try #require(value.encoded(for: name))
        let slice = (Data([1, 2, 3]) + encoded).dropFirst(3)
        #expect(SharedValue(slice, name: name) == value)
    }

    @Test func `the value of another name is none`() throws {
        let encoded = try #require(value(100).encoded(for: name))
        #expect(SharedValue(encoded, name: String(name.reversed())) == nil)
        #expect(SharedValue(encoded, name: "") == nil)
    }

    @Test func `damage of any byte is noticed`() throws {
        let encoded = try #require(value(300).encoded(for: name))
        for index in encoded.indices {
            for change: UInt8 in [0x01, 0x80, 0xFF] {
                var damaged = encoded
                damaged[index] ^= change
                #expect(SharedValue(damaged, name: name) == nil, "byte \(index)")
            }
        }
    }

    @Test func `a value that is too short or too long is none`() throws {
        let encoded = try #require(value(300).encoded(for: name))
        for count in 0..<encoded.count {
            #expect(SharedValue(encoded.prefix(count), name: name) == nil)
        }
        #expect(SharedValue(encoded + [0], name: name) == nil)
        #expect(SharedValue(encoded + encoded, name: name) == nil)
    }

    /// A value with other sizes in its header, and the checksum for them.
    private func forged(metadata: UInt32, data: UInt32) throws -> Data {
        var bytes = try #require(value(30, metadata: 20).encoded(for: name))
        func little<Number: FixedWidthInteger>(_ number: Number) -> Data {
            withUnsafeBytes(of: number.littleEndian) { Data($0) }
        }
        bytes.replaceSubrange(8..<16, with: little(metadata) + little(data))
        let rest = Checksum.of(Data(bytes[32...]))
        let checksum = Checksum.of(bytes[..<24] + little(rest) + Data(name.utf8))
        bytes.replaceSubrange(24..<32, with: little(checksum))
        return bytes
    }

    @Test func `sizes that are not those of the value are refused, whatever the checksum says`()
        throws
    {
        #expect(try SharedValue(forged(metadata: 20, data: 30), name: name) == value(30))
        #expect(try SharedValue(forged(metadata: 25, data: 25), name: name) != nil)
        let sizes: [(UInt32, UInt32)] = [
            (20, 29), (20, 31), (19, 30), (21, 30), (50, 0), (.max, 51),
        ]
        for (metadata, data) in sizes {
            #expect(try SharedValue(forged(metadata: metadata, data: data), name: name) == nil)
        }
    }

    @Test func `random bytes are no value, whatever they announce`() {
        var random = SplitMix(seed: 18)
        for _ in 0..<20_000 {
            var bytes = Data(
                (0..<Int.random(in: 0..<80, using: &random)).map { _ in
                    UInt8.random(in: .min ... .max, using: &random)
                }
            )
            // Often with a valid beginning and extreme sizes.
            if bytes.count >= 16, Bool.random(using: &random) {
                bytes.replaceSubrange(0..<8, with: [0x4B, 0x46, 0x53, 0x45, 1, 0, 0, 0])
                let sizes: [UInt32] = [0, 1, .max, .max / 2]
                let size = sizes.randomElement(using: &random) ?? 0
                withUnsafeBytes(of: size.littleEndian) { bytes.replaceSubrange(8..<12, with: $0) }
                withUnsafeBytes(of: size.littleEndian) { bytes.replaceSubrange(12..<16, with: $0) }
            }
            #expect(SharedValue(bytes, name: name) == nil)
        }
    }

    @Test func `several random changes at once are noticed`() throws {
        var random = SplitMix(seed: 81)
        let encoded = try #require(value(500).encoded(for: name))
        for _ in 0..<5_000 {
            var damaged = encoded
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                guard let index = damaged.indices.randomElement(using: &random) else { break }
                switch Int.random(in: 0..<3, using: &random) {
                case 0: damaged[index] = UInt8.random(in: .min ... .max, using: &random)
                case 1: damaged.remove(at: index)
                default: damaged.insert(0, at: index)
                }
            }
            let parsed = SharedValue(damaged, name: name)
            #expect(parsed == nil || damaged == encoded)
        }
    }

    @Test func `what does not fit the format is not encoded`() {
        #expect(value(0).encoded(for: name) == nil)
        #expect(value(10, metadata: EntryMetadata.maximalSize + 1).encoded(for: name) == nil)
    }

    @Test func `an expiry that is no number makes no value`() throws {
        let encoded = try #require(value(10, expiry: .nan).encoded(for: name))
        #expect(SharedValue(encoded, name: name) == nil)
    }

    @Test func `names contain no part of the key, and differ for different entries`() {
        let entries = [
            CacheEntryName(key: "https://user:word@a.example/x", identifier: "", forced: nil),
            CacheEntryName(key: "https://a.example/x", identifier: "", forced: nil),
            CacheEntryName(key: "https://a.example/x", identifier: "p", forced: nil),
            CacheEntryName(key: "https://a.example/x", identifier: "", forced: "jpg"),
            CacheEntryName(key: "a", identifier: "b@c", forced: nil),
            CacheEntryName(key: "a@b", identifier: "c", forced: nil),
            CacheEntryName(key: "a@b@c", identifier: "", forced: nil),
        ]
        let names = entries.map(\.sharedName)
        #expect(Set(names).count == entries.count)
        for name in names { #expect(name.wholeMatch(of: /[0-9a-f]{64}/) != nil) }
    }

    @Test func `images of local files are not shared`() {
        let url = URL(fileURLWithPath: "/tmp/a.png")
        for key in [url.cacheKey, url.absoluteString] {
            #expect(!CacheEntryName(key: key, identifier: "", forced: nil).isShareable)
        }
        #expect(CacheEntryName(key: "https://a/x", identifier: "", forced: nil).isShareable)
    }
}

/// Messages about removed entries.
struct SharedMessageTests {
    private let entries = [
        CacheEntryName(key: "https://a.example/x", identifier: "p", forced: "png"),
        CacheEntryName(key: "with@sign", identifier: "", forced: nil),
    ]

    @Test(arguments: [false, true])
    func `a message comes back as it was`(isEncrypted: Bool) throws {
        let transformer = isEncrypted ? AESGCMTransformer(key: Data(count: 16)) : nil
        let message = SharedMessage(sender: "one", removed: entries)
        let bytes = try #require(message.encoded(by: transformer))
        #expect(bytes.firstRange(of: Data("example".utf8)) == nil || !isEncrypted)
        let received = try #require(SharedMessage(bytes, by: transformer))
        #expect(received.sender == "one")
        #expect(received.entries.map(\.memoryKey) == entries.map(\.memoryKey))
        #expect(received.entries.map(\.forcedExtension) == entries.map(\.forcedExtension))
    }

    @Test func `messages of earlier versions are read, and written as they were`() throws {
        let kept = Data(
            #"""
            {"version":1,"sender":"one","removed":[
            {"key":"https://a.example/x@p","ext":"png"},{"key":"with@sign"}]}
            """#.utf8
        )
        let received = try #require(SharedMessage(kept, by: nil))
        #expect(received.sender == "one")
        #expect(received.entries.map(\.computedKey) == ["https://a.example/x@p", "with@sign"])
        #expect(received.entries.map(\.forcedExtension) == ["png", nil])
        let sent = try #require(SharedMessage(sender: "one", removed: entries).encoded(by: nil))
        let fields = try [kept, sent].map {
            try #require(JSONSerialization.jsonObject(with: $0) as? NSDictionary)
        }
        #expect(fields[0] == fields[1])
    }

    @Test func `anything else is no message`() throws {
        let bytes = try #require(SharedMessage(sender: "one", removed: entries).encoded(by: nil))
        let texts = [
            "", "{}", "[", #"{"version":2,"sender":"a","removed":[]}"#,
            String(repeating: "[", count: 60_000),
        ]
        for text in texts { #expect(SharedMessage(Data(text.utf8), by: nil) == nil) }
        for count in 0..<bytes.count {
            #expect(SharedMessage(bytes.prefix(count), by: nil) == nil)
        }
        let other = AESGCMTransformer(key: Data(count: 16))
        #expect(SharedMessage(bytes, by: other) == nil)
        let huge = Data(repeating: 32, count: SharedMessage.maximalSize) + bytes
        #expect(SharedMessage(huge, by: nil) == nil)
    }
}
