import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

struct CGBlendModeTests {
    @Test func `DRW-12: AppKit's operations are the modes of the same name`() throws {
        for operation in NSCompositingOperation.allCases {
            let name = "\(operation)"
            let isOver = ["sourceOver", "highlight"].contains(name)
            #expect("\(operation.blendMode)" == (isOver ? "normal" : name))
        }
        #expect(NSCompositingOperation.allCases.map(\.rawValue) == Array(0...28))
        let scene = KFCrossPlatformImage(bitmap: TestScene.transparent(width: 16, height: 12))
        let composited = scene.kf.image(withCompositingOperation: .xor, backgroundColor: .red)
        let blended = scene.kf.image(withBlendMode: .xor, backgroundColor: .red)
        #expect(composited.bitmap == blended.bitmap)
    }

    @Test func `DRW-12: raw values are the public constants`() {
        let names: [CGBlendMode] = [
            .normal, .multiply, .screen, .overlay, .darken, .lighten, .colorDodge, .colorBurn,
            .softLight, .hardLight, .difference, .exclusion, .hue, .saturation, .color,
            .luminosity, .clear, .copy, .sourceIn, .sourceOut, .sourceAtop, .destinationOver,
            .destinationIn, .destinationOut, .destinationAtop, .xor, .plusDarker, .plusLighter,
        ]
        #expect(names.map(\.rawValue) == Array(0...27))
        #expect(names == CGBlendMode.allCases)
    }

    @Test(arguments: CGBlendMode.allCases)
    func `every mode has the kernel of its own name`(mode: CGBlendMode) {
        #expect("\(mode.kernel)" == "\(mode)")
    }
}
