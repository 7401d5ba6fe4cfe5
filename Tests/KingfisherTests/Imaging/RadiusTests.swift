import Foundation
import Kingfisher
import Testing

struct RadiusTests {
    @Test func `DRW-6: points as they are, fractions of width and height`() {
        let size = CGSize(width: 200, height: 50)
        #expect(Radius.point(12).compute(with: size) == 12)
        #expect(Radius.widthFraction(0.25).compute(with: size) == 50)
        #expect(Radius.heightFraction(0.5).compute(with: size) == 25)
    }
}
