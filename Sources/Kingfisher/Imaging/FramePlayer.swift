import Dispatch
package import Foundation
import Synchronization

/// Plays the frames of an animation; it knows no view and no clock of its own.
///
/// Whoever shows the frames tells how much time has passed, and is told what happened. Frames are
/// decoded ahead, one after another, away from the caller; a frame that is not decoded when its
/// turn comes is nil until it is. At most `preloadCount` + 1 frames are kept, unless the animation
/// has few enough to keep them all.
package final class FramePlayer: Sendable {
    /// What a tick brought about, in order.
    package enum Event: Equatable, Sendable {
        /// Another frame is the current one.
        case frameChanged
        /// A round is over; so many were played.
        case loopEnded(UInt)
        /// The last round is over, and nothing moves any more.
        case finished
    }

    private struct State {
        var frames: [Int: KFCrossPlatformImage] = [:]
        /// Frames that a decode is queued for.
        var ordered: Set<Int> = []
        var index = 0
        var elapsed: TimeInterval = 0
        var loops: UInt = 0
        var isFinished = false
        /// Counts purges, so that a frame ordered before one is not kept after it.
        var generation = 0
    }

    /// The longest time that one tick counts for, in seconds; a display that was asleep does not
    /// make the animation run to catch up.
    private static let longestTick: TimeInterval = 1

    private let state = Mutex(State())
    private let source: any ImageFrameSource
    private let durations: [TimeInterval]
    private let maxSize: CGSize?
    private let maxLoops: UInt?
    private let decode: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// How many frames are decoded ahead of the current one.
    package let preloadCount: Int

    /// Makes a player that stands at the first frame; nothing is decoded yet.
    ///
    /// - Parameters:
    ///   - source: The frames; a copy of it is read, one frame at a time.
    ///   - preloadCount: How many frames are decoded ahead, at least 0.
    ///   - maxSize: A box in pixels that frames are decoded to fit in; nil for their full size.
    ///   - maxLoops: How many rounds are played; nil for ever.
    ///   - playing: A player of the same frames, to go on from where it is; nil begins.
    ///   - decode: Runs decoding work, one piece after another; nil for a queue of its own.
    package init(
        source: any ImageFrameSource,
        preloadCount: Int = 10,
        maxSize: CGSize? = nil,
        maxLoops: UInt? = nil,
        continuing playing: FramePlayer? = nil,
        decode: (@Sendable (@escaping @Sendable () -> Void) -> Void)? = nil
    ) {
        self.source = source.copy()
        self.preloadCount = max(0, preloadCount)
        self.maxSize = maxSize
        self.maxLoops = maxLoops
        durations = (0..<max(0, source.frameCount)).map { source.duration(at: $0) }
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
        if let decode {
            self.decode = decode
        } else {
            let queue = DispatchQueue(label: "com.onevcat.Kingfisher.frames")
            self.decode = { queue.async(execute: $0) }
        }
    }

    // MARK: What is to be seen

    /// How many frames there are.
    package var frameCount: Int { durations.count }

    /// Seconds that one round takes, each frame counted with one second at most.
    package var loopDuration: TimeInterval {
        durations.reduce(0) { $0 + min($1, Self.longestTick) }
    }

    /// The index of the current frame.
    package var currentIndex: Int { state.withLock { $0.index } }

    /// The current frame; nil while it is not decoded.
    package var currentFrame: KFCrossPlatformImage? { state.withLock { $0.frames[$0.index] } }

    /// Whether the last round is over.
    package var isFinished: Bool { state.withLock { $0.isFinished } }

    /// The number of decoded frames.
    package var decodedCount: Int { state.withLock { $0.frames.count } }

    /// A frame, if it is decoded.
    package func frame(at index: Int) -> KFCrossPlatformImage? {
        state.withLock { $0.frames[index] }
    }

    /// Seconds that a frame is shown; infinite for an index out of range.
    package func duration(at index: Int) -> TimeInterval {
        durations.indices.contains(index) ? durations[index] : .infinity
    }

    // MARK: Playing

    /// Starts decoding the current frame, the first one at the beginning, and those after it.
    package func prepare() {
        guard frameCount > 0 else { return }
        orderAhead()
    }

    /// Moves the animation on, by one frame at most.
    ///
    /// - Parameter tick: Seconds since the last call, counted as one second at most.
    /// - Returns: What happened, in order.
    package func advance(by tick: TimeInterval) -> [Event] {
        guard frameCount > 1 else { return [] }
        let events = state.withLock { step(&$0, by: tick) }
        if events.contains(.frameChanged) { orderAhead() }
        return events
    }

    /// Throws decoded frames away; those that are needed are decoded again when it plays on.
    ///
    /// - Parameter keepsCurrent: Whether the current frame stays.
    package func purge(keepsCurrent: Bool) {
        state.withLock { state in
            let current = keepsCurrent ? state.frames[state.index] : nil
            state.frames = [:]
            state.frames[state.index] = current
            state.ordered = []
            state.generation += 1
        }
    }

    private func step(_ state: inout State, by tick: TimeInterval) -> [Event] {
        if state.isFinished { return [.finished] }
        state.elapsed += min(Self.longestTick, max(0, tick))
        guard state.elapsed >= durations[state.index] else { return [] }
        state.elapsed -= durations[state.index]
        let previous = state.index
        state.index = (previous + 1) % frameCount
        if !keepsAll { state.frames[previous] = nil }
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

    private var keepsAll: Bool { preloadCount >= frameCount - 1 }

    private func orderAhead() {
        let index = currentIndex
        order(index...index + (keepsAll ? frameCount - 1 : preloadCount))
    }

    /// Queues the decoding of frames that are neither there nor queued; indices wrap round.
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
            state.generation == generation && isNear(index, state.index)
        }
        let frame = isWanted ? source.frame(at: index, maxSize: maxSize) : nil
        state.withLock { state in
            guard state.generation == generation else { return }
            state.ordered.remove(index)
            // A frame that was passed by while it was decoded would stay for a whole round.
            if isNear(index, state.index) { state.frames[index] = frame }
        }
    }

    private func isNear(_ index: Int, _ current: Int) -> Bool {
        keepsAll || (index - current + frameCount) % frameCount <= preloadCount
    }
}
