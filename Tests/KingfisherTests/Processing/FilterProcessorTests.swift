import Foundation
import TestSupport
import Testing

@testable import Kingfisher

struct FilterProcessorTests {
    struct Warmth: FilterProcessor {
        let identifier = "test.warmth"
        let filter = Filter.tint(KFCrossPlatformColor(red: 1, green: 0.5, blue: 0, alpha: 0.2))
    }

    @Test func `an identifier and a filter make a processor`() throws {
        let options = KingfisherParsedOptionsInfo([.scaleFactor(2)])
        let image = KFCrossPlatformImage(bitmap: TestImage.bitmap())
        let expected = image.kf.apply(Warmth().filter)
        let fromImage = Warmth().process(item: .image(image), options: options)
        #expect(try #require(fromImage).bitmap == expected.bitmap)
        let fromData = Warmth().process(item: .data(TestImage.png()), options: options)
        #expect(try #require(fromData).bitmap == expected.bitmap)
        #expect(fromData?.scale == 2)
    }
}
