import Foundation
import Kingfisher
import TestSupport
import Testing

struct ImageFormatTests {
    @Test func `IMG-1: formats are recognised by the first bytes`() {
        #expect(TestImage.png().kf.imageFormat == .PNG)
        #expect(TestImage.jpeg().kf.imageFormat == .JPEG)
        #expect(Data("GIF89a\u{1}\u{0}\u{1}".utf8).kf.imageFormat == .GIF)
        #expect(Data("plain text here".utf8).kf.imageFormat == .unknown)
    }

    @Test func `formats beyond the reference have names too`() {
        let bitmap = Data("BM".utf8) + Data(count: 12) + Data([40, 0, 0, 0])
        #expect(bitmap.kf.imageFormat == .BMP)
        #expect(Data([0, 0, 1, 0, 1, 0, 16, 16, 0, 0]).kf.imageFormat == .ICO)
        #expect(Data("II*\0\u{8}\0\0\0\0".utf8).kf.imageFormat == .TIFF)
        #expect(Data([0xFF, 0x0A] + [UInt8](repeating: 0, count: 8)).kf.imageFormat == .JXL)
        #expect(Data("\0\0\0\u{18}ftypheic\0\0\0\0mif1heic".utf8).kf.imageFormat == .HEIF)
        #expect(Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8).kf.imageFormat == .SVG)
    }

    @Test(arguments: [ImageFormat.BMP, .ICO, .TIFF, .HEIF, .SVG])
    func `formats that cannot be written become PNG`(format: ImageFormat) {
        let image = KFCrossPlatformImage(data: TestImage.png())
        #expect(image?.kf.data(format: format)?.kf.imageFormat == .PNG)
    }

    @Test func `IMG-1: fewer than nine bytes are unknown`() {
        #expect(TestImage.png().prefix(8).kf.imageFormat == .unknown)
        #expect(TestImage.png().prefix(9).kf.imageFormat == .PNG)
        #expect(TestImage.jpeg().prefix(8).kf.imageFormat == .unknown)
        #expect(Data().kf.imageFormat == .unknown)
    }

    @Test func `IMG-2: bytes that are not an image give nil`() {
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
