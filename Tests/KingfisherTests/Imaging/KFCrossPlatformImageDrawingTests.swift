import Foundation
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

struct KFCrossPlatformImageDrawingTests {
    let scene = KFCrossPlatformImage(bitmap: TestScene.opaque())
    let badge = KFCrossPlatformImage(bitmap: TestScene.transparent())

    @Test func `DRW-1: resize gives exactly that size`() {
        let resized = scene.kf.resize(to: CGSize(width: 31, height: 77))
        #expect(resized.size == CGSize(width: 31, height: 77))
        let fitted = scene.kf.resize(to: CGSize(width: 48, height: 48), for: .aspectFit)
        #expect(fitted.size == CGSize(width: 48, height: 36))
    }

    @Test(arguments: [
        (CGPoint(x: 0, y: 0), 0, 0), (CGPoint(x: 1, y: 1), 56, 52),
        (CGPoint(x: 0.5, y: 0.5), 28, 26), (CGPoint(x: -3, y: 9), 0, 52),
    ])
    func `DRW-4: crop cuts the anchored rectangle`(anchor: CGPoint, x: Int, y: Int) throws {
        let part = scene.kf.crop(to: CGSize(width: 40, height: 20), anchorOn: anchor)
        let bitmap = try #require(part.bitmap)
        let whole = try #require(scene.bitmap)
        #expect(bitmap.size == PixelSize(width: 40, height: 20))
        for (dx, dy) in [(0, 0), (39, 0), (0, 19), (39, 19)] {
            #expect(bitmap[dx, dy] == whole[x + dx, y + dy])
        }
    }

    @Test func `DRW-4: crop works in points and keeps the scale`() throws {
        let part = scene.kf.scaled(to: 2)
            .kf.crop(to: CGSize(width: 10.5, height: 8), anchorOn: CGPoint(x: 0, y: 0))
        #expect(part.scale == 2)
        #expect(part.pixelWidth == 21)
        #expect(part.pixelHeight == 16)
    }

    @Test func `DRW-3 DRW-4: a larger crop is cut to the image`() {
        let size = CGSize(width: 500, height: 30)
        let part = scene.kf.crop(to: size, anchorOn: CGPoint(x: 0.5, y: 0.5))
        #expect(part.size == CGSize(width: 96, height: 30))
        let endless = CGSize(width: CGFloat.infinity, height: .infinity)
        #expect(scene.kf.crop(to: endless, anchorOn: .zero) === scene)
    }

    @Test func `DRW-5: round corners fill the whole canvas with the background`() throws {
        let image = scene.kf.image(
            withRoundRadius: 12,
            fit: CGSize(width: 60, height: 40),
            roundingCorners: [.topLeft],
            backgroundColor: .magenta
        )
        let bitmap = try #require(image.bitmap)
        #expect(bitmap.size == PixelSize(width: 60, height: 40))
        #expect(bitmap[0, 0] == RGBA(red: 255, green: 0, blue: 255))
        #expect(bitmap[59, 0] != RGBA(red: 255, green: 0, blue: 255))
        let clear = scene.kf.image(withRoundRadius: 12, fit: scene.size)
        #expect(try #require(clear.bitmap)[0, 0].alpha == 0)
    }

    @Test func `DRW-7: blur keeps the size and works on pixels, not points`() throws {
        let one = scene.kf.blurred(withRadius: 5)
        let other = scene.kf.scaled(to: 3).kf.blurred(withRadius: 5)
        #expect(one.size == scene.size)
        #expect(try #require(one.bitmap) == (try #require(other.bitmap)))
        #expect(one.bitmap != scene.bitmap)
        #expect(other.scale == 3)
    }

    @Test func `DRW-8: an overlay has the image's shape`() throws {
        let bitmap = try #require(badge.kf.overlaying(with: .green, fraction: 0).bitmap)
        let own = try #require(badge.bitmap)
        for (x, y) in [(0, 0), (40, 30), (25, 50), (80, 60)] {
            let alpha = own[x, y].alpha
            #expect(bitmap[x, y] == RGBA(red: 0, green: alpha, blue: 0, alpha: alpha))
        }
        #expect(badge.kf.overlaying(with: .green, fraction: 1) === badge)
    }

    @Test func `DRW-9: a tint lies over transparent parts too`() throws {
        let half = KFCrossPlatformColor(red: 1, green: 0, blue: 0, alpha: 0.5)
        let bitmap = try #require(badge.kf.tinted(with: half).bitmap)
        #expect(bitmap[0, 0] == RGBA(red: 128, green: 0, blue: 0, alpha: 128))
        #expect(badge.kf.tinted(with: .clear) === badge)
    }

    @Test func `DRW-10: brightness, contrast, saturation, then exposure`() throws {
        let grey = try KFCrossPlatformImage(
            bitmap: solidColor(
                RGBA(red: 64, green: 64, blue: 64),
                size: PixelSize(width: 2, height: 2)
            )
        )
        let adjusted = grey.kf.adjusted(brightness: 0.1, contrast: 1, saturation: 1, inputEV: 1)
        // (64 + 25.5) × 2^(1/2.2)
        #expect(try #require(adjusted.bitmap)[0, 0].red == 123)
        let same = scene.kf.adjusted(brightness: 0, contrast: 1, saturation: 1, inputEV: 0)
        #expect(same === scene)
    }

    @Test func `DRW-11: the stroke lies inside the edges, its width in points`() throws {
        let image = scene.kf.scaled(to: 2)
        let border = Border(color: .red, lineWidth: 3)
        let bitmap = try #require(image.kf.addingBorder(border).bitmap)
        let red = RGBA(red: 255, green: 0, blue: 0)
        #expect(bitmap[0, 0] == red)
        #expect(bitmap[5, 36] == red)
        #expect(bitmap[6, 36] == (try #require(scene.bitmap))[6, 36])
        #expect(bitmap[90, 36] == red)
        #expect(bitmap[89, 36] != red)
    }

    @Test func `DRW-11: the radius is that of the stroke's rectangle`() throws {
        // The rectangle is 92 × 68; a quarter of its width is 23 for the outer edge.
        let border = Border(color: .red, lineWidth: 4, radius: .widthFraction(0.25))
        let bitmap = try #require(scene.kf.addingBorder(border).bitmap)
        let own = try #require(scene.bitmap)
        // The arc of radius 23 crosses the diagonal 23 × (1 − 1/√2) = 6.74 pixels in.
        #expect(bitmap[5, 5] == own[5, 5])
        #expect(bitmap[7, 7] == RGBA(red: 255, green: 0, blue: 0))
    }

    @Test func `DRW-11: a radius within half the width leaves sharp corners`() throws {
        let border = Border(color: .red, lineWidth: 8, radius: .point(4))
        let bitmap = try #require(scene.kf.addingBorder(border).bitmap)
        #expect(bitmap[0, 0] == RGBA(red: 255, green: 0, blue: 0))
    }

    @Test func `DRW-12: an image is blended with a canvas of its size`() throws {
        let bitmap = try #require(
            scene.kf.image(withBlendMode: .multiply, backgroundColor: .red).bitmap
        )
        let own = try #require(scene.bitmap)
        #expect(bitmap.size == own.size)
        #expect(bitmap[10, 60] == RGBA(red: own[10, 60].red, green: 0, blue: 0))
        let plain = try #require(scene.kf.image(withBlendMode: .multiply).bitmap)
        #expect(plain == own)
    }

    @Test func `DRW-13: an image without pixels is returned as it is`() {
        let empty = KFCrossPlatformImage()
        let border = Border()
        #expect(empty.kf.resize(to: CGSize(width: 5, height: 5)) === empty)
        #expect(empty.kf.crop(to: CGSize(width: 5, height: 5), anchorOn: .zero) === empty)
        #expect(empty.kf.blurred(withRadius: 4) === empty)
        #expect(empty.kf.addingBorder(border) === empty)
        #expect(empty.kf.overlaying(with: .red, fraction: 0.5) === empty)
        #expect(empty.kf.tinted(with: .red) === empty)
        #expect(empty.kf.image(withBlendMode: .screen) === empty)
        #expect(empty.kf.image(withRoundRadius: 4, fit: CGSize(width: 5, height: 5)) === empty)
    }

    @Test(arguments: [
        CGSize.zero, CGSize(width: 0, height: 10), CGSize(width: -5, height: 10),
        CGSize(width: CGFloat.nan, height: 10), CGSize(width: 10, height: -CGFloat.infinity),
    ])
    func `a size without area changes nothing`(size: CGSize) {
        #expect(scene.kf.resize(to: size) === scene)
        #expect(scene.kf.crop(to: size, anchorOn: .zero) === scene)
        #expect(scene.kf.image(withRoundRadius: 4, fit: size) === scene)
        #expect(scene.kf.smartCropped(to: size) === scene)
    }

    @Test(arguments: [CGFloat.nan, .infinity, -.infinity, -1, 0, 1e300])
    func `no number makes drawing trap`(number: CGFloat) {
        let point = CGPoint(x: number, y: number)
        let results = [
            scene.kf.crop(to: CGSize(width: number, height: 5), anchorOn: point),
            scene.kf.crop(to: CGSize(width: 5, height: 5), anchorOn: point),
            scene.kf.blurred(withRadius: number),
            scene.kf.addingBorder(Border(lineWidth: number, radius: .point(number))),
            scene.kf.addingBorder(Border(lineWidth: 2, radius: .widthFraction(number))),
            scene.kf.overlaying(with: .red, fraction: number),
            scene.kf.tinted(with: KFCrossPlatformColor(white: number, alpha: number)),
            scene.kf.adjusted(
                brightness: number,
                contrast: number,
                saturation: number,
                inputEV: number
            ),
            scene.kf.image(withBlendMode: .normal, alpha: number),
            scene.kf.sharpened(amount: number, radius: number),
            scene.kf.rotated(degrees: number),
            scene.kf.padded(top: number, left: 3),
            scene.kf.padded(all: number),
            scene.kf.trimmed(tolerance: number),
            scene.kf.watermarked(with: badge, anchor: point, margin: number, alpha: number),
        ]
        #expect(results.allSatisfy { $0.pixelWidth > 0 && $0.pixelHeight > 0 })
    }
}

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    fileprivate func padded(all margin: CGFloat) -> KFCrossPlatformImage {
        padded(top: margin, left: margin, bottom: margin, right: margin)
    }
}
