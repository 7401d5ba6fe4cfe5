import Foundation
import Kingfisher
import TestSupport
import Testing

struct ImageFormatTests {
    @Test func `IMG-1: the first bytes tell the format`() {
        #expect(TestImage.png().kf.imageFormat == .PNG)
        #expect(TestImage.jpeg().kf.imageFormat == .JPEG)
        #expect(Data("GIF89a\u{1}\u{0}\u{1}".utf8).kf.imageFormat == .GIF)
        #expect(Data("plain text here".utf8).kf.imageFormat == .unknown)
    }

    @Test func `IMG-1: fewer than nine bytes are unknown`() {
        #expect(TestImage.png().prefix(8).kf.imageFormat == .unknown)
        #expect(TestImage.png().prefix(9).kf.imageFormat == .PNG)
        #expect(TestImage.jpeg().prefix(8).kf.imageFormat == .unknown)
        #expect(Data().kf.imageFormat == .unknown)
    }

    @Test func `IMG-2: bytes that are no picture give nothing`() {
        let text = Data("this is no picture, whatever its length".utf8)
        #expect(
            KingfisherWrapper<KFCrossPlatformImage>
                .image(data: text, options: ImageCreatingOptions()) == nil
        )
        #expect(KFCrossPlatformImage(data: text) == nil)
    }

    @Test func `IMG-3: a marker is looked for anywhere, and in JPEG alone`() {
        let jpeg = TestImage.jpeg()
        #expect(jpeg.kf.contains(jpeg: .EOI))
        #expect(jpeg.kf.contains(jpeg: .SOS))
        #expect(!jpeg.kf.contains(jpeg: .RSTn(7)))
        #expect((jpeg + Data([0xFF, 0xD7])).kf.contains(jpeg: .RSTn(7)))
        #expect(!(TestImage.png() + Data([0xFF, 0xD9])).kf.contains(jpeg: .EOI))
    }
}
