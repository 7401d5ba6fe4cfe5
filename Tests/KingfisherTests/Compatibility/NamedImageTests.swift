import Foundation
import Kingfisher
import TestSupport
import Testing

struct NamedImageTests {
    let folder: TemporaryDirectory
    let bundle: Bundle

    init() throws {
        folder = try TemporaryDirectory()
        bundle = try #require(Bundle(path: folder.url.path))
    }

    private func put(_ name: String, side: Int) throws {
        let pixels = Data(repeating: 200, count: side * side * 4)
        let image = try #require(
            KFCrossPlatformImage(premultipliedRGBA: pixels, width: side, height: side)
        )
        try #require(image.kf.pngRepresentation()).write(to: folder.file(name))
    }

    @Test func `a name finds its file with and without an extension`() throws {
        try put("logo.png", side: 4)
        #expect(KFCrossPlatformImage(named: "logo", in: bundle)?.pixelWidth == 4)
        #expect(KFCrossPlatformImage(named: "logo.png", in: bundle)?.pixelWidth == 4)
        #expect(KFCrossPlatformImage(named: "other", in: bundle) == nil)
    }

    @Test func `a file for a denser screen brings its scale`() throws {
        try put("icon@2x.png", side: 8)
        let image = try #require(KFCrossPlatformImage(named: "icon", in: bundle))
        #expect(image.scale == 2)
        #expect(image.size == CGSize(width: 4, height: 4))
    }

    @Test func `a file that is no image is none`() throws {
        try Data("no image".utf8).write(to: folder.file("text.png"))
        #expect(KFCrossPlatformImage(named: "text", in: bundle) == nil)
    }
}
