import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Distinguishable frames, and a record of the decoded ones.
struct ScriptedFrames: ImageFrameSource {
    let durations: [TimeInterval]
    let frames: [KFCrossPlatformImage]
    let decoded = Locked<[Int]>([])
    let sizes = Locked<[CGSize?]>([])
    var data: Data? { nil }
    var frameCount: Int { durations.count }

    init(_ durations: [TimeInterval]) {
        self.durations = durations
        frames = durations.map { _ in KFCrossPlatformImage() }
    }

    func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage? {
        decoded.change { $0.append(index) }
        sizes.change { $0.append(maxSize) }
        return frames[index]
    }

    func duration(at index: Int) -> TimeInterval { durations[index] }
}

@Suite
struct FramePlayerTests {
    private func player(
        _ source: ScriptedFrames,
        preload: Int = 10,
        loops: UInt? = nil
    ) -> FramePlayer {
        FramePlayer(source: source, preloadCount: preload, maxLoops: loops, decode: { $0() })
    }

    @Test func `AIV-1: the first frames are decoded at once, all durations known`() {
        let source = ScriptedFrames([0.1, 0.2, 3, 0.1, 0.1])
        let player = player(source, preload: 2)
        player.prepare()
        #expect(source.decoded.value == [0, 1, 2])
        #expect(player.currentFrame === source.frames[0])
        #expect(player.duration(at: 2) == 3)
        #expect(player.duration(at: 5) == .infinity)
    }

    @Test func `AIV-2: the previous frame is dropped, the next ones are decoded`() {
        let source = ScriptedFrames([1, 1, 1, 1, 1])
        let player = player(source, preload: 2)
        player.prepare()
        #expect(player.advance(by: 1) == [.frameChanged])
        #expect(source.decoded.value == [0, 1, 2, 3])
        #expect(player.frame(at: 0) == nil)
        #expect(player.currentFrame === source.frames[1])
        for _ in 0..<100 {
            _ = player.advance(by: 1)
            #expect(player.decodedCount == 3)
            #expect(player.currentFrame === source.frames[player.currentIndex])
        }
    }

    @Test func `AIV-2: an animation that is all preloaded is decoded once`() {
        let source = ScriptedFrames([1, 1, 1])
        let player = player(source, preload: 2)
        player.prepare()
        for _ in 0..<10 { _ = player.advance(by: 1) }
        #expect(source.decoded.value == [0, 1, 2])
        #expect(player.decodedCount == 3)
    }

    @Test func `AIV-3: a tick counts for one second at most, and the rest is carried over`() {
        let player = player(ScriptedFrames([0.25, 0.25, 2, 0.25]))
        #expect(player.advance(by: 0.125) == [])
        #expect(player.advance(by: 0.25) == [.frameChanged])
        #expect(player.advance(by: 0.125) == [.frameChanged])
        #expect(player.advance(by: 60) == [])
        #expect(player.advance(by: 60) == [.frameChanged])
        #expect(player.currentIndex == 3)
    }

    @Test func `AIV-4: an endless animation reports a loop when it wraps`() {
        let player = player(ScriptedFrames([1, 1]))
        #expect(player.advance(by: 1) == [.frameChanged])
        #expect(player.advance(by: 1) == [.frameChanged, .loopEnded(1)])
        #expect(player.advance(by: 1) == [.frameChanged])
        #expect(player.advance(by: 1) == [.frameChanged, .loopEnded(2)])
        #expect(!player.isFinished)
    }

    @Test func `AIV-4: the last loop ends with its last frame, the end comes a tick later`() {
        let player = player(ScriptedFrames([1, 1]), loops: 2)
        #expect(player.advance(by: 1) == [.frameChanged])
        #expect(player.advance(by: 1) == [.frameChanged, .loopEnded(1)])
        #expect(player.advance(by: 1) == [.frameChanged, .loopEnded(2)])
        #expect(player.isFinished)
        #expect(player.advance(by: 0.01) == [.finished])
        #expect(player.currentIndex == 1)
    }

    @Test(arguments: [true, false])
    func `AIV-7: a purge keeps the current frame or none`(keepsCurrent: Bool) {
        let source = ScriptedFrames([1, 1, 1, 1])
        let player = player(source)
        player.prepare()
        player.purge(keepsCurrent: keepsCurrent)
        #expect(player.decodedCount == (keepsCurrent ? 1 : 0))
        _ = player.advance(by: 1)
        #expect(player.currentFrame === source.frames[1])
    }

    @Test func `a frame that was ordered before a purge is not kept after it`() {
        let source = ScriptedFrames([1, 1, 1, 1])
        let orders = Locked<[@Sendable () -> Void]>([])
        let player = FramePlayer(
            source: source,
            decode: { work in orders.change { $0.append(work) } }
        )
        player.prepare()
        player.purge(keepsCurrent: false)
        for order in orders.value { order() }
        #expect(player.decodedCount == 0)
        #expect(source.decoded.value.isEmpty)
    }

    @Test func `AIV-8: frames are decoded into the box`() {
        let source = ScriptedFrames([1, 1])
        let box = CGSize(width: 20, height: 10)
        let player = FramePlayer(source: source, maxSize: box, decode: { $0() })
        player.prepare()
        #expect(source.sizes.value == [box, box])
    }

    @Test(arguments: [0, 1])
    func `an animation of less than two frames stands still`(count: Int) {
        let player = player(ScriptedFrames(Array(repeating: 0, count: count)))
        player.prepare()
        #expect(player.advance(by: 5) == [])
        #expect(player.currentIndex == 0)
    }

    @Test func `frames of no duration move on with every tick`() {
        let player = player(ScriptedFrames([0, 0, 0]))
        #expect(player.advance(by: 0) == [.frameChanged])
        #expect(player.advance(by: 0) == [.frameChanged])
    }

    @Test(.timeLimit(.minutes(1)))
    func `a frame may use the player as it ends`() async {
        await #expect(processExitsWith: .success) {
            let ended = Locked(0)
            let frames = EndingFrames(ended)
            let player = FramePlayer(source: frames, preloadCount: 1, decode: { $0() })
            frames.player.change { $0 = player }
            player.prepare()
            _ = player.advance(by: 1)
            player.purge(keepsCurrent: false)
            // Two decodes of each frame: the second takes the place of the first.
            let late = Locked<[@Sendable () -> Void]>([])
            let slow = FramePlayer(source: frames, preloadCount: 1) { work in
                late.change { $0.append(work) }
            }
            frames.player.change { $0 = slow }
            slow.prepare()
            for work in late.value + late.value { work() }
            withExtendedLifetime((player, slow)) {
                precondition(ended.value == 5, "\(ended.value)")
                // The last frames end with their players.
                frames.player.change { $0 = nil }
            }
        }
    }
}

/// Makes frames that ask a player for its current frame as they end.
private struct EndingFrames: ImageFrameSource {
    private final class End: ImageFrameSource {
        let atEnd: @Sendable () -> Void
        init(_ atEnd: @escaping @Sendable () -> Void) { self.atEnd = atEnd }
        deinit { atEnd() }

        var data: Data? { nil }
        var frameCount: Int { 0 }
        func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage? { nil }
        func duration(at index: Int) -> TimeInterval { 0 }
    }

    let player = Locked<FramePlayer?>(nil)
    let ended: Locked<Int>
    var data: Data? { nil }
    var frameCount: Int { 5 }

    init(_ ended: Locked<Int>) { self.ended = ended }

    func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage? {
        var attached = AttachedState()
        attached.frameSource = End { [player, ended] in
            _ = player.value?.currentIndex
            ended.change { $0 += 1 }
        }
        return KFCrossPlatformImage(bitmap: nil, attached: attached)
    }

    func duration(at index: Int) -> TimeInterval { 1 }
}
