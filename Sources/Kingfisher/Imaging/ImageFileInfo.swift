import Codecs
public import Foundation
import Pixels

/// What the header of a picture file tells, found without decoding a pixel; ours beyond the
/// reference.
///
/// Costs a walk over the header, and for animations over the list of frames: microseconds for
/// most files, whatever the size of the picture.
public struct ImageFileInfo: Sendable, Equatable {
    /// The kind of the file, told by its bytes.
    public let format: ImageFormat
    /// The name of the kind, also of those without a case: `jpeg`, `bmp`, `ico`.
    public let formatName: String
    /// The size of the picture as it is seen, in pixels, with ``orientation`` applied.
    public let size: CGSize
    /// The size of the rows and columns in the file, in pixels.
    public let storedSize: CGSize
    /// How the stored picture is to be turned, 1…8, as EXIF counts; 1 is upright.
    public let orientation: Int
    /// The number of frames, 1 for stills; nil when the bytes there do not tell.
    public let frameCount: Int?
    /// How often an animation plays, 0 for ever; nil for stills and when the bytes do not tell.
    public let loopCount: Int?
    /// Seconds that one round of an animation takes; nil for stills and when the bytes do not tell.
    ///
    /// Frames of 10 ms or less are counted as 100 ms, as they are played.
    public let duration: TimeInterval?
    /// Whether the file may hold transparent pixels.
    public let hasAlpha: Bool
    /// Whether a coarse picture comes first: a progressive JPEG, an interlaced PNG.
    public let isProgressive: Bool
    /// Bits of each colour channel, 1…16.
    public let bitsPerChannel: Int
    /// Whether the file carries an ICC profile.
    public let hasColorProfile: Bool

    /// Reads the header of a file.
    ///
    /// - Parameter data: A whole file, or a beginning of one that may still grow.
    /// - Throws: ``Failure/needsMoreData(_:)`` when the header ends too early,
    ///   ``Failure/unreadable(_:)`` when no further byte can help.
    public init(data: Data) throws(Failure) {
        let info: ImageInfo
        do {
            info = try Codecs.inspect(data)
        } catch {
            throw Failure(error, byteCount: data.count)
        }
        // A file that is still growing, or is damaged further on, has a header all the same.
        let frames = info.frameCount == 1 ? nil : try? FrameDecoder(data)
        let isAnimated = (frames?.frameCount ?? info.frameCount ?? 1) > 1
        format = ImageFormat(info.format)
        formatName = info.format.rawValue
        size = CGSize(width: info.displaySize.width, height: info.displaySize.height)
        storedSize = CGSize(width: info.storedSize.width, height: info.storedSize.height)
        orientation = Int(info.orientation.rawValue)
        frameCount = frames?.frameCount ?? info.frameCount
        loopCount = isAnimated ? frames?.loopCount ?? info.loopCount : nil
        // To the microsecond: a sum of binary fractions is off by less.
        duration = isAnimated ? frames.map { ($0.delays.reduce(0, +) * 1e6).rounded() / 1e6 } : nil
        hasAlpha = info.hasAlpha
        isProgressive = info.isProgressive
        bitsPerChannel = info.bitsPerChannel
        hasColorProfile = info.hasColorProfile
    }

    /// Reads the header of a file on disk, and no more of the file than that takes.
    ///
    /// All of an animation is read, to count its frames, unless it is larger than what is decoded.
    ///
    /// - Parameter url: A `file:` URL of a regular file of any size.
    /// - Throws: ``Failure``; `CocoaError` when the file cannot be read.
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
            // To the end of the file at last, where `isAll` holds.
            count = min(DecodeLimits.default.maxInputBytes, 4 * count)
        }
    }

    /// Why bytes do not tell what they are.
    public enum Failure: Error, Sendable, Equatable {
        /// They end within the header; with more of them it may be read. The text says what is
        /// there.
        case needsMoreData(String)
        /// They are no picture, a damaged one, or one of a kind that is not known. The text says
        /// which.
        case unreadable(String)

        init(_ error: CodecError, byteCount: Int) {
            switch error {
            case .empty, .truncated: self = .needsMoreData("\(error)")
            // The longest signature, that of AVIF, ends there.
            case .unknownFormat where byteCount < 12: self = .needsMoreData("\(error)")
            default: self = .unreadable("\(error)")
            }
        }
    }
}

extension ImageFileInfo.Failure: LocalizedError {
    /// What is wrong with the bytes, in a sentence.
    public var errorDescription: String? {
        switch self {
        case .needsMoreData(let reason): "The header is not complete: \(reason)."
        case .unreadable(let reason): "The header cannot be read: \(reason)."
        }
    }
}
