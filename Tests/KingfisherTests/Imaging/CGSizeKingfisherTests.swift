import Foundation
import Testing

@testable import Kingfisher

struct CGSizeKingfisherTests {
    @Test(arguments: [
        (
            CGSize(width: 100, height: 50), CGSize(width: 50, height: 50),
            CGSize(width: 50, height: 25)
        ),
        (
            CGSize(width: 50, height: 100), CGSize(width: 50, height: 50),
            CGSize(width: 25, height: 50)
        ),
        (
            CGSize(width: 10, height: 10), CGSize(width: 40, height: 20),
            CGSize(width: 20, height: 20)
        ),
        (CGSize(width: 7, height: 0), CGSize(width: 40, height: 20), CGSize(width: 20, height: 20)),
    ])
    func `DRW-2: aspectFit stays inside`(own: CGSize, box: CGSize, expected: CGSize) {
        #expect(own.kf.resize(to: box, for: .aspectFit) == expected)
    }

    @Test(arguments: [
        (
            CGSize(width: 100, height: 50), CGSize(width: 50, height: 50),
            CGSize(width: 100, height: 50)
        ),
        (
            CGSize(width: 50, height: 100), CGSize(width: 50, height: 50),
            CGSize(width: 50, height: 100)
        ),
        (
            CGSize(width: 10, height: 10), CGSize(width: 40, height: 20),
            CGSize(width: 40, height: 40)
        ),
    ])
    func `DRW-2: aspectFill covers`(own: CGSize, box: CGSize, expected: CGSize) {
        #expect(own.kf.resize(to: box, for: .aspectFill) == expected)
    }

    @Test func `DRW-2: none is the target`() {
        let target = CGSize(width: 3, height: 4)
        #expect(CGSize(width: 100, height: 50).kf.resize(to: target, for: .none) == target)
    }

    @Test(arguments: [
        (CGPoint(x: 0, y: 0), CGRect(x: 0, y: 0, width: 20, height: 20)),
        (CGPoint(x: 0.5, y: 0.5), CGRect(x: 40, y: 40, width: 20, height: 20)),
        (CGPoint(x: 1, y: 1), CGRect(x: 80, y: 80, width: 20, height: 20)),
        (CGPoint(x: -3, y: 9), CGRect(x: 0, y: 80, width: 20, height: 20)),
        (CGPoint(x: 1, y: 0), CGRect(x: 80, y: 0, width: 20, height: 20)),
    ])
    func `DRW-3: the anchor places the rectangle`(anchor: CGPoint, expected: CGRect) {
        let own = CGSize(width: 100, height: 100)
        let size = CGSize(width: 20, height: 20)
        #expect(own.kf.constrainedRect(for: size, anchor: anchor) == expected)
    }

    @Test func `DRW-3: a larger rectangle is cut to the bounds`() {
        let own = CGSize(width: 100, height: 50)
        let rect = own.kf.constrainedRect(
            for: CGSize(width: 200, height: 20),
            anchor: CGPoint(x: 0.5, y: 0.5)
        )
        #expect(rect == CGRect(x: 0, y: 15, width: 100, height: 20))
    }
}
