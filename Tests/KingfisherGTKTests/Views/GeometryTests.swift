#if GTK
import Foundation
import Kingfisher
import Testing

@testable import KingfisherGTK

/// Computations with lengths that a layout, a screen or a file may make 0, or no number.
@Suite
struct GeometryTests {
    nonisolated private static let lengths: [CGFloat] = [
        0, 1, 200, 1e5, 1e300, -1, .nan, .infinity, -.infinity, .leastNonzeroMagnitude,
    ]

    private func isUsable(_ rect: CGRect) -> Bool {
        [rect.minX, rect.minY, rect.width, rect.height].allSatisfy(\.isFinite)
    }

    @Test(arguments: lengths)
    func `a zoomed image has a place and a detail whatever the sizes are`(side: CGFloat) {
        for other in Self.lengths {
            for image in Self.lengths {
                var geometry = ZoomGeometry()
                geometry.resize(to: CGSize(width: side, height: other), density: 1)
                geometry.image = CGSize(width: image, height: 100)
                check(geometry)
                geometry.resize(to: CGSize(width: 200, height: 100), density: side)
                geometry.zoom(to: other, at: CGPoint(x: side, y: 10))
                geometry.resize(to: CGSize(width: other, height: side), density: 2)
                geometry.toggle(at: CGPoint(x: other, y: side))
                geometry.move(by: side, other)
                check(geometry)
            }
        }
    }

    private func check(_ geometry: ZoomGeometry) {
        #expect(geometry.scale > 0 && geometry.scale.isFinite)
        #expect(isUsable(geometry.place))
        let detail = geometry.detail
        #expect(detail.part.isEmpty || isUsable(detail.part))
        #expect(detail.part.isEmpty || isUsable(detail.share))
        #expect(detail.whole.width >= 1 && detail.whole.width.isFinite)
    }

    @Test(arguments: lengths)
    func `a box scales no image by what is no number`(side: CGFloat) {
        for other in Self.lengths {
            for covers in [false, true] {
                let box = DecodeBox(size: CGSize(width: side, height: other), covers: covers)
                let factor = box.factor(of: CGSize(width: other, height: side))
                #expect(factor.isFinite && factor >= 0)
            }
        }
    }

    @Test(arguments: lengths)
    func `an image is laid out in its own size where a side is no length`(side: CGFloat) {
        let own = CGSize(width: 1_600, height: 1_200)
        let size = own.fitted(width: side, height: nil)
        let isLimit = side >= 0 && side < 1_600
        #expect(size.width == (isLimit ? side : 1_600) || abs(size.width - side) < 1e-9)
        for other in Self.lengths {
            let fitted = CGSize(width: side, height: other).fitted(width: other, height: side)
            #expect(fitted.width.isFinite && fitted.height.isFinite)
        }
    }

    @Test(arguments: lengths)
    func `the items ahead of a list are found in any layout`(side: CGFloat) {
        for other in Self.lengths where other > 0 {
            var forecast = ScrollForecast()
            forecast.record(0, at: 0)
            forecast.record(100, at: 0.02)
            let layout = ListLayout(
                top: Double(side),
                bottom: Double(side) + Double(other),
                item: Double(other) / 1e6
            )
            let wanted = ListPrefetch.wanted(
                forecast,
                layout,
                of: 10,
                length: Double(side),
                ahead: Int.max
            )
            #expect(wanted.allSatisfy { (0..<10).contains($0.position) })
        }
    }
}
#endif
