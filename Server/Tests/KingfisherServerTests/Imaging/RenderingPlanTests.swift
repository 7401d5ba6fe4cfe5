import Foundation
import Testing

@testable import KingfisherServer

struct RenderingPlanTests {
    @Test("The result has the planned size, whatever is combined", arguments: 1...8)
    func sizes(seed: Int) async throws {
        let bench = try RenderBench()
        var dice = Dice(state: UInt64(seed))
        for _ in 0..<15 {
            let (width, height) = (dice.below(90) + 1, dice.below(90) + 1)
            let source = try TestPicture.quartersPNG(width, height)
            let options = dice.options()
            let isTurned = options.rotation % 180 != 0
            let turned = Extent(
                width: isTurned ? height : width,
                height: isTurned ? width : height
            )
            guard let plan = try? Geometry(source: turned, options: options) else {
                #expect(try await bench.failure(source) { $0 = options }.status == 422)
                continue
            }
            let result = try await bench.render(source) { $0 = options }
            #expect(result.size == [plan.size.width, plan.size.height], "\(turned), \(options)")
            #expect(result.result.dpr == plan.dpr)
        }
    }
}

/// Random options; the same for the same seed (SplitMix64).
private struct Dice {
    var state: UInt64

    mutating func below(_ count: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((value ^ (value >> 31)) % UInt64(count))
    }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    mutating func gravity() -> ProcessingOptions.Gravity {
        switch below(4) {
        case 0: .smart
        case 1: .focus(x: Double(below(5)) / 4, y: Double(below(5)) / 4)
        default:
            .compass(
                pick([.north, .southEast, .west, .centre]),
                x: pick([0, 0.2, 7, -3]),
                y: pick([0, -0.4, 2, 500])
            )
        }
    }

    mutating func options() -> ProcessingOptions {
        var options = ProcessingOptions()
        options.resizingType = pick([.fit, .fill, .fillDown, .force, .auto])
        (options.width, options.height) = (pick([0, 1, 20, 55, 130]), pick([0, 1, 33, 80, 99]))
        options.enlarge = below(3) == 0
        options.gravity = gravity()
        options.rotation = pick([0, 0, 90, 180, 270])
        options.flipsHorizontally = below(4) == 0
        options.dpr = pick([nil, 2, 0.5, 1.75])
        if below(3) == 0 { (options.zoomX, options.zoomY) = (pick([0.5, 1.5]), pick([1, 2])) }
        if below(3) == 0 { options.minimalWidth = pick([10, 70, 200]) }
        if below(2) == 0 {
            options.crop = .init(
                width: pick([0, 0.5, 10, 60]),
                height: pick([0, 0.3, 25, 1000]),
                gravity: below(2) == 0 ? gravity() : nil
            )
        }
        options.extend.isOn = below(3) == 0
        options.extendAspectRatio.isOn = below(4) == 0
        if below(3) == 0 {
            options.padding = .init(top: below(5), right: below(9), bottom: 1, left: 0)
        }
        if below(4) == 0 { options.width = .max }
        return options
    }
}
