import CKFCodecShims
package import FoundationEssentials
package import KFPixels
import Synchronization

/// SVG, which is read in worker processes only: librsvg ends its process on errors of its own, and its memory has no
/// limit.
package enum Drawings {
    /// Reads drawings in other processes.
    package protocol Renderer: Sendable {
        /// The size that a drawing states, or a default.
        func size(of file: Data) throws(CodecError) -> PixelSize

        /// The pixels of a drawing of size `own` at another size.
        func bitmap(
            of file: Data,
            own: PixelSize,
            at size: PixelSize
        ) throws(CodecError) -> Bitmap
    }

    private enum Place {
        case nowhere
        case here
        case elsewhere(any Renderer)
    }

    private static let place = Mutex(Place.nowhere)

    // MARK: Workers

    /// Loads what drawings of any kind need, so that they can be drawn when no file can be opened any more.
    ///
    /// Changes the process for good, so it is for workers only. The library has to be loaded.
    package static func prepare() {
        kf_drawing_prepare()
        drawHere()
    }

    /// Starts the thread that filters need; the walls of a worker then forbid any other.
    package static let startThreads: @convention(c) () -> Void = kf_drawing_start_threads

    /// Reads drawings in this process, unless there is a renderer: for workers, and tests of this module.
    package static func drawHere() {
        place.withLock { place in
            if case .nowhere = place { place = .here }
        }
    }

    // MARK: Programs

    /// Reads drawings by a renderer from now on.
    package static func use(_ renderer: any Renderer) {
        place.withLock { $0 = .elsewhere(renderer) }
    }

    // MARK: Reading

    static func inspect(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> ImageInfo {
        switch place.withLock({ $0 }) {
        case .nowhere: throw refusal
        case .here: try inspectHere(bytes)
        case .elsewhere(let renderer): info(of: try renderer.size(of: Data(bytes)))
        }
    }

    static func decode(
        _ bytes: UnsafeRawBufferPointer,
        _ options: DecodeOptions
    ) throws(CodecError) -> DecodedImage {
        switch place.withLock({ $0 }) {
        case .nowhere: throw refusal
        case .here: return try decodeHere(bytes, options)
        case .elsewhere(let renderer):
            let file = Data(bytes)
            let info = info(of: try renderer.size(of: file))
            let size = ShrinkOnLoad.storedTarget(of: info, options.target)
            try options.limits.check(size, of: .svg)
            let bitmap = try renderer.bitmap(of: file, own: info.storedSize, at: size)
            return DecodedImage(bitmap: bitmap, info: info, isPartial: false)
        }
    }

    static func inspectHere(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> ImageInfo {
        try OptionalDecoder(bytes: bytes, options: DecodeOptions()).inspect()
    }

    static func decodeHere(
        _ bytes: UnsafeRawBufferPointer,
        _ options: DecodeOptions
    ) throws(CodecError) -> DecodedImage {
        guard let plain = DropShadows.rewritten(bytes) else {
            return try OptionalDecoder(bytes: bytes, options: options).decode()
        }
        return try plain.withBytes { bytes throws(CodecError) in
            try OptionalDecoder(bytes: bytes, options: options).decode()
        }
    }

    private static func info(of size: PixelSize) -> ImageInfo {
        ImageInfo(format: .svg, storedSize: size, hasAlpha: true)
    }

    /// Why drawings cannot be read here: a worker without the library, or a program without workers.
    private static var refusal: CodecError {
        do throws(CodecError) {
            try OptionalFormat(.svg)?.check()
        } catch {
            return error
        }
        return .notDrawn(
            "no worker process is available: main does not begin with "
                + "ProcessIsolation.runWorkerIfAsked()"
        )
    }
}
