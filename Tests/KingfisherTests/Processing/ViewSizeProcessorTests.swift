import Foundation
import Kingfisher
import TestSupport
import Testing

struct ViewSizeProcessorTests {
    private let options = KingfisherParsedOptionsInfo(nil)

    @Test(arguments: [
        (400, 200, false, 100, 50),
        (400, 200, true, 200, 100),
        (200, 400, false, 50, 100),
        (200, 400, true, 100, 200),
        (60, 30, false, 60, 30),
        (60, 300, false, 20, 100),
        (60, 300, true, 60, 300),
    ])
    func `an image fits or covers a view of 100 × 100, and is never enlarged`(
        width: Int,
        height: Int,
        covers: Bool,
        expectedWidth: Int,
        expectedHeight: Int
    ) throws {
        let box = CGSize(width: 100, height: 100)
        let processor = ViewSizeProcessor(size: box, covers: covers)
        let data = TestImage.jpeg(width: width, height: height)
        let decoded = try #require(processor.process(item: .data(data), options: options))
        #expect(decoded.pixelWidth == expectedWidth)
        #expect(decoded.pixelHeight == expectedHeight)
        let full = KFCrossPlatformImage(bitmap: TestImage.bitmap(width: width, height: height))
        let scaled = try #require(processor.process(item: .image(full), options: options))
        #expect(scaled.pixelWidth == expectedWidth)
        #expect(scaled.pixelHeight == expectedHeight)
    }

    @Test func `on a screen of two pixels a point it decodes twice as much`() throws {
        var options = options
        options.scaleFactor = 2
        let box = CGSize(width: 100, height: 100)
        let processor = ViewSizeProcessor(size: box, covers: false)
        let data = TestImage.jpeg(width: 400, height: 200)
        let image = try #require(processor.process(item: .data(data), options: options))
        #expect(image.pixelWidth == 200)
        #expect(image.size == CGSize(width: 100, height: 50))
    }

    @Test func `an animation is shown in the view's size until it plays`() throws {
        let fixtures = try IsolatedDecodingTests.fixtures()
        let data = try #require(fixtures.first { $0.name == "animated.gif" }?.data)
        let full = try #require(KFCrossPlatformImage(data: data))
        let box = CGSize(width: full.pixelWidth / 2, height: full.pixelHeight / 2)
        let processor = ViewSizeProcessor(size: box, covers: false)
        let image = try #require(processor.process(item: .data(data), options: options))
        #expect(image.size == box)
        // The frames still have all pixels.
        #expect(image.kf.frameSource?.frame(at: 0)?.size == full.size)
        #expect(image.kf.frameSource?.data == data)
    }

    @Test func `an animated image stays as it is, and a still file has no frames`() throws {
        let fixtures = try IsolatedDecodingTests.fixtures()
        let gif = try #require(fixtures.first { $0.name == "animated.gif" }?.data)
        let animation = try #require(
            DefaultImageProcessor.default.process(item: .data(gif), options: options)
        )
        #expect(animation.kf.imageFrameCount ?? 0 > 1)
        let processor = ViewSizeProcessor(size: CGSize(width: 4, height: 4), covers: false)
        let same = try #require(processor.process(item: .image(animation), options: options))
        #expect(same.kf.imageFrameCount == animation.kf.imageFrameCount)
        #expect(same.size == animation.size)
        let still = try #require(
            processor.process(item: .data(TestImage.jpeg()), options: options)
        )
        #expect(still.kf.frameSource == nil)
        #expect(still.kf.imageFrameCount == nil)
    }

    @Test func `bytes that are not an image give nil`() {
        let processor = ViewSizeProcessor(size: CGSize(width: 9, height: 9), covers: true)
        #expect(processor.process(item: .data(Data([1, 2, 3])), options: options) == nil)
    }

    @Test func `identifiers contain size, screen and fit`() {
        let box = CGSize(width: 10, height: 20)
        let identifiers = Set([
            ViewSizeProcessor(size: box, covers: false).identifier,
            ViewSizeProcessor(size: box, covers: true).identifier,
            ViewSizeProcessor(size: box, density: 2, covers: true).identifier,
            ViewSizeProcessor(size: CGSize(width: 20, height: 10), covers: true).identifier,
        ])
        #expect(identifiers.count == 4)
    }
}
