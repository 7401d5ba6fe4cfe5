import Testing

@testable import KFPixels

struct PremultiplyTests {
    @Test func `every value times every alpha rounds to nearest`() {
        for alpha in 0...255 {
            var row = (0...255).flatMap { [UInt8($0), UInt8(255 - $0), UInt8($0), UInt8(alpha)] }
            row.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                premultiplyRow(base, width: 256)
            }
            let exact = (0...255).map { UInt8((Double($0 * alpha) / 255).rounded()) }
            #expect((0...255).allSatisfy { row[$0 * 4] == exact[$0] })
            #expect((0...255).allSatisfy { row[$0 * 4 + 1] == exact[255 - $0] })
            #expect((0...255).allSatisfy { row[$0 * 4 + 3] == UInt8(alpha) })
        }
    }

    @Test func `going back and forth loses nothing that premultiplying kept`() throws {
        let picture = try TestPictures.noise(64, 64)
        let bytes = TestPictures.channels(picture).map { UInt8($0) }
        var straight = bytes
        var again = bytes
        bytes.withUnsafeBufferPointer { from in
            straight.withUnsafeMutableBufferPointer { to in
                guard let from = from.baseAddress, let to = to.baseAddress else { return }
                unpremultiplyRow(from: from, to: to, width: 64 * 64)
            }
        }
        again = straight
        again.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            premultiplyRow(base, width: 64 * 64)
        }
        #expect(again == bytes)
    }

    @Test func `a colour above its alpha does not wrap`() {
        let wrong: [UInt8] = [200, 10, 255, 10]
        var straight = wrong
        wrong.withUnsafeBufferPointer { from in
            straight.withUnsafeMutableBufferPointer { to in
                guard let from = from.baseAddress, let to = to.baseAddress else { return }
                unpremultiplyRow(from: from, to: to, width: 1)
            }
        }
        #expect(straight == [255, 255, 255, 10])
    }
}
