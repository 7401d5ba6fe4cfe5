public import Foundation
import KFCodecs
import KFPixels

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
    /// All frames of a span, as an animation.
    ///
    /// Its data is an animated WebP, AVIF or GIF that repeats forever, with a frame for each
    /// `1 / framesPerSecond` seconds from the beginning of the span on. At most 10 seconds and 300
    /// frames, with at most 512 MiB of pixels together; see ``DocumentError/unusableClip(_:)``. An
    /// AVIF is the smallest, and takes the most time to make.
    case clip(
        from: TimeInterval,
        to: TimeInterval,
        framesPerSecond: Double,
        format: ImageFormat = .WebP
    )
}

extension VideoFramePosition: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    /// The frame at a time in seconds.
    public init(floatLiteral seconds: Double) { self = .exact(seconds) }

    /// The frame at a time in seconds.
    public init(integerLiteral seconds: Int) { self = .exact(Double(seconds)) }
}

/// Makes an image of a frame of a video, or an animation of a span of it.
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
/// MP3 or FLAC, has its cover image.
///
/// Only the necessary parts of a file are read. Of a film at an http or https URL they are downloaded by
/// the downloader of the load, and with its options: some blocks of 256 KiB or more, at most 64 MiB in
/// 64 requests for a frame. A server without ranges sends the whole film, up to the downloader's limit
/// for a body.
public struct VideoFrameDataProvider: ImageDataProvider {
    /// The video, if it is not in memory.
    public let url: URL?

    /// Which frame is meant.
    public let position: VideoFramePosition

    /// The size in pixels into which the frame is shrunk with its proportions; nil for its own.
    public let maximumSize: CGSize?

    /// Whether the cover image of a video is taken if there is one.
    public let prefersCover: Bool

    /// The key under which the image is cached.
    public var cacheKey: String

    /// Whether a time after the end of the video fails with ``TimeAfterEnd``, instead of meaning its last
    /// frame.
    @_spi(Programs) public var requiresTime = false

    /// The workers, for tests; nil for those of the program.
    var pool: WorkerPool?

    private let bytes: Data?
    /// The opened video of several providers.
    private var shared: SharedFilm?

    /// Makes a provider of a frame of a file.
    ///
    /// - Parameters:
    ///   - url: A `file:` URL of a regular file, or an http or https URL.
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
        let size = maximumSize.map { PixelSize(bounding: $0) }
        let box = size.map { "_\($0.width)x\($0.height)" } ?? ""
        let cover = prefersCover ? "_cover" : ""
        self.cacheKey =
            cacheKey ?? url?.cacheKey(ofPart: "frame_\(position.text)\(box)\(cover)") ?? ""
    }

    /// Makes providers of several frames of one file, in one pass through it.
    ///
    /// The file is opened when the first frame is needed, and stays open here until the last provider is
    /// released, and in its worker until that reads another video. Load the frames in the order of
    /// their times: then decoding continues from one to the next, unless a key frame lies between them.
    /// Each is an image of its own to caches, with the key of a provider that was made alone.
    ///
    /// - Parameters:
    ///   - url: A `file:` URL of a regular file, or an http or https URL.
    ///   - times: In seconds from the beginning of the video.
    ///   - maximumSize: The size in pixels into which frames are shrunk; nil for their own.
    /// - Returns: A provider for each time, in the same order.
    public static func frames(
        of url: URL,
        at times: [TimeInterval],
        maximumSize: CGSize? = nil
    ) -> [VideoFrameDataProvider] {
        let film = SharedFilm()
        return times.map { time in
            var frame = Self(url: url, at: .exact(time), maximumSize: maximumSize)
            frame.shared = film
            return frame
        }
    }

    /// Whether the video is downloaded.
    var isRemote: Bool { url.map(RemoteFilm.canDownload) ?? false }

    /// Decodes the frame, and encodes it as a PNG; those of a clip as an animation.
    ///
    /// - Throws: ``DocumentError``; ``LocalFileError`` or `CocoaError` if the file cannot be read;
    ///   ``KingfisherError`` if a part cannot be downloaded; `CancellationError`.
    public func data() async throws -> Data { try await content(for: nil).file() }

    /// The URL of the video.
    public var contentURL: URL? { url }
}

extension VideoFrameDataProvider: PreparedDataProvider {
    /// Downloads the parts of a film as the load would download an image.
    func content(for context: ProviderContext?) async throws -> ProvidedContent {
        let reading = try DocumentReading(.films, pool)
        let document = DocumentBytes(url: url, data: bytes)
        let box = maximumSize.map { PixelSize(bounding: $0) }
        if let clip = position.clip {
            let film = try await FilmBytes(document, context, isKept: true)
            return .file(try await clip.data(of: film, fitting: box, by: reading))
        }
        let film =
            if let shared {
                try await shared.film(document, context)
            } else {
                try await FilmBytes(document, context, isKept: requiresTime)
            }
        if requiresTime, case .exact(let seconds) = position {
            try await check(seconds, in: film, by: reading)
        }
        let request = FilmRequest(position.kind, prefersCover: prefersCover, fitting: box)
        return .pixels(try reading.bitmap(of: await film.answer(to: request, by: reading)))
    }

    private func check(
        _ seconds: TimeInterval,
        in film: FilmBytes,
        by reading: DocumentReading
    ) async throws {
        guard case .film(let facts) = try await film.answer(to: FilmRequest(.facts), by: reading)
        else { throw DocumentReading.invalid("it has no properties") }
        // A time that was rounded to milliseconds is inside.
        guard let duration = facts.duration, seconds > duration + 0.001 else { return }
        throw TimeAfterEnd(duration: duration)
    }
}

/// The error of a frame at a time after the end of its video.
@_spi(Programs) public struct TimeAfterEnd: Error, Hashable {
    /// Of the video, in seconds.
    @_spi(Programs) public let duration: TimeInterval
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
        case .representative, .clip: .representative
        }
    }

    fileprivate var clip: VideoClip? {
        guard case .clip(let start, let end, let framesPerSecond, let format) = self else {
            return nil
        }
        return VideoClip(start: start, end: end, framesPerSecond: framesPerSecond, format: format)
    }

    /// The position in a cache key.
    fileprivate var text: String {
        switch self {
        case .exact(let seconds): "\(Self.finite(seconds))"
        case .keyFrame(let seconds): "key_\(Self.finite(seconds))"
        case .representative: "representative"
        case .clip(let start, let end, let rate, let format):
            "clip_\(start)-\(end)_\(rate)" + (format == .WebP ? "" : "_\(format)")
        }
    }
}
