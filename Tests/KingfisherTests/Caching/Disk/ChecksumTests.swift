import Foundation
import Testing

@testable import Kingfisher

struct ChecksumTests {
    @Test(
        arguments: [
            ("", 0xEF46_DB37_51D8_E999),
            ("a", 0xD24E_C4F1_A98C_6E5B),
            ("abc", 0x44BC_2CF5_AD77_0999),
            ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
        ] as [(String, UInt64)]
    )
    func `sums are those of XXH64`(text: String, sum: UInt64) {
        #expect(Checksum.of(Data(text.utf8)) == sum)
    }

    @Test func `every flipped bit and every lost byte changes the sum`() {
        let bytes = Data((0..<67).map { UInt8($0) })
        var sums: Set = [Checksum.of(bytes)]
        for bit in 0..<(bytes.count * 8) {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            sums.insert(Checksum.of(flipped))
        }
        for count in 0..<bytes.count { sums.insert(Checksum.of(bytes.prefix(count))) }
        #expect(sums.count == 1 + bytes.count * 8 + bytes.count)
    }
}

struct FileProofTests {
    /// Made from the description of the format, not by this code: caches of users have them.
    @Test(
        arguments: [
            ("a.jpg", 0, "BwAAAAAAAAAAAAAAAAAkQAAAAAAAAPB/nz8G+XmEph0="),
            (FileProof.anyName, 4, "BwAAAAAAAAAAAAAAAAAkQAAAAAAAAPB/BAAAAAAAAADnf5OTQtt+bw=="),
        ] as [(String, UInt32, String)]
    )
    func `proofs of earlier versions are read, and written as they were`(
        name: String,
        offset: UInt32,
        text: String
    ) throws {
        let kept = try #require(Data(base64Encoded: text))
        let proof = try #require(FileProof(kept, name: name))
        #expect(proof.checksum == 7)
        #expect(proof.expiry == 10)
        #expect(proof.lifetime == .infinity)
        #expect(proof.division == KeyDivision(offset: offset))
        #expect(proof.bytes(for: name) == kept)
        #expect(FileProof(kept, name: "other") == nil)
    }
}
