import TestSupport
import Testing

@testable import Kingfisher

struct HashIndexTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `it agrees with a dictionary, also with many collisions`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var index = HashIndex()
        // Few hashes, which differ only in bits that do not select a cell: long runs, some of which
        // wrap around.
        var hashes: [Int: Int] = [:]
        for step in 0..<5_000 {
            let place = Int.random(in: 0..<200, using: &random)
            if let hash = hashes[place] {
                #expect(index.place(of: hash) { $0 == place } == place)
                if Bool.random(using: &random) {
                    index.remove(hash, place: place)
                    hashes[place] = nil
                } else {
                    let other = 1_000 + step
                    index.move(hash, from: place, to: other)
                    #expect(index.place(of: hash) { $0 == place } == nil)
                    index.move(hash, from: other, to: place)
                }
            } else {
                let hash = Int.random(in: 0..<40, using: &random) << 4 | place << 20
                index.insert(hash, place: place)
                hashes[place] = hash
            }
        }
        for place in 0..<200 {
            guard let hash = hashes[place] else { continue }
            #expect(index.place(of: hash) { $0 == place } == place)
            #expect(index.place(of: hash + 16) { $0 == place } == nil)
        }
    }
}
