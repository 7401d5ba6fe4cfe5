import Foundation
import KFCodecs
import KFPixels

/// Encoding by a library that cannot be interrupted: in a worker, which is ended instead.
struct IsolatedEncoding: Sendable {
    /// The formats of such libraries; their places are their names in messages.
    private static let formats = FileFormat.allCases.filter { format in
        switch format {
        case .avif, .jxl: true
        case .jpeg, .png, .gif, .webp, .heif, .tiff, .bmp, .ico, .svg: false
        }
    }

    /// Fewer pixels are encoded in this process: a worker takes as long to start.
    private static let minPixels = 1 << 16

    let format: FileFormat
    private let image: KFCrossPlatformImage
    private let options: EncodeOptions

    /// Nil where encoding in this process ends soon enough.
    init?(_ image: KFCrossPlatformImage, as format: FileFormat, _ options: EncodeOptions) {
        guard Self.formats.contains(format), let size = image.bitmap?.size,
            size.byteCount(bytesPerPixel: 1) >= Self.minPixels
        else { return nil }
        (self.image, self.format, self.options) = (image, format, options)
    }

    /// Encodes in a worker, and waits for it.
    ///
    /// - Parameters:
    ///   - pool: Nil for that of the program.
    ///   - isWanted: Asked every 25 ms; the worker is ended when it is false.
    /// - Returns: The file; nil if the library refuses the pixels.
    /// - Throws: ``WorkerFailure``, also ``WorkerFailure/cancelled``.
    func file(
        on pool: WorkerPool? = nil,
        while isWanted: () -> Bool
    ) throws(WorkerFailure) -> Data? {
        // Without the line in `main` there is none.
        guard let pool = pool ?? (try? ProcessIsolation.pool(preparing: .encoding)) else {
            throw .stopped
        }
        let request = try IsolatedRequest.encoding(self).message(for: Data())
        let message = try pool.waitForAnswer(to: request, while: isWanted)
        do throws(WireError) {
            switch try IsolatedAnswer(message) {
            case .file(let body):
                let file = try body.file(maxBytes: maxFileBytes)
                guard Codecs.format(of: file) == format else { throw WireError("no such file") }
                return file
            case .reason: return nil
            default: throw WireError("it has no file")
            }
        } catch {
            throw .invalidAnswer(error.description)
        }
    }

    /// No encoder needs twice the bytes of the pixels, beside the profile.
    private var maxFileBytes: Int {
        let pixels = image.bitmap?.byteCount ?? 0
        return (options.profile?.count ?? 0).addingSaturating(pixels.multipliedSaturating(by: 2))
    }

    // MARK: In the worker

    /// The file.
    ///
    /// - Throws: ``CodecError``.
    func encoded() throws(CodecError) -> Data? {
        guard let bitmap = image.bitmap else { throw .empty }
        return try Codecs.encode(bitmap, as: format, options: options)
    }

    // MARK: Messages

    func write(to writer: inout ProcessorWriter) {
        writer.wire.write(Self.formats.firstIndex(of: format) ?? 0)
        writer.wire.write(options.quality)
        writer.wire.write(options.isLossless)
        writer.wire.write(options.effort) { $0.write($1) }
        writer.wire.write(options.subsamplesChroma) { $0.write($1) }
        writer.write(PortableImage(image))
        writer.write(options.profile)
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        format = Self.formats[try reader.wire.int(in: 0...(Self.formats.count - 1))]
        var options = EncodeOptions()
        options.quality = try reader.wire.double()
        options.isLossless = try reader.wire.bool()
        options.effort = try reader.wire.optional { reader throws(WireError) in try reader.int() }
        options.subsamplesChroma = try reader.wire.optional { reader throws(WireError) in
            try reader.bool()
        }
        image = try PortableImage(from: &reader).image
        options.profile = try reader.value()
        self.options = options
    }
}

extension ImageParcel.Body {
    /// A copy of the bytes.
    ///
    /// - Throws: ``WireError`` when the memory is not final, or larger than `maxBytes`.
    func file(maxBytes: Int) throws(WireError) -> Data {
        let shared = try bytes(maxBytes: maxBytes)
        defer { withExtendedLifetime(shared) {} }
        return Data(shared.bytes)
    }
}
