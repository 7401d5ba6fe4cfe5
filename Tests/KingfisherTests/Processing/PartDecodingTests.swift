import Foundation
import Testing

@testable import Kingfisher

struct PartDecodingTests {
    @Test(arguments: [
        ("baseline.jpg", true), ("rgb8.png", true), ("animated.png", false),
        ("still.gif", false), ("lossy.webp", false),
    ])
    func `a part is decoded of a JPEG and of a still PNG`(name: String, isPart: Bool) throws {
        let fixtures = try IsolatedDecodingTests.fixtures()
        let file = try #require(fixtures.first { $0.name == name }?.data)
        let crop = CroppingImageProcessor(size: CGSize(width: 4, height: 4))
        let part = PartDecoding(file, [crop], KingfisherParsedOptionsInfo(nil))
        #expect((part != nil) == isPart)
    }
}
