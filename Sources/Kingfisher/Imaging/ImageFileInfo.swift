public import Foundation
import KFCodecs
import KFPixels

/// The properties in the header of an image file, read without decoding pixels.
///
/// Not part of Kingfisher for Apple platforms. Reading takes microseconds for most files, whatever
/// the size of the image: the header is parsed, and the list of frames of an animation.
public struct ImageFileInfo: Sendable, Equatable {
    /// The format, detected from the bytes.
    public let format: ImageFormat
    /// The name of the format, also of formats without a case, such as `jpeg`, `bmp` and `ico`.
    public let formatName: String
    /// The size of the displayed image in pixels, after applying ``orientation``.
    public let size: CGSize
    /// The size of the stored image in pixels, before applying ``orientation``.
    public let storedSize: CGSize
    /// The EXIF orientation, 1…8; 1 is upright.
    public let orientation: Int
    /// The number of frames, 1 for still images; nil if the available bytes do not contain it.
    public let frameCount: Int?
    /// How often an animation plays, 0 without end; nil for still images and if not yet known.
    public let loopCount: Int?
    /// The duration of one loop in seconds; nil for still images and if not yet known.
    ///
    /// Frames of 10 ms or less count as 100 ms, as they do in playback.
    public let duration: TimeInterval?
    /// Whether the file may hold transparent pixels.
    public let hasAlpha: Bool
    /// Whether the file starts with a coarse version: a progressive JPEG or an interlaced PNG.
    public let isProgressive: Bool
    /// Bits per colour channel, 1…16.
    public let bitsPerChannel: Int
    /// Whether the file contains an ICC profile.
    public let hasColorProfile: Bool

    /// Reads the header of a file.
    ///
    /// - Parameter data: A complete file, or the beginning of one.
    /// - Throws: ``Failure/needsMoreData(_:)`` if the header is incomplete,
    ///   ``Failure/unreadable(_:)`` if more bytes cannot help.
    public init(data: Data) throws(Failure) {
        let info: ImageInfo
        do {
            info = try Codecs.inspect(data)
        } catch {
            throw Failure(error, byteCount: data.count)
        }
        // An incomplete file, or one that is damaged after the header, still has valid properties.
        let frames = info.frameCount == 1 ? nil : try? FrameDecoder(data)
        let isAnimated = (frames?.frameCount ?? info.frameCount ?? 1) > 1
        format = ImageFormat(info.format)
        formatName = info.format.rawValue
        size = CGSize(width: info.displaySize.width, height: info.displaySize.height)
        storedSize = CGSize(width: info.storedSize.width, height: info.storedSize.height)
        orientation = Int(info.orientation.rawValue)
        frameCount = frames?.frameCount ?? info.frameCount
        loopCount = isAnimated ? frames?.loopCount ?? info.loopCount : nil
        // Rounded to microseconds, which removes the error of summing binary fractions.
        duration = isAnimated ? frames.map { ($0.delays.reduce(0, +) * 1e6).rounded() / 1e6 } : nil
        hasAlpha = info.hasAlpha
        isProgressive = info.isProgressive
        bitsPerChannel = info.bitsPerChannel
        hasColorProfile = info.hasColorProfile
    }

    /// Describes a drawn image as the header of a PNG of it would.
    @_spi(Server) public init(drawn image: KFCrossPlatformImage) {
        format = .PNG
        formatName = FileFormat.png.rawValue
        size = CGSize(width: image.pixelWidth, height: image.pixelHeight)
        storedSize = size
        orientation = 1
        frameCount = 1
        loopCount = nil
        duration = nil
        hasAlpha = image.bitmap?.isOpaque != true
        isProgressive = false
        bitsPerChannel = 8
        hasColorProfile = false
    }

    /// Reads the header of a file on disk, without reading more of the file than needed.
    ///
    /// An animation is read completely to count its frames, unless it exceeds the input limit of
    /// the decoders.
    ///
    /// - Parameter url: A `file:` URL of a regular file of any size.
    /// - Throws: ``Failure``, ``LocalFileError``, or `CocoaError` if the file cannot be read.
    public init(contentsOf url: URL) throws {
        // 64 KiB: the headers of nearly all files, with their EXIF block.
        var count = 1 << 16
        while true {
            let (head, size) = try RegularFile.readHead(url.path, count: count)
            let isAll = head.count >= min(size, DecodeLimits.default.maxInputBytes)
            do throws(Failure) {
                let info = try ImageFileInfo(data: head)
                if isAll || info.frameCount == 1 {
                    self = info
                    return
                }
            } catch {
                guard case .needsMoreData = error, !isAll else { throw error }
            }
            // Grows to the end of the file, where `isAll` holds.
            count = min(DecodeLimits.default.maxInputBytes, 4 * count)
        }
    }

    /// Why the properties cannot be read.
    public enum Failure: Error, Sendable, Equatable {
        /// The bytes end within the header; more bytes may help. The text describes the available
        /// bytes.
        case needsMoreData(String)
        /// The bytes are no image, a damaged one, or one of an unknown format. The text says which.
        case unreadable(String)

        init(_ error: CodecError, byteCount: Int) {
            switch error {
            case .empty, .truncated: self = .needsMoreData("\(error)")
            // The longest signature, that of AVIF, has 12 bytes.
            case .unknownFormat where byteCount < 12: self = .needsMoreData("\(error)")
            default: self = .unreadable("\(error)")
            }
        }
    }
}

extension ImageFileInfo.Failure: LocalizedError {
    /// The failure, as a sentence.
    public var errorDescription: String? {
        switch self {
        case .needsMoreData(let reason): "The header is incomplete: \(reason)."
        case .unreadable(let reason): "The header cannot be read: \(reason)."
        }
    }
}
