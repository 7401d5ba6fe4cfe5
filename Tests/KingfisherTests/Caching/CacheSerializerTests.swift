import Foundation
import TestSupport
import Testing

@testable import Kingfisher

struct CacheSerializerTests {
    private let options = KingfisherParsedOptionsInfo(nil)
    private let still = KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 8, height: 6))

    @Test func `SER-2: a JPEG is encoded again, as a JPEG`() throws {
        let original = TestImage.jpeg(width: 8, height: 6)
        var serializer = DefaultCacheSerializer()
        serializer.compressionQuality = 0.1
        let data = try #require(serializer.data(with: still, original: original))
        #expect(data.kf.imageFormat == .JPEG)
        #expect(data != original)
        let fine = try #require(
            DefaultCacheSerializer.default.data(with: still, original: original)
        )
        #expect(fine.count > data.count)
    }

    @Test func `SER-5: stored bytes are decoded by what they are, with the options' scale`() throws
    {
        var options = options
        options.scaleFactor = 2
        for data in [TestImage.png(width: 8, height: 6), TestImage.jpeg(width: 8, height: 6)] {
            let image = DefaultCacheSerializer.default.image(with: data, options: options)
            #expect(image?.size == CGSize(width: 4, height: 3))
        }
        let gif = DefaultCacheSerializer.default.image(with: TestImage.gif, options: options)
        #expect(gif?.kf.gifRepresentation() == TestImage.gif)
        let none = DefaultCacheSerializer.default.image(with: Data("x".utf8), options: options)
        #expect(none == nil)
    }

    @Test func `SER-6: a fixed format, then the original's, then the bytes or a PNG`() {
        let original = TestImage.jpeg(width: 8, height: 6)
        let format = { (serializer: FormatIndicatedCacheSerializer, original: Data?) in
            serializer.data(with: still, original: original)?.kf.imageFormat
        }
        #expect(format(.png, original) == .PNG)
        #expect(format(.jpeg, nil) == .JPEG)
        #expect(format(.jpeg(compressionQuality: 0.3), nil) == .JPEG)
        #expect(format(.webp(compressionQuality: 0.3), original) == .WebP)
        #expect(format(.avif(compressionQuality: 0.3), original) == .AVIF)
        // A still picture is no GIF.
        #expect(format(.gif, original) == .JPEG)
        #expect(format(.gif, nil) == .PNG)
        let bytes = FormatIndicatedCacheSerializer.gif
            .data(with: still, original: TestImage.stillGIF)
        #expect(bytes == TestImage.stillGIF)
    }

    @Test func `SER-7: originals count as used when they are preferred`() {
        var serializer = DefaultCacheSerializer()
        #expect(!serializer.originalDataUsed)
        serializer.preferCacheOriginalData = true
        #expect(serializer.originalDataUsed)
        #expect(!FormatIndicatedCacheSerializer.png.originalDataUsed)
        let original = TestImage.jpeg(width: 8, height: 6)
        #expect(serializer.data(with: still, original: original) == original)
    }
}
