import Foundation
import KFPixels
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

struct KFCrossPlatformImageTests {
    static func image(_ width: Int, _ height: Int, scale: CGFloat = 1) -> KFCrossPlatformImage {
        KFCrossPlatformImage(bitmap: TestImage.bitmap(width: width, height: height), scale: scale)
    }

    @Test func `IMG-4: the size is pixels by scale`() {
        #expect(Self.image(64, 48, scale: 2).size == CGSize(width: 32, height: 24))
        #expect(Self.image(3, 3, scale: 2).size == CGSize(width: 1.5, height: 1.5))
        #expect(Self.image(64, 48, scale: .nan).scale == 1)
        #expect(Self.image(64, 48, scale: -2).scale == 1)
    }

    @Test func `IMG-5: another scale is another object with the same pixels`() {
        let image = Self.image(64, 48)
        #expect(image.kf.scaled(to: 1) === image)
        let scaled = image.kf.scaled(to: 2)
        #expect(scaled !== image)
        #expect(scaled.scale == 2)
        #expect(scaled.bitmap?.storage === image.bitmap?.storage)
        for scale in [0, -1, CGFloat.nan, .infinity] {
            #expect(image.kf.scaled(to: scale) === image)
        }
    }

    @Test func `IMG-6: the cost is the bytes of all distinct frames`() {
        let one = Self.image(10, 10)
        let two = Self.image(10, 10)
        #expect(one.cacheCost == 400)
        #expect(one.kf.scaled(to: 2).cacheCost == 400)
        let animation = KFCrossPlatformImage(
            bitmap: one.bitmap,
            images: [one, two, one, two],
            duration: 1
        )
        #expect(animation.cacheCost == 800)
    }

    @Test func `IMG-7: images are upright already`() {
        let image = Self.image(64, 48)
        #expect(image.kf.normalized === image)
    }

    @Test func `IMG-8: equality is identity`() {
        let one = Self.image(4, 4)
        #expect(one == one)
        #expect(one != Self.image(4, 4))
    }

    @Test func `IMG-9: attached state is copied as a whole`() {
        let one = Self.image(4, 4)
        one.kf.imageFrameCount = 7
        one.attached.withLock { $0.file = AnimationFile(data: Data([1, 2, 3])) }
        let other = Self.image(4, 4)
        one.kf.copyKingfisherState(to: other)
        #expect(other.kf.imageFrameCount == 7)
        #expect(other.kf.gifRepresentation() == Data([1, 2, 3]))
    }

    @Test func `IMG-10: decoding at a scale changes the scale`() {
        let image = Self.image(64, 64)
        #expect(image.kf.decoded === image)
        #expect(image.kf.decoded(scale: 2).size == CGSize(width: 32, height: 32))
        let animation = KFCrossPlatformImage(bitmap: image.bitmap, images: [image], duration: 1)
        #expect(animation.kf.decoded(scale: 2) === animation)
    }

    @Test(arguments: [(15.0, 1.0, 15), (15, 2, 30), (100, 1, 64), (0, 1, 64)])
    func `IMG-12: the longest side is that of the size in pixels, never enlarged`(
        side: Double,
        scale: Double,
        pixels: Int
    ) throws {
        let image = try #require(
            KingfisherWrapper<KFCrossPlatformImage>.downsampledImage(
                data: TestImage.png(width: 64, height: 64),
                to: CGSize(width: side, height: side),
                scale: CGFloat(scale)
            )
        )
        #expect(image.pixelWidth == pixels)
        #expect(image.pixelHeight == pixels)
        #expect(image.scale == CGFloat(scale))
    }

    @Test func `IMG-12: the ratio is kept`() throws {
        let image = try #require(
            KingfisherWrapper<KFCrossPlatformImage>.downsampledImage(
                data: TestImage.jpeg(width: 64, height: 32),
                to: CGSize(width: 4, height: 16),
                scale: 1
            )
        )
        #expect(image.size == CGSize(width: 16, height: 8))
    }
}
