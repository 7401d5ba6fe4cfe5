public import Foundation
import KFCodecs
import KFPixels

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
        let film = try await FilmBytes(document)
        guard case .film(let facts) = try await film.answer(to: FilmRequest(.facts), by: reading)
        else {
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
