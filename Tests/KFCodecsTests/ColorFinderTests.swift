import KFPixels
import Testing

@testable import KFCodecs

/// The search for the nearest colour of a palette.
struct ColorFinderTests {
    @Test(arguments: [1, 2, 17, 256])
    func `no colour is nearer than the one that is found`(count: Int) {
        var random = SplitMix64(seed: UInt64(count))
        func color(isOpaque: Bool) -> SIMD4<Int32> {
            let alpha = isOpaque ? 255 : UInt32(random.next() % 255)
            var pixel = alpha << 24
            // In clusters, as in photographs, and anywhere.
            let spread: UInt64 = random.next() % 2 == 0 ? 20 : 256
            for shift in [0, 8, 16] { pixel |= UInt32(random.next() % spread) << UInt32(shift) }
            return SIMD4(pixel: pixel)
        }
        for translucent in [0, count / 2, count] {
            let palette =
                (0..<translucent).map { _ in color(isOpaque: false) }
                + (translucent..<count).map { _ in color(isOpaque: true) }
            var finder = ColorFinder(palette)
            for _ in 0..<5000 {
                let isOpaque = translucent == 0 || translucent < count && random.next() % 2 == 0
                let wanted = color(isOpaque: isOpaque)
                let found = finder.nearest(wanted)
                let others = isOpaque ? translucent..<count : 0..<translucent
                #expect(others.contains(found))
                let nearest = others.map { palette[$0].squaredDistance(to: wanted) }.min()
                #expect(palette[found].squaredDistance(to: wanted) == nearest)
            }
        }
    }
}
