import Foundation
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

struct KFCrossPlatformImagePlaceholdersTests {
    let scene = KFCrossPlatformImage(bitmap: TestScene.opaque())
    let badge = KFCrossPlatformImage(bitmap: TestScene.transparent())

    @Test func `a ThumbHash keeps ratio and transparency`() throws {
        let hash = try #require(badge.kf.thumbHash())
        #expect((15...30).contains(hash.count))
        let image = try #require(KFCrossPlatformImage(thumbHash: hash))
        #expect(max(image.pixelWidth, image.pixelHeight) == 32)
        #expect(image.pixelWidth > image.pixelHeight)
        #expect(try #require(image.bitmap)[0, 0].alpha < 40)
    }

    @Test func `a BlurHash has as many components as asked for`() throws {
        let hash = try #require(scene.kf.blurHash(components: (5, 2)))
        #expect(hash.count == 4 + 2 * 5 * 2)
        #expect(scene.kf.blurHash()?.count == 28)
        // Components out of range are clamped.
        #expect(scene.kf.blurHash(components: (0, 99))?.count == 4 + 2 * 9)
        let size = CGSize(width: 20, height: 10)
        let image = try #require(KFCrossPlatformImage(blurHash: hash, size: size))
        #expect(image.size == size)
    }

    @Test func `the dominant colour is the most frequent one`() throws {
        let red = try solidColor(
            RGBA(red: 200, green: 20, blue: 30),
            size: .init(width: 30, height: 30)
        )
        let image = KFCrossPlatformImage(bitmap: red).kf.padded(right: 10, backgroundColor: .blue)
        let color = try #require(image.kf.dominantColor)
        #expect(color.rgba == RGBA(red: 200, green: 20, blue: 30))
        let clear = try solidColor(.clear, size: PixelSize(width: 3, height: 3))
        #expect(KFCrossPlatformImage(bitmap: clear).kf.dominantColor == nil)
    }

    @Test func `text that is not a hash gives nil`() {
        let size = CGSize(width: 8, height: 8)
        #expect(KFCrossPlatformImage(thumbHash: Data()) == nil)
        #expect(KFCrossPlatformImage(thumbHash: Data(repeating: 0xFF, count: 4)) == nil)
        #expect(KFCrossPlatformImage(blurHash: "", size: size) == nil)
        #expect(KFCrossPlatformImage(blurHash: "LGF5?xYk^6#M@-5c,1J5@[or[Q6", size: size) == nil)
        let hash = "LGF5?xYk^6#M@-5c,1J5@[or[Q6."
        #expect(KFCrossPlatformImage(blurHash: hash, size: size) != nil)
        #expect(KFCrossPlatformImage(blurHash: hash, size: .zero) == nil)
        #expect(KFCrossPlatformImage(blurHash: hash, size: size, punch: .nan) == nil)
    }

    @Test func `the empty image has no placeholder`() {
        let empty = KFCrossPlatformImage()
        #expect(empty.kf.thumbHash() == nil)
        #expect(empty.kf.blurHash() == nil)
        #expect(empty.kf.dominantColor == nil)
    }
}
