#if GTK
import CKFGTKHeaders
import CKFGTK
import Foundation
import Kingfisher

/// The file behind the image that a GtkPicture shows, for other programs.
extension PictureController {
    /// The image that users can copy, save and drag: neither a placeholder nor that of a failure.
    var ownImage: KFCrossPlatformImage? {
        status.showsImage && !loader.showsFailureImage ? content.image : nil
    }

    /// The bytes of the shown image: those of its source, or a PNG of an image that was set without
    /// a source.
    ///
    /// Bytes that the disk cache no longer has are downloaded again.
    func originalData() async throws -> Data {
        g_object_ref(picture)
        defer { g_object_unref(picture) }
        guard let image = ownImage else {
            throw KingfisherError.imageSettingError(reason: .emptySource)
        }
        if let load = loader.imageLoad {
            var options = load.options
            options.processor = DefaultImageProcessor.default
            options.onlyFromCache = false
            let manager = load.manager
            return try await manager.retrieveData(with: load.source, parsedOptions: options).data
        }
        return try await Self.png(of: image)
    }

    /// Puts the shown image on the clipboard, as the bytes of its file and as a texture.
    func copyImage() async throws {
        g_object_ref(picture)
        defer { g_object_unref(picture) }
        // Another image may be shown when the data has arrived.
        let shown = ownImage
        let url = loader.imageLoad?.source.url
        let data = try await originalData()
        guard let content = Self.content(of: shown, from: url, data: data) else { return }
        kf_widget_copy(picture, content.address)
    }

    /// Writes the bytes of the shown image to a file, replacing it.
    func saveImage(to url: URL) async throws {
        // This call retains the controller, which must not outlive the GtkPicture.
        g_object_ref(picture)
        defer { g_object_unref(picture) }
        try await Self.write(try await originalData(), to: url)
    }

    /// An image for another program; nil without an image.
    static func content(
        of image: KFCrossPlatformImage?,
        from url: URL?,
        data: Data?
    ) -> GObjectReference? {
        let texture = image?.texture
        let path = url?.isFileURL == true ? url?.path : nil
        let type = data?.kf.imageFormat.contentType
        let made = withExtendedLifetime(texture) {
            guard let data, !data.isEmpty else {
                return kf_content_new(nil, 0, nil, path, texture?.address)
            }
            return data.withUnsafeBytes {
                kf_content_new($0.baseAddress, $0.count, type, path, texture?.address)
            }
        }
        return made.map { GObjectReference(adopting: $0) }
    }

    @concurrent
    nonisolated private static func png(of image: KFCrossPlatformImage) async throws -> Data {
        guard let data = image.kf.pngRepresentation() else {
            throw KingfisherError.cacheError(
                reason: .cannotSerializeImage(
                    image: image,
                    original: nil,
                    serializer: DefaultCacheSerializer.default
                )
            )
        }
        return data
    }

    @concurrent
    nonisolated private static func write(_ data: Data, to url: URL) async throws {
        try data.write(to: url, options: .atomic)
    }

    /// Replaces a GFile, which may be on another machine and have no path.
    static func write(_ data: Data, to file: GObjectReference) async throws {
        let message = await withCheckedContinuation { continuation in
            let context = Unmanaged.passRetained(FileWriting(continuation)).toOpaque()
            data.withUnsafeBytes {
                kf_file_replace(
                    file.address,
                    $0.baseAddress,
                    $0.count,
                    FileWriting.written,
                    context
                )
            }
        }
        guard let message else { return }
        throw CocoaError(.fileWriteUnknown, userInfo: [NSLocalizedDescriptionKey: message])
    }
}

/// Waits for the end of a write; resumed with the description of the error, nil for none.
nonisolated private final class FileWriting {
    private let continuation: CheckedContinuation<String?, Never>

    init(_ continuation: CheckedContinuation<String?, Never>) { self.continuation = continuation }

    static var written: KFFileWritten {
        { error, context in
            guard let context else { return }
            let writing = Unmanaged<FileWriting>.fromOpaque(context).takeRetainedValue()
            writing.continuation.resume(returning: error.map { String(cString: $0) })
        }
    }
}

/// Names for files that are saved.
nonisolated enum FileName {
    /// The last component of a URL without characters that file names must not have; "image" if
    /// nothing is left.
    static func suggested(for url: URL?, format: ImageFormat) -> String {
        let last = url.map { $0.lastPathComponent } ?? ""
        let isUsable = { (scalar: Unicode.Scalar) in
            scalar != "/" && scalar.properties.generalCategory != .control
                // Invisible characters that reorder text can disguise an extension.
                && scalar.properties.generalCategory != .format
        }
        var name = String(String.UnicodeScalarView(last.unicodeScalars.filter(isUsable)))
        while name.hasPrefix(".") || name.hasPrefix(" ") { name.removeFirst() }
        var stem = Substring(name)
        if let dot = name.lastIndex(of: ".") { stem = name[..<dot] }
        // File systems limit names to 255 bytes.
        while stem.utf8.count > 120 { stem.removeLast() }
        return (stem.isEmpty ? "image" : String(stem)) + fileExtension(of: format, in: name)
    }

    private static func fileExtension(of format: ImageFormat, in name: String) -> String {
        switch format {
        case .unknown: ""
        case .PNG: ".png"
        case .JPEG: name.lowercased().hasSuffix(".jpeg") ? ".jpeg" : ".jpg"
        case .GIF: ".gif"
        case .WebP: ".webp"
        case .AVIF: ".avif"
        case .JXL: ".jxl"
        case .HEIF: ".heic"
        case .TIFF: ".tiff"
        case .SVG: ".svg"
        case .BMP: ".bmp"
        case .ICO: ".ico"
        }
    }
}
#endif
