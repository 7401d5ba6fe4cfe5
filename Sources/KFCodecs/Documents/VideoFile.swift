import CKFCodecShims
package import FoundationEssentials
package import KFPixels

/// A video, or the cover image of a sound file, decoded by FFmpeg's libraries.
///
/// Only worker processes make one. Reads the containers and codecs of a list, and nothing but the
/// given file.
package final class VideoFile {
    /// The properties of the whole file.
    package struct Facts: Sendable, Equatable {
        /// The size of the upright frames, or of the cover image, with square pixels.
        package var size: PixelSize
        /// How the stored frames are turned and mirrored to stand upright.
        package var orientation: Orientation
        /// In seconds; nil if unknown.
        package var duration: Double?
        /// Frames per second on average; nil if unknown.
        package var frameRate: Double?
        package var hasVideo: Bool
        package var hasCover: Bool
        /// Of the video, or of the cover image.
        package var codec: String
        /// Nil without sound.
        package var soundCodec: String?

        package init(
            size: PixelSize,
            orientation: Orientation,
            duration: Double?,
            frameRate: Double?,
            hasVideo: Bool,
            hasCover: Bool,
            codec: String,
            soundCodec: String?
        ) {
            self.size = size
            self.orientation = orientation
            self.duration = duration
            self.frameRate = frameRate
            self.hasVideo = hasVideo
            self.hasCover = hasCover
            self.codec = codec
            self.soundCodec = soundCodec
        }
    }

    private let handle: OpaquePointer

    /// Opens a file in memory, which must outlive this.
    ///
    /// - Throws: ``DocumentFault``.
    package convenience init(_ bytes: UnsafeRawBufferPointer) throws(DocumentFault) {
        let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        guard let base else { throw .damaged("it is empty") }
        let source = kf_video_source(
            bytes: base,
            descriptor: -1,
            size: Int64(bytes.count),
            ranges: nil,
            range_count: 0
        )
        try self.init(source, VideoContainer(bytes))
    }

    /// Opens a file by its descriptor, which must stay open and is mapped in parts.
    ///
    /// - Parameters:
    ///   - descriptor: Open for reading.
    ///   - byteCount: The size of the file.
    ///   - parts: The parts of the file that are there; nil for all of it.
    ///   - head: The first bytes of the file.
    /// - Throws: ``DocumentFault``; ``DocumentFault/missing(offset:)`` for a byte outside the parts,
    ///   also later. After that no frame is decoded.
    package convenience init(
        descriptor: Int32,
        byteCount: Int,
        parts: [Range<Int>]? = nil,
        head: UnsafeRawBufferPointer
    ) throws(DocumentFault) {
        let ranges = (parts ?? []).map {
            kf_video_range(start: Int64($0.lowerBound), end: Int64($0.upperBound))
        }
        // An array does not pass typed errors on.
        let opened = ranges.withUnsafeBufferPointer { ranges in
            Result { () throws(DocumentFault) in
                let source = kf_video_source(
                    bytes: nil,
                    descriptor: descriptor,
                    size: Int64(byteCount),
                    ranges: parts == nil ? nil : ranges.baseAddress,
                    range_count: ranges.count
                )
                return try Self.open(source, VideoContainer(head))
            }
        }
        self.init(try opened.get())
    }

    private convenience init(
        _ source: kf_video_source,
        _ container: VideoContainer?
    ) throws(DocumentFault) {
        self.init(try Self.open(source, container))
    }

    private init(_ handle: OpaquePointer) { self.handle = handle }

    private static func open(
        _ source: kf_video_source,
        _ container: VideoContainer?
    ) throws(DocumentFault) -> OpaquePointer {
        guard kf_video_load() != 0 else { throw fault(KF_VIDEO_NO_LIBRARY) }
        guard let container else { throw fault(KF_VIDEO_UNKNOWN) }
        var video: OpaquePointer?
        var missing: Int64 = -1
        let status = kf_video_open(source, container.rawValue, &video, &missing)
        guard status == KF_VIDEO_OK, let video else { throw fault(status, missing) }
        return video
    }

    deinit { kf_video_close(handle) }

    /// Loads the libraries: later, files may no longer be opened.
    package static func prepare() { _ = kf_video_load() }

    /// Whether a file begins like a video, or like a sound file that may have a cover image.
    ///
    /// - Parameter file: At least the first ``headByteCount`` bytes, or the whole file.
    /// - Returns: False for images.
    package static func isBeginning(of file: Data) -> Bool {
        file.withUnsafeBytes(FileFormat.detect) == nil
            && file.prefix(headByteCount).withUnsafeBytes { VideoContainer($0) } != nil
    }

    /// How many bytes show the container.
    package static let headByteCount = 1024

    package var facts: Facts {
        var info = kf_video_info()
        kf_video_read_info(handle, &info)
        let orientation = Self.orientation(info.orientation)
        let stored = Self.squared(info.width, info.height, info.pixel_ratio)
        return Facts(
            size: orientation.displaySize(of: stored),
            orientation: orientation,
            duration: info.duration >= 0 ? info.duration : nil,
            frameRate: info.frame_rate > 0 ? info.frame_rate : nil,
            hasVideo: info.has_video != 0,
            hasCover: info.has_cover != 0,
            codec: Self.text(info.codec),
            soundCodec: info.has_sound != 0 ? Self.text(info.sound_codec) : nil
        )
    }

    /// How often the place of decoding was changed.
    package var seekCount: Int { Int(kf_video_seek_count(handle)) }

    /// Decodes a frame.
    ///
    /// Goes on from the last frame where that is less work than seeking.
    ///
    /// - Parameters:
    ///   - seconds: From the beginning of the video.
    ///   - isKey: Whether the nearest key frame before the time is meant, rather than the frame that
    ///     is displayed then.
    ///   - box: The size into which the upright frame is shrunk; nil for its own.
    /// - Returns: The upright frame with square pixels in sRGB, and its own time.
    /// - Throws: ``DocumentFault``.
    package func frame(
        at seconds: Double,
        isKey: Bool,
        fitting box: PixelSize?
    ) throws(DocumentFault) -> (bitmap: Bitmap, time: Double) {
        var frame = kf_video_frame()
        try check(kf_video_seek(handle, seconds, isKey ? 1 : 0, &frame))
        return (try bitmap(frame, box), frame.time)
    }

    /// Decodes the cover image.
    ///
    /// - Throws: ``DocumentFault``.
    package func cover(fitting box: PixelSize?) throws(DocumentFault) -> Bitmap {
        var frame = kf_video_frame()
        try check(kf_video_cover(handle, &frame))
        return try bitmap(frame, box)
    }

    // MARK: Pixels

    private func bitmap(
        _ frame: kf_video_frame,
        _ box: PixelSize?
    ) throws(DocumentFault) -> Bitmap {
        let orientation = Self.orientation(frame.orientation)
        let size = try Self.size(of: frame, orientation, box)
        let profile = ColorProfile(
            primaries: Int(frame.primaries),
            transfer: Int(frame.transfer)
        )
        do throws(PixelError) {
            let stored =
                if let transform = profile?.makeTransform(isDeep: true) {
                    try converted(size, by: transform)
                } else {
                    try plain(size)
                }
            return try reorient(stored, orientation)
        } catch {
            if case .tooLarge = error { throw .tooLarge(size) }
            throw .outOfMemory
        }
    }

    /// The size of the stored frame with square pixels, shrunk to a box for the upright one.
    private static func size(
        of frame: kf_video_frame,
        _ orientation: Orientation,
        _ box: PixelSize?
    ) throws(DocumentFault) -> PixelSize {
        let own = squared(frame.width, frame.height, frame.pixel_ratio)
        let fitted = box.map { own.fitted(inside: orientation.displaySize(of: $0)) } ?? own
        let limits = DecodeLimits.default
        guard !fitted.isEmpty, fitted.longestSide <= limits.maxDimension,
            let count = fitted.pixelCount, count <= limits.maxPixelCount
        else { throw .tooLarge(fitted) }
        return fitted
    }

    private func plain(_ size: PixelSize) throws(PixelError) -> Bitmap {
        let (storage, bytesPerRow) = try scaled(size, isDeep: false)
        return Bitmap(size: size, bytesPerRow: bytesPerRow, isOpaque: true, storage: storage)
    }

    private func converted(
        _ size: PixelSize,
        by transform: ColorTransform
    ) throws(PixelError) -> Bitmap {
        let (deep, deepBytesPerRow) = try scaled(size, isDeep: true)
        return try Bitmap(
            size: size,
            isOpaque: true,
            filling: { pixels, bytesPerRow in
                for y in 0..<size.height {
                    let row = deep.base + y * deepBytesPerRow
                    DeepRow.finish(
                        row.assumingMemoryBound(to: UInt16.self),
                        to: pixels + y * bytesPerRow,
                        width: size.width,
                        .none,
                        transform
                    )
                }
            }
        )
    }

    private func scaled(
        _ size: PixelSize,
        isDeep: Bool
    ) throws(PixelError) -> (storage: PixelStorage, bytesPerRow: Int) {
        // The scaler writes whole vectors, also past the last pixel of a row.
        let bytesPerRow = (size.width * (isDeep ? 8 : 4) + 63) / 64 * 64
        let storage = try PixelStorage(byteCount: bytesPerRow * size.height + 64)
        let status = kf_video_pixels(
            handle,
            storage.base,
            bytesPerRow,
            Int32(size.width),
            Int32(size.height),
            isDeep ? 1 : 0
        )
        // It knows every format of the codecs, so it lacks memory.
        guard status == KF_VIDEO_OK else { throw .outOfMemory(bytes: size.byteCount) }
        return (storage, bytesPerRow)
    }

    // MARK: Values

    /// The size with square pixels: the longer side of a pixel stays as it is.
    package static func squared(_ width: Int32, _ height: Int32, _ ratio: Double) -> PixelSize {
        // A ratio beyond the bounds is damaged, and 0 is not stated.
        let ratio = (1.0 / 32...32).contains(ratio) ? ratio : 1
        let (width, height) = (Double(max(0, width)), Double(max(0, height)))
        return PixelSize(
            width: Int((ratio > 1 ? width * ratio : width).rounded()),
            height: Int((ratio < 1 ? height / ratio : height).rounded())
        )
    }

    private static func orientation(_ number: Int32) -> Orientation {
        UInt8(exactly: number).flatMap(Orientation.init) ?? .up
    }

    /// The text of a C array that ends with zero.
    private static func text<Characters>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    private func check(_ status: kf_video_status) throws(DocumentFault) {
        guard status == KF_VIDEO_OK else {
            throw Self.fault(status, kf_video_missing(handle))
        }
    }

    private static func fault(
        _ status: kf_video_status,
        _ missing: Int64 = -1
    ) -> DocumentFault {
        switch status {
        case KF_VIDEO_MISSING: .missing(offset: Int(missing))
        case KF_VIDEO_NO_LIBRARY:
            .missingLibrary(
                "FFmpeg",
                package: "libavformat59 and libswscale6, libavformat60 and libswscale7, "
                    + "or libavformat61 and libswscale8"
            )
        case KF_VIDEO_UNKNOWN: .damaged("it is no video of a known kind, or a damaged one")
        case KF_VIDEO_NO_PICTURES: .damaged("it has no video and no cover of a known kind")
        case KF_VIDEO_NO_MEMORY: .outOfMemory
        default: .damaged("no frame can be decoded")
        }
    }
}
