import Foundation
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

struct KFCrossPlatformImageShapingTests {
    let scene = KFCrossPlatformImage(bitmap: TestScene.opaque(), scale: 2)
    let badge = KFCrossPlatformImage(bitmap: TestScene.transparent())

    @Test func `a smart crop has exactly the size, in points`() {
        let cropped = scene.kf.smartCropped(to: CGSize(width: 20, height: 20))
        #expect(cropped.pixelWidth == 40)
        #expect(cropped.pixelHeight == 40)
        #expect(cropped.scale == 2)
    }

    @Test func `a smart crop finds the disc at the right`() throws {
        let image = KFCrossPlatformImage(bitmap: TestScene.opaque())
        let cropped = image.kf.smartCropped(to: CGSize(width: 40, height: 72))
        // The disc's centre is at column 75 of 96; a centred crop would end at 68.
        let bitmap = try #require(cropped.bitmap)
        let whole = try #require(image.bitmap)
        let skin = whole[75, 37]
        let found = (0..<bitmap.width).contains { bitmap[$0, 37] == skin }
        #expect(found)
    }

    @Test func `turns and mirrors move pixels and change none`() throws {
        let own = try #require(scene.bitmap)
        let turned = try #require(scene.kf.rotated(degrees: 90).bitmap)
        #expect(turned.size == own.size.transposed)
        #expect(turned[71, 0] == own[0, 0])
        let back = scene.kf.rotated(degrees: 450).kf.rotated(degrees: -90)
        #expect(try #require(back.bitmap) == own)
        for direction in FlipDirection.allCases {
            let twice = scene.kf.flipped(direction).kf.flipped(direction)
            #expect(try #require(twice.bitmap) == own)
        }
        #expect(try #require(scene.kf.flipped(.horizontal).bitmap)[95, 3] == own[0, 3])
        #expect(try #require(scene.kf.flipped(.vertical).bitmap)[5, 71] == own[5, 0])
        #expect(scene.kf.rotated(degrees: 360) === scene)
    }

    @Test func `padding is in points, and negative margins cut`() throws {
        let padded = scene.kf.padded(top: 2, left: -3, backgroundColor: .red)
        let bitmap = try #require(padded.bitmap)
        #expect(bitmap.size == PixelSize(width: 90, height: 76))
        #expect(bitmap[0, 3] == RGBA(red: 255, green: 0, blue: 0))
        #expect(bitmap[0, 4] == (try #require(scene.bitmap))[6, 0])
        #expect(scene.kf.padded(left: -48) === scene)
        #expect(scene.kf.padded() === scene)
    }

    @Test func `trimming takes padding away again`() throws {
        let padded = scene.kf.padded(top: 5, left: 4, bottom: 3, right: 2, backgroundColor: .red)
        #expect(try #require(padded.kf.trimmed().bitmap) == (try #require(scene.bitmap)))
        let plain = try KFCrossPlatformImage(
            bitmap: solidColor(.white, size: PixelSize(width: 4, height: 4))
        )
        #expect(plain.kf.trimmed() === plain)
    }

    @Test func `sharpening makes edges steeper and leaves even parts alone`() throws {
        let own = try #require(scene.bitmap)
        let sharp = try #require(scene.kf.sharpened(amount: 1).bitmap)
        // Flat areas such as the sun do not change; the edge between two bars gets steeper.
        #expect(sharp[21, 18] == own[21, 18])
        #expect(sharp != own)
        #expect(scene.kf.sharpened(amount: 0) === scene)
    }

    @Test func `a watermark is drawn in its size in points, inside the margin`() throws {
        let white = try solidColor(.white, size: PixelSize(width: 10, height: 6))
        let mark = KFCrossPlatformImage(bitmap: white)
        let result = scene.kf.watermarked(with: mark, margin: 2)
        let bitmap = try #require(result.bitmap)
        let own = try #require(scene.bitmap)
        // Ten by six points are 20 × 12 pixels; the logo ends four pixels from the edges.
        #expect(bitmap[91, 67] == .white)
        #expect(bitmap[72, 56] == .white)
        #expect(bitmap[92, 67] == own[92, 67])
        #expect(bitmap[71, 56] == own[71, 56])
        #expect(scene.kf.watermarked(with: KFCrossPlatformImage()) === scene)
        #expect(scene.kf.watermarked(with: mark, alpha: 0) === scene)
    }
}
