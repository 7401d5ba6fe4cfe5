import Testing

@testable import Kingfisher

struct KeyHashTests {
    @Test func `equal keys have equal hashes, whatever they are made of`() {
        for count in 0..<70 {
            let text =
                String(repeating: "é", count: count / 2) + String(repeating: "x", count: count)
            let copy = String(decoding: Array(text.utf8), as: UTF8.self)
            #expect(CacheKey(text) == CacheKey(copy))
            #expect(CacheKey(text).hash == CacheKey(copy).hash)
        }
    }

    @Test func `keys that differ in one byte have different hashes`() {
        var hashes: Set<Int> = []
        var count = 0
        for length in 1...80 {
            for place in 0..<length {
                var bytes = [UInt8](repeating: 0x61, count: length)
                bytes[place] = 0x62
                hashes.insert(bytes.withUnsafeBytes { KeyHash.of($0) })
                count += 1
            }
        }
        // Even one collision among three thousand has a probability of 10^-12.
        #expect(hashes.count == count)
    }

    @Test func `keys of a row are spread over shards and places`() {
        var shards = [Int](repeating: 0, count: 16)
        var cells = [Int](repeating: 0, count: 256)
        for number in 0..<16_384 {
            let hash = CacheKey("https://example.com/\(number).jpg").hash
            shards[hash & 15] += 1
            cells[hash >> 4 & 255] += 1
        }
        // The means are 1,024 and 64; the bounds are seven standard deviations away.
        #expect(shards.allSatisfy { (800...1_250).contains($0) })
        #expect(cells.allSatisfy { (10...120).contains($0) })
    }
}
