#if GTK
import CGTK
import Kingfisher
import Pixels
import TestSupport
import Testing

@testable import KingfisherGTK

struct TextureTests {
    @Test func `a texture reads the image's own memory`() throws {
        let size = PixelSize(width: 3, height: 2)
        let bitmap = try Bitmap(
            size: size,
            isOpaque: true,
            filling: { pixels, _ in
                for byte in 0..<24 { pixels[byte] = 255 }
            }
        )
        let image = KFCrossPlatformImage(bitmap: bitmap)
        let texture = try #require(image.texture)
        // Nobody may do this to an image; it shows that there is one set of pixels.
        bitmap.storage.base.storeBytes(of: 7, as: UInt8.self)
        #expect(download(texture)[2] == 7)
    }

    @Test func `an image has one texture`() throws {
        let image = KFCrossPlatformImage(bitmap: TestImage.bitmap())
        let first = try #require(image.texture)
        #expect(image.texture === first)
    }

    @Test func `an image without pixels has no texture`() {
        #expect(KFCrossPlatformImage().texture == nil)
    }

    @Test func `the pixels live as long as the texture and no longer`() throws {
        weak var storage: PixelStorage?
        var texture: GObjectReference?
        do {
            let bitmap = TestImage.bitmap()
            storage = bitmap.storage
            texture = KFCrossPlatformImage(bitmap: bitmap).texture
        }
        #expect(storage != nil)
        #expect(try download(#require(texture)).count == 64 * 48 * 4)
        texture = nil
        #expect(storage == nil)
    }

    @Test func `transparent pixels come out premultiplied`() throws {
        let size = PixelSize(width: 1, height: 1)
        let bitmap = try Bitmap(
            size: size,
            isOpaque: false,
            filling: { pixels, _ in
                pixels[0] = 64
                pixels[3] = 128
            }
        )
        let texture = try #require(KFCrossPlatformImage(bitmap: bitmap).texture)
        #expect(download(texture) == [0, 0, 64, 128])
    }

    private func download(_ texture: GObjectReference) -> [UInt8] {
        let pointer = OpaquePointer(texture.address)
        let width = Int(gdk_texture_get_width(pointer))
        let height = Int(gdk_texture_get_height(pointer))
        var bytes = [UInt8](repeating: 0, count: width * height * 4)
        gdk_texture_download(pointer, &bytes, gsize(width * 4))
        return bytes
    }
}
#endif
