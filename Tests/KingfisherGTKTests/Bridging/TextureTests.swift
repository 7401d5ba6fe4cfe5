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
        // Not permitted with an image; shows that there is only one copy of the pixels.
        bitmap.storage.base.storeBytes(of: 7, as: UInt8.self)
        #expect(download(texture)[2] == 7)
    }

    @Test func `all views of an image share one texture`() throws {
        let image = KFCrossPlatformImage(bitmap: TestImage.bitmap())
        let first = try #require(image.texture)
        #expect(image.texture?.address == first.address)
        image.prepareTexture()
        #expect(image.texture?.address == first.address)
    }

    @Test func `a texture made in advance is used by the first view`() throws {
        let image = KFCrossPlatformImage(bitmap: TestImage.bitmap())
        image.prepareTexture()
        let ahead = try #require(image.textureSlot?.waitingAddress)
        let texture = try #require(image.texture)
        #expect(texture.address == ahead)
        #expect(image.textureSlot?.waitingAddress == nil)
    }

    @Test func `a texture is released with its last view, though the image stays`() throws {
        let image = KFCrossPlatformImage(bitmap: TestImage.bitmap())
        image.prepareTexture()
        let isGone = Flag()
        do {
            let texture = try #require(image.texture)
            g_object_weak_ref(
                texture.address.assumingMemoryBound(to: GObject.self),
                Flag.set,
                Unmanaged.passUnretained(isGone).toOpaque()
            )
            withExtendedLifetime(texture) { #expect(!isGone.isSet) }
        }
        #expect(isGone.isSet)
        #expect(try download(#require(image.texture)).count == 64 * 48 * 4)
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

/// Whether something has happened.
nonisolated private final class Flag: @unchecked Sendable {
    // Set and read only on the test's thread.
    var isSet = false

    static var set: GWeakNotify {
        { context, _ in
            guard let context else { return }
            Unmanaged<Flag>.fromOpaque(context).takeUnretainedValue().isSet = true
        }
    }
}
#endif
