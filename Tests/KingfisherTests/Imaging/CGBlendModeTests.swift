import Pixels
import Testing

@testable import Kingfisher

struct CGBlendModeTests {
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
