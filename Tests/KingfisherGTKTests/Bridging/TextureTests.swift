#if GTK
import CKFGTKHeaders
import CKFGTK
import Foundation
import Kingfisher
import KFPixels
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
    }

    @Test func `a load keeps the texture of its image until its end`() throws {
        let image = KFCrossPlatformImage(bitmap: TestImage.bitmap())
        var modifier: TextureModifier? = TextureModifier(base: nil)
        _ = modifier?.modify(image)
        let texture = try #require(image.texture)
        #expect(referenceCount(of: texture) == 2)
        modifier = nil
        #expect(referenceCount(of: texture) == 1)
    }

    @Test func `a texture is released with its last view, though the image stays`() throws {
        let image = KFCrossPlatformImage(bitmap: TestImage.bitmap())
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

    @Test(arguments: [true, false], [1, 1.25, 2])
    func `cairo paints a texture's colours from a copy of its own`(
        isOpaque: Bool,
        density: Double
    ) throws {
        // Before that there are no render nodes.
        try #require(gtk_init_check() != 0)
        let alpha: UInt8 = isOpaque ? 255 : 128
        let size = PixelSize(width: 3, height: 2)
        let bitmap = try Bitmap(
            size: size,
            isOpaque: isOpaque,
            filling: { pixels, _ in
                for index in 0..<6 {
                    pixels[index * 4] = UInt8(index * 20)
                    pixels[index * 4 + 1] = 7
                    pixels[index * 4 + 2] = 9
                    pixels[index * 4 + 3] = alpha
                }
            }
        )
        let texture = try #require(bitmap.makeTexture(forCairo: true))
        let expected = (0..<6).flatMap { [9, 7, UInt8($0 * 20), alpha] as [UInt8] }
        #expect(try paint(texture, size, density) == expected)
        // Not permitted with an image; shows that cairo does not read the image's pixels.
        memset(bitmap.storage.base, 255, bitmap.byteCount)
        #expect(try paint(texture, size, density) == expected)
    }

    @Test func `a painted frame keeps a freed texture's pixels without copying them`() throws {
        try #require(gtk_init_check() != 0)
        let size = PixelSize(width: 4, height: 4)
        let bitmap = try Bitmap(size: size, isOpaque: true, filling: { _, _ in })
        var texture = bitmap.makeTexture(forCairo: true)
        let isReleased = Flag()
        let object = try #require(texture).address.assumingMemoryBound(to: GObject.self)
        let key = UnsafeMutablePointer<cairo_user_data_key_t>.allocate(capacity: 1)
        defer { key.deallocate() }
        cairo_surface_set_user_data(
            OpaquePointer(g_object_get_data(object, "kingfisher-surface")),
            key,
            Unmanaged.passUnretained(isReleased).toOpaque(),
            Flag.release
        )
        let node = try node(of: try #require(texture), size, 1)
        texture = nil
        #expect(!isReleased.isSet)
        gsk_render_node_unref(node)
        #expect(isReleased.isSet)
    }

    /// The render node of a paintable with the texture; owned by the caller.
    private func node(
        of texture: GObjectReference,
        _ size: PixelSize,
        _ density: Double
    ) throws -> OpaquePointer {
        let canvas = GObjectReference(adopting: try #require(kf_paintable_new()))
        kf_paintable_set_density(canvas.address, density)
        kf_paintable_set_texture(canvas.address, texture.address, density)
        let snapshot = try #require(gtk_snapshot_new())
        gdk_paintable_snapshot(
            OpaquePointer(canvas.address),
            snapshot,
            Double(size.width) / density,
            Double(size.height) / density
        )
        return try #require(gtk_snapshot_free_to_node(snapshot))
    }

    /// The pixels of a paintable with the texture, painted by cairo.
    private func paint(
        _ texture: GObjectReference,
        _ size: PixelSize,
        _ density: Double
    ) throws -> [UInt8] {
        let node = try node(of: texture, size, density)
        defer { gsk_render_node_unref(node) }
        var pixels = [UInt8](repeating: 0, count: size.width * size.height * 4)
        pixels.withUnsafeMutableBytes { bytes in
            let surface = cairo_image_surface_create_for_data(
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                CAIRO_FORMAT_ARGB32,
                Int32(size.width),
                Int32(size.height),
                Int32(size.width * 4)
            )
            cairo_surface_set_device_scale(surface, density, density)
            let cairo = cairo_create(surface)
            gsk_render_node_draw(node, cairo)
            cairo_destroy(cairo)
            cairo_surface_destroy(surface)
        }
        return pixels
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

/// The number of references to an object.
func referenceCount(of object: GObjectReference) -> Int {
    Int(object.address.assumingMemoryBound(to: GObject.self).pointee.ref_count)
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

    static var release: KFSignalRelease {
        { context in
            guard let context else { return }
            Unmanaged<Flag>.fromOpaque(context).takeUnretainedValue().isSet = true
        }
    }
}
#endif
