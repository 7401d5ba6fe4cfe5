import Dispatch
import Foundation
import KFCodecs
import KFPixels
import Synchronization

/// A span of a video that becomes an animation.
struct VideoClip: Sendable, Hashable {
    /// In seconds from the beginning of the video.
    let start: TimeInterval
    let end: TimeInterval
    let framesPerSecond: Double
    let format: ImageFormat

    static let maxDuration: TimeInterval = 10
    /// 30 in each second of the longest clip.
    static let maxFrameCount = 300

    /// Decodes the frames one by one, and encodes them as an animation that repeats forever.
    ///
    /// - Parameters:
    ///   - film: The video.
    ///   - size: The size into which frames are shrunk; nil for their own.
    ///   - reading: Its workers.
    /// - Returns: The file.
    /// - Throws: ``DocumentError``; the errors of the video; `CancellationError`.
    func data(
        of film: FilmBytes,
        fitting size: PixelSize?,
        by reading: DocumentReading
    ) async throws -> Data {
        guard format.holdsAnimations, let fileFormat = format.fileFormat else {
            throw DocumentError.unusableClip(.stillFormat)
        }
        guard case .film(let facts) = try await film.answer(to: FilmRequest(.facts), by: reading)
        else { throw DocumentReading.invalid("it has no properties") }
        let count = try frameCount(of: facts, fitting: size)
        let frames = FramesAhead(count: count) { index in
            let time = start + Double(index) / framesPerSecond
            let request = FilmRequest(.exact(time), fitting: size)
            return try reading.bitmap(of: await film.answer(to: request, by: reading))
        }
        return try await withTaskCancellationHandler {
            try await ImageMaker.pool.run { try encoded(frames, as: fileFormat) }
        } onCancel: {
            frames.cancel()
        }
    }

    /// The number of frames within the limits.
    private func frameCount(
        of facts: VideoFile.Facts,
        fitting box: PixelSize?
    ) throws(DocumentError) -> Int {
        guard facts.hasVideo else { throw .unreadable("it has no video") }
        let length = end - start
        guard start >= 0, length > 0, length.isFinite, framesPerSecond > 0 else {
            throw .unusableClip(.empty)
        }
        // A time that was rounded down to milliseconds is inside.
        if let duration = facts.duration, end > duration + 0.001 {
            throw .unusableClip(.outside(duration: duration))
        }
        guard length <= Self.maxDuration else { throw .unusableClip(.tooLong) }
        // Not a rounding error more than a whole number.
        let count = (length * framesPerSecond - 1e-6).rounded(.up)
        guard count <= Double(Self.maxFrameCount) else { throw .unusableClip(.tooManyFrames) }
        let frame = box.map { facts.size.fitted(inside: $0) } ?? facts.size
        let bytes = frame.byteCount.multipliedReportingOverflow(by: max(1, Int(count)))
        guard !bytes.overflow, bytes.partialValue <= DecodeLimits.default.maxAnimationBytes else {
            throw .unusableClip(.tooManyPixels)
        }
        return max(1, Int(count))
    }

    private func encoded(_ frames: FramesAhead, as format: FileFormat) throws -> Data {
        let first = try frames.next()
        var failure: (any Error)?
        do throws(CodecError) {
            return try Codecs.encodeAnimation(
                of: first.size,
                frameCount: frames.count,
                loopCount: 0,
                as: format,
                isOpaque: true,
                options: EncodeOptions(
                    quality: 0.9,
                    // Less work than for a single image, because there are many.
                    effort: format == .webp ? 2 : nil,
                    isCancelled: { frames.isCancelled }
                )
            ) { index throws(CodecError) in
                let bitmap: Bitmap
                do {
                    bitmap = index == 0 ? first : try frames.next()
                } catch {
                    failure = error
                    throw .cancelled
                }
                return AnimationFrame(bitmap: bitmap, delay: 1 / framesPerSecond)
            }
        } catch {
            if let failure { throw failure }
            if frames.isCancelled { throw CancellationError() }
            throw DocumentError.unreadable("its frames become no animation, \(error)")
        }
    }
}

/// Frames for a thread that may block, each decoded while the one before it is encoded.
private final class FramesAhead: Sendable {
    private struct State {
        var index = 0
        var isCancelled = false
        var ahead: Task<Void, Never>?
        var decoded: Result<Bitmap, any Error>?
    }

    let count: Int
    private let state = Mutex(State())
    private let isDecoded = DispatchSemaphore(value: 0)
    private let decode: @Sendable (Int) async throws -> Bitmap

    init(count: Int, decode: @escaping @Sendable (Int) async throws -> Bitmap) {
        (self.count, self.decode) = (count, decode)
        begin()
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.ahead?.cancel()
        }
    }

    /// The next frame; called `count` times at most.
    func next() throws -> Bitmap {
        ImageMaker.pool.blocking { isDecoded.wait() }
        let decoded = state.withLock { state in
            state.index += 1
            return state.decoded
        }
        let bitmap = try decoded?.get()
        guard let bitmap, !isCancelled else { throw CancellationError() }
        begin()
        return bitmap
    }

    /// Starts decoding the next frame, if there is one.
    private func begin() {
        state.withLock { state in
            guard state.index < count else { return }
            let index = state.index
            state.ahead = Task { [self] in
                let decoded: Result<Bitmap, any Error>
                do {
                    decoded = .success(try await decode(index))
                } catch {
                    decoded = .failure(error)
                }
                self.state.withLock { $0.decoded = decoded }
                isDecoded.signal()
            }
            if state.isCancelled { state.ahead?.cancel() }
        }
    }
}
