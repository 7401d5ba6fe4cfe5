import Codecs
public import Foundation
import Pixels

/// Which frame of a video is meant.
///
/// A number of seconds is the frame that is displayed then: `12.5` is `.exact(12.5)`. Times count
/// from the beginning of the video; earlier ones mean its first frame, and later ones its last.
public enum VideoFramePosition: Hashable, Sendable {
    /// The frame that is displayed at a time.
    case exact(TimeInterval)
    /// The nearest key frame before a time, which takes the least work.
    case keyFrame(TimeInterval)
    /// A key frame that is neither dark, bright, empty nor blurred.
    ///
    /// Up to eight key frames are looked at, from a tenth of the duration on. The first one counts
    /// of which the mean luma is in 24…232 of 255, its standard deviation at least 20, and the mean
    /// difference of neighbouring pixels at least 2; if there is none, the one with the most
    /// contrast and detail.
    case representative
}

extension VideoFramePosition: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    /// The frame at a time in seconds.
    public init(floatLiteral seconds: Double) { self = .exact(seconds) }

    /// The frame at a time in seconds.
    public init(integerLiteral seconds: Int) { self = .exact(Double(seconds)) }
}

/// Makes an image of a frame of a video.
///
/// Not part of Kingfisher for Apple platforms, where ``AVAssetImageDataProvider`` does it. The video
/// is decoded in a worker process only, also without ``KingfisherOptionsInfoItem/isolated``: `main`
/// has to begin with ``ProcessIsolation/runWorkerIfAsked()``. The libraries of FFmpeg are loaded in
/// the workers when the first frame is asked for. A machine without them reports
/// ``DocumentError/missingLibrary(name:package:)``.
///
/// MP4, QuickTime, Matroska, WebM, AVI and MPEG transport streams are read, with H.264, HEVC, VP8, VP9,
/// AV1, MPEG-4 and Motion JPEG. The frame stands upright, has square pixels, and is in sRGB. Of an
/// interlaced frame one of its two moments is taken. A file without a video, such as a song in MP4,
/// MP3 or FLAC, has its cover image. Only the necessary parts of a file are read.
public struct VideoFrameDataProvider: ImageDataProvider {
    /// The video, if it is a file.
    public let url: URL?

    /// Which frame is meant.
    public let position: VideoFramePosition

    /// The size in pixels into which the frame is shrunk with its proportions; nil for its own.
    public let maximumSize: CGSize?

    /// Whether the cover image of a video is taken if there is one.
    public let prefersCover: Bool

    /// The key under which the image is cached.
    public var cacheKey: String

    /// The workers, for tests; nil for those of the program.
    var pool: WorkerPool?

    private let bytes: Data?

    /// Makes a provider of a frame of a file.
    ///
    /// - Parameters:
    ///   - url: A `file:` URL of a regular file.
    ///   - position: Which frame is meant.
    ///   - maximumSize: The size in pixels into which the frame is shrunk; nil for its own.
    ///   - prefersCover: Whether the cover image is taken if there is one.
    ///   - cacheKey: Defaults to the URL with the other values, followed by the size of the file and
    ///     the time of its last change.
    public init(
        url: URL,
        at position: VideoFramePosition = .representative,
        maximumSize: CGSize? = nil,
        prefersCover: Bool = false,
        cacheKey: String? = nil
    ) {
        self.init(url, nil, position, maximumSize, prefersCover, cacheKey)
    }

    /// Makes a provider of a frame of a video in memory.
    ///
    /// - Parameters:
    ///   - data: The video.
    ///   - position: Which frame is meant.
    ///   - maximumSize: The size in pixels into which the frame is shrunk; nil for its own.
    ///   - prefersCover: Whether the cover image is taken if there is one.
    ///   - cacheKey: The key under which the image is cached; it has to name the other values.
    public init(
        data: Data,
        at position: VideoFramePosition = .representative,
        maximumSize: CGSize? = nil,
        prefersCover: Bool = false,
        cacheKey: String
    ) {
        self.init(nil, data, position, maximumSize, prefersCover, cacheKey)
    }

    private init(
        _ url: URL?,
        _ bytes: Data?,
        _ position: VideoFramePosition,
        _ maximumSize: CGSize?,
        _ prefersCover: Bool,
        _ cacheKey: String?
    ) {
        self.url = url
        self.bytes = bytes
        self.position = position
        self.maximumSize = maximumSize
        self.prefersCover = prefersCover
        let size = Self.box(maximumSize).map { "_\($0.width)x\($0.height)" } ?? ""
        let cover = prefersCover ? "_cover" : ""
        self.cacheKey =
            cacheKey
            ?? "\(url?.absoluteString ?? "")_frame_\(position.text)\(size)\(cover)"
            + (url?.localFileVersion ?? "")
    }

    private static func box(_ size: CGSize?) -> PixelSize? {
        func side(_ length: CGFloat) -> Int {
            length >= 1 ? Int(min(CGFloat(PixelLimits.maxDimension), length)) : 1
        }
        return size.map { PixelSize(width: side($0.width), height: side($0.height)) }
    }

    /// Decodes the frame, and encodes it as a PNG.
    ///
    /// - Throws: ``DocumentError``; ``LocalFileError`` or `CocoaError` if the file cannot be read;
    ///   `CancellationError`.
    public func data() async throws -> Data {
        let reading = try DocumentReading(.films, pool)
        let film = try await FilmBytes(DocumentBytes(url: url, data: bytes))
        let request = FilmRequest(
            position.kind,
            prefersCover: prefersCover,
            fitting: Self.box(maximumSize)
        )
        return try await reading.file(request.message(for: film))
    }

    /// The file's URL.
    public var contentURL: URL? { url }
}

extension VideoFramePosition {
    /// Times that are none mean the beginning.
    private static func finite(_ seconds: TimeInterval) -> Double {
        seconds > 0 ? min(seconds, 1e12) : 0
    }

    fileprivate var kind: FilmRequest.Kind {
        switch self {
        case .exact(let seconds): .exact(Self.finite(seconds))
        case .keyFrame(let seconds): .keyFrame(Self.finite(seconds))
        case .representative: .representative
        }
    }

    /// The position in a cache key.
    fileprivate var text: String {
        switch self {
        case .exact(let seconds): "\(Self.finite(seconds))"
        case .keyFrame(let seconds): "key_\(Self.finite(seconds))"
        case .representative: "representative"
        }
    }
}

/// The properties of a video, or of a sound file with a cover image.
///
/// Not part of Kingfisher for Apple platforms. Read in a worker process only, as by
/// ``VideoFrameDataProvider``.
public struct VideoInfo: Sendable, Hashable {
    /// The size of the upright frames with square pixels, or of the cover image.
    public let size: CGSize
    /// By how many degrees the stored frames are turned clockwise to stand upright: 0, 90, 180 or 270.
    public let rotation: Int
    /// Whether the stored frames are also mirrored, before they are turned.
    public let isMirrored: Bool
    /// In seconds; nil if the file does not state it.
    public let duration: TimeInterval?
    /// Frames per second on average; nil if unknown, and for a cover image.
    public let frameRate: Double?
    /// Whether there is a video, rather than a cover image alone.
    public let hasVideo: Bool
    /// Whether there is a cover image.
    public let hasCover: Bool
    /// The codec of the video, or else of the cover image, by FFmpeg's name, such as `h264`.
    public let codec: String
    /// The codec of the sound, such as `aac`; nil without sound.
    public let soundCodec: String?

    /// How many bytes ``isBeginning(ofVideo:)`` looks at.
    public static let beginningByteCount = VideoFile.headByteCount

    /// Whether a file begins like a video, or like a sound file that may have a cover image.
    ///
    /// - Parameter data: The first ``beginningByteCount`` bytes of the file, or more.
    /// - Returns: Whether it is one of the containers that are read; false for images.
    public static func isBeginning(ofVideo data: Data) -> Bool { VideoFile.isBeginning(of: data) }

    /// Reads a file.
    ///
    /// - Parameter url: A `file:` URL of a regular file.
    /// - Throws: ``DocumentError``; ``LocalFileError`` or `CocoaError` if the file cannot be read;
    ///   `CancellationError`.
    public init(contentsOf url: URL) async throws {
        try await self.init(DocumentBytes(url: url, data: nil), nil)
    }

    /// Reads a video in memory.
    ///
    /// - Parameter data: The video.
    /// - Throws: ``DocumentError``, `CancellationError`.
    public init(data: Data) async throws {
        try await self.init(DocumentBytes(url: nil, data: data), nil)
    }

    /// As above, with another pool than that of the program.
    init(_ document: DocumentBytes, _ pool: WorkerPool?) async throws {
        let reading = try DocumentReading(.films, pool)
        let request = FilmRequest(.facts).message(for: try await FilmBytes(document))
        guard case .film(let facts) = try await reading.answer(to: request) else {
            throw DocumentReading.invalid("it has no properties")
        }
        size = CGSize(width: facts.size.width, height: facts.size.height)
        (rotation, isMirrored) =
            switch facts.orientation {
            case .up: (0, false)
            case .upMirrored: (0, true)
            case .down: (180, false)
            case .downMirrored: (180, true)
            case .leftMirrored: (270, true)
            case .right: (90, false)
            case .rightMirrored: (90, true)
            case .left: (270, false)
            }
        duration = facts.duration
        frameRate = facts.frameRate
        hasVideo = facts.hasVideo
        hasCover = facts.hasCover
        codec = facts.codec
        soundCodec = facts.soundCodec
    }
}
