import Foundation
import TestSupport
import Testing

@testable import Kingfisher

struct FilterTests {
    let scene = KFCrossPlatformImage(bitmap: TestScene.opaque())

    @Test func `tint and colour control are the drawing methods`() throws {
        let color = KFCrossPlatformColor(red: 0, green: 0.5, blue: 1, alpha: 0.4)
        let tinted = scene.kf.apply(Filter.tint(color))
        #expect(tinted.bitmap == scene.kf.tinted(with: color).bitmap)
        let element = Filter.ColorElement(
            brightness: 0.1,
            contrast: 1.1,
            saturation: 0.8,
            inputEV: 0.3
        )
        let adjusted = scene.kf.adjusted(
            brightness: 0.1,
            contrast: 1.1,
            saturation: 0.8,
            inputEV: 0.3
        )
        #expect(scene.kf.apply(Filter.colorControl(element)).bitmap == adjusted.bitmap)
        #expect(adjusted.bitmap != scene.bitmap)
    }

    @Test func `a filter that gives nothing changes nothing`() {
        #expect(scene.kf.apply(Filter { _ in nil }) === scene)
    }
}
