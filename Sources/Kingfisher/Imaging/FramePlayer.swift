import Foundation
import KFPixels
import Synchronization

/// Plays the frames of an animation, independently of views and clocks.
///
/// The owner passes the elapsed time to ``advance(by:)`` and receives events. Frames are decoded
/// ahead of time, one after another, in a pool of threads that all players share. A frame that is
/// due but not yet decoded is nil. At most `preloadCount` + 1 frames are kept, unless all of them take
/// less memory than these and the decoder; the decoder's memory is released then. When the frames of
/// all players exceed their allowance, only the current frame and the next one are kept.
package final class FramePlayer: Sendable {
    /// The result of a tick.
    package enum Event: Equatable, Sendable {
        /// The current frame has changed.
        case frameChanged
        /// A loop has ended; the value is the number of completed loops.
        case loopEnded(UInt)
        /// The last loop has ended; the animation stands still.
        case finished
    }

    private struct State: Sendable {
        /// Released outside the lock: a frame may have a user's frame source.
        var frames: [Int: KFCrossPlatformImage] = [:]
        /// The bytes of a frame; 0 before the first one was decoded.
        var frameCost = 0
        /// The bytes that the allowance counts.
        var counted = 0
        /// Frames with a queued decode.
        var ordered: Set<Int> = []
        var index = 0
        var elapsed: TimeInterval = 0
        var loops: UInt = 0
        var isFinished = false
        /// Counts purges, so that a frame requested before a purge is discarded.
        var generation = 0
        /// Whether the source may hold memory for the next frame.
        var usesBuffers = false
    }

    /// The maximum time that one tick advances, in seconds.
    ///
    /// After a display was asleep, the animation does not rush to catch up.
    private static let longestTick: TimeInterval = 1

    private let state = Mutex(State())
    private let source: any ImageFrameSource
    /// The source, if it holds memory for the next frame.
    private let buffered: (any BufferedFrames)?
    /// The bytes that it holds at least.
    private let canvasBytes: Int
    private let durations: [TimeInterval]
    private let maxSize: CGSize?
    private let maxLoops: UInt?
    private let allowance: FrameAllowance
    private let decode: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// The number of frames decoded ahead of the current one.
    package let preloadCount: Int

    /// Makes a player at the first frame, without decoding anything.
    ///
    /// - Parameters:
    ///   - source: The frames; the player reads a copy of the source, one frame at a time.
    ///   - preloadCount: The number of frames to decode ahead, at least 0.
    ///   - maxSize: A box in pixels that the frames are scaled down to fit; nil for full size.
    ///   - maxLoops: The number of loops to play; nil plays without end.
    ///   - playing: A player of the same frames whose position is continued; nil starts at the
    ///     beginning.
    package convenience init(
        source: any ImageFrameSource,
        preloadCount: Int = 10,
        maxSize: CGSize? = nil,
        maxLoops: UInt? = nil,
        continuing playing: FramePlayer? = nil
    ) {
        self.init(
            source: source,
            preloadCount: preloadCount,
            maxSize: maxSize,
            maxLoops: maxLoops,
            continuing: playing,
            allowance: .shared,
            decode: FrameWork().submit
        )
    }

    /// Makes a player with an allowance of its own, whose decoding work `decode` runs serially.
    init(
        source: any ImageFrameSource,
        preloadCount: Int = 10,
        maxSize: CGSize? = nil,
        maxLoops: UInt? = nil,
        continuing playing: FramePlayer? = nil,
        allowance: FrameAllowance = FrameAllowance(limit: Int.max / 4),
        decode: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.allowance = allowance
        self.decode = decode
        self.source = source.copy()
        buffered = self.source as? any BufferedFrames
        canvasBytes = buffered?.bufferBytes ?? 0
        self.preloadCount = max(0, preloadCount)
        self.maxSize = maxSize
        self.maxLoops = maxLoops
        durations = (0..<max(0, source.frameCount)).map { source.duration(at: $0) }
        // An animation without loops does not start.
        state.withLock { $0.isFinished = maxLoops == 0 }
        if let playing, playing.frameCount == durations.count {
            let (index, loops, isFinished) = playing.state.withLock {
                ($0.index, $0.loops, $0.isFinished)
            }
            state.withLock {
                $0.index = index
                $0.loops = loops
                $0.isFinished = isFinished
            }
        }
    }

    deinit {
        allowance.add(-state.withLock { $0.counted })
        endUse(state.withLock { $0.usesBuffers })
    }

    // MARK: Frames

    /// The number of frames.
    package var frameCount: Int { durations.count }

    /// The index of the current frame.
    package var currentIndex: Int { state.withLock { $0.index } }

    /// The current frame; nil until it is decoded.
    package var currentFrame: KFCrossPlatformImage? { state.withLock { $0.frames[$0.index] } }

    /// Whether the last loop has ended.
    package var isFinished: Bool { state.withLock { $0.isFinished } }

    /// The number of decoded frames.
    package var decodedCount: Int { state.withLock { $0.frames.count } }

    /// Returns a frame if it is decoded.
    package func frame(at index: Int) -> KFCrossPlatformImage? {
        state.withLock { $0.frames[index] }
    }

    /// The duration of a frame in seconds; infinite for an index out of range.
    package func duration(at index: Int) -> TimeInterval {
        durations.indices.contains(index) ? durations[index] : .infinity
    }

    // MARK: Playing

    /// Starts decoding the current frame and the frames after it.
    package func prepare() {
        guard frameCount > 0 else { return }
        orderAhead()
    }

    /// Advances the animation, by one frame at most.
    ///
    /// - Parameter tick: The seconds since the previous call, limited to one second.
    /// - Returns: The events, in order.
    package func advance(by tick: TimeInterval) -> [Event] {
        guard frameCount > 1 else { return [] }
        var events: [Event] = []
        change { events = step(&$0, by: tick) }
        if events.contains(.frameChanged) { orderAhead() }
        return events
    }

    /// Releases decoded frames; they are decoded again when needed.
    ///
    /// - Parameter keepsCurrent: Whether the current frame is kept.
    package func purge(keepsCurrent: Bool) {
        var usedBuffers = false
        change { state in
            let current = keepsCurrent ? state.frames[state.index] : nil
            state.frames = [:]
            state.frames[state.index] = current
            state.ordered = []
            state.generation += 1
            usedBuffers = state.usesBuffers
            state.usesBuffers = false
        }
        endUse(usedBuffers)
    }

    /// Ends the use of the decoder's memory, after the frame that is being decoded.
    private func endUse(_ isUsing: Bool) {
        guard isUsing, let buffered else { return }
        decode { buffered.endUse() }
    }

    private func step(_ state: inout State, by tick: TimeInterval) -> [Event] {
        if state.isFinished { return [.finished] }
        state.elapsed += min(Self.longestTick, max(0, tick))
        guard state.elapsed >= durations[state.index] else { return [] }
        state.elapsed -= durations[state.index]
        let previous = state.index
        state.index = (previous + 1) % frameCount
        if !keepsAll(state) || isOverAllowance(state) { state.frames[previous] = nil }
        var events = [Event.frameChanged]
        if state.index == frameCount - 1 {
            state.loops += 1
            state.isFinished = maxLoops.map { state.loops >= $0 } ?? false
            if state.isFinished { events.append(.loopEnded(state.loops)) }
        } else if state.index == 0 {
            events.append(.loopEnded(state.loops))
        }
        return events
    }

    // MARK: Decoding

    /// Whether all frames take less memory than those in advance and a canvas to decode others.
    private func keepsAll(_ state: State) -> Bool {
        preloadCount >= frameCount - 1
            || areSmall(frameCount - 1 - preloadCount, state)
    }

    /// Whether all frames take less memory than two of them and a canvas.
    private func savesCanvas(_ state: State) -> Bool { areSmall(frameCount - 2, state) }

    private func areSmall(_ count: Int, _ state: State) -> Bool {
        state.frameCost > 0 && count * state.frameCost <= canvasBytes
    }

    private func isOverAllowance(_ state: State) -> Bool {
        savesCanvas(state) ? allowance.isExceeded : allowance.isHalfUsed
    }

    private func fits(_ state: State) -> Bool {
        allowance.fits(state.frameCost, isSaving: savesCanvas(state))
    }

    private func orderAhead() {
        let (index, fits, isComplete) = state.withLock {
            ($0.index, self.fits($0), $0.frames.count == frameCount)
        }
        guard !isComplete else { return }
        let ahead = min(preloadCount, frameCount - 1)
        order(index...index + (fits ? ahead : min(1, ahead)))
    }

    /// Queues the decoding of frames that are neither decoded nor queued; indices wrap around.
    private func order(_ indices: ClosedRange<Int>) {
        guard frameCount > 0 else { return }
        let (wanted, generation) = state.withLock { state -> ([Int], Int) in
            let wanted = indices.map { $0 % frameCount }
                .filter { state.frames[$0] == nil && state.ordered.insert($0).inserted }
            return (wanted, state.generation)
        }
        for index in wanted {
            decode { [weak self] in self?.load(index, generation: generation) }
        }
    }

    private func load(_ index: Int, generation: Int) {
        let isWanted = state.withLock { state in
            state.generation == generation && isNear(index, state)
                && (isNext(index, state.index) || fits(state))
        }
        if isWanted { beginUse() }
        let frame = isWanted ? source.frame(at: index, maxSize: maxSize) : nil
        var isComplete = false
        change { state in
            guard state.generation == generation else { return }
            state.ordered.remove(index)
            if let bitmap = frame?.bitmap { state.frameCost = bitmap.byteCount }
            // A frame that was skipped while it was decoded would otherwise be kept for a whole
            // loop.
            if isNear(index, state) { state.frames[index] = frame }
            isComplete = state.usesBuffers && state.frames.count == frameCount
            if isComplete { state.usesBuffers = false }
        }
        if isComplete {
            buffered?.endUse()
        } else if isWanted, allowance.isHalfUsed {
            buffered?.releaseBuffers(keepsCanvas: !allowance.isExceeded)
        }
    }

    private func beginUse() {
        guard let buffered else { return }
        let isFirst = state.withLock { state in
            defer { state.usesBuffers = true }
            return !state.usesBuffers
        }
        if isFirst { buffered.beginUse() }
    }

    /// Changes the state, and counts the frames that it keeps now.
    private func change(_ body: (inout State) -> Void) {
        state.change { state in
            body(&state)
            // One more for the copy that a toolkit paints.
            let copies = state.frames.isEmpty ? 0 : 1
            let bytes = (state.frames.count + copies) * state.frameCost
            allowance.add(bytes - state.counted)
            state.counted = bytes
        }
    }

    /// Whether a frame is the current one or the one after it, which are always kept.
    private func isNext(_ index: Int, _ current: Int) -> Bool {
        (index - current + frameCount) % frameCount <= 1
    }

    private func isNear(_ index: Int, _ state: State) -> Bool {
        keepsAll(state) || (index - state.index + frameCount) % frameCount <= preloadCount
    }
}
