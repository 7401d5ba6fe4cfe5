import Foundation
import Synchronization
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

    // MARK: Memory

    private func player(_ source: BufferingFrames, _ allowance: FrameAllowance) -> FramePlayer {
        FramePlayer(source: source, preloadCount: 2, allowance: allowance, decode: { $0() })
    }

    @Test func `frames that take less than a canvas are all kept, and the canvas is released`() {
        let allowance = FrameAllowance(limit: 1 << 20)
        let source = BufferingFrames(count: 8, canvasFrames: 5, allowance)
        let player = player(source, allowance)
        player.prepare()
        #expect(source.holdsCanvas)
        for _ in 0..<20 { _ = player.advance(by: 1) }
        #expect(source.decoded == Array(0..<8))
        #expect(!source.holdsCanvas)
        // The frames, and the copy that is painted.
        #expect(allowance.usedBytes == 9 * BufferingFrames.frameBytes)
    }

    @Test func `frames that take more than a canvas are decoded again in each loop`() {
        let allowance = FrameAllowance(limit: 1 << 20)
        let source = BufferingFrames(count: 8, canvasFrames: 4, allowance)
        let player = player(source, allowance)
        player.prepare()
        for _ in 0..<8 { _ = player.advance(by: 1) }
        #expect(source.decoded == Array(0..<8) + [0, 1, 2])
        #expect(player.decodedCount == 3)
        #expect(allowance.usedBytes == (3 + 1 + 4) * BufferingFrames.frameBytes)
    }

    @Test func `over half of the allowance only two frames and the canvas are kept`() {
        let allowance = FrameAllowance(limit: 30 * BufferingFrames.frameBytes)
        allowance.add(15 * BufferingFrames.frameBytes)
        let source = BufferingFrames(count: 20, canvasFrames: 4, allowance)
        let player = player(source, allowance)
        player.prepare()
        for _ in 0..<40 {
            _ = player.advance(by: 1)
            #expect(player.decodedCount == 2)
            #expect(player.currentFrame != nil)
        }
        #expect(source.holdsCanvas)
        #expect(source.hasReleasedSpares)
    }

    @Test func `over the allowance the canvas is released after each frame`() {
        let allowance = FrameAllowance(limit: 30 * BufferingFrames.frameBytes)
        allowance.add(30 * BufferingFrames.frameBytes)
        let sources = [20, 4].map { BufferingFrames(count: $0, canvasFrames: 4, allowance) }
        for source in sources {
            let player = player(source, allowance)
            player.prepare()
            for _ in 0..<40 {
                _ = player.advance(by: 1)
                #expect(player.decodedCount == 2)
                #expect(player.currentFrame != nil)
                #expect(!source.holdsCanvas)
            }
        }
        #expect(allowance.usedBytes == 30 * BufferingFrames.frameBytes)
    }

    @Test func `a purge and the end of a player release the canvas, if no other player uses it`() {
        let allowance = FrameAllowance(limit: 1 << 20)
        let source = BufferingFrames(count: 20, canvasFrames: 4, allowance)
        var players = [player(source, allowance), player(source, allowance)]
        for player in players { player.prepare() }
        players[0].purge(keepsCurrent: true)
        #expect(source.holdsCanvas)
        players[1].purge(keepsCurrent: true)
        #expect(!source.holdsCanvas)
        players[0].prepare()
        #expect(source.holdsCanvas)
        players = []
        #expect(!source.holdsCanvas)
        #expect(allowance.usedBytes == 0)
    }

    @Test func `the memory of a real decoder counts while it is used`() throws {
        let allowance = FrameAllowance(limit: 64 << 20)
        let fixtures = try IsolatedDecodingTests.fixtures()
        let file = try #require(fixtures.first { $0.name == "animated.gif" }?.data)
        let source = try EncodedFrameSource(file, scale: 1, allowance: allowance)
        _ = source.frame(at: 0)
        #expect(allowance.usedBytes == 0)
        source.beginUse()
        _ = source.frame(at: 1)
        #expect(allowance.usedBytes >= source.bufferBytes)
        source.endUse()
        #expect(allowance.usedBytes == 0)
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

/// Frames of 64 bytes whose source holds a canvas.
private final class BufferingFrames: BufferedFrames {
    private struct State {
        var users = 0
        var holdsCanvas = false
        var hasReleasedSpares = false
        var decoded: [Int] = []
    }

    static let frameBytes = 64

    let frameCount: Int
    let bufferBytes: Int
    private let allowance: FrameAllowance
    private let state = Mutex(State())
    var data: Data? { nil }

    /// - Parameters:
    ///   - count: The number of frames.
    ///   - canvasFrames: The size of the canvas in frames.
    ///   - allowance: Counts the canvas.
    init(count: Int, canvasFrames: Int, _ allowance: FrameAllowance) {
        frameCount = count
        bufferBytes = canvasFrames * Self.frameBytes
        self.allowance = allowance
    }

    var holdsCanvas: Bool { state.withLock { $0.holdsCanvas } }
    var hasReleasedSpares: Bool { state.withLock { $0.hasReleasedSpares } }
    var decoded: [Int] { state.withLock { $0.decoded } }

    func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage? {
        state.withLock { $0.decoded.append(index) }
        setCanvas(isHeld: true)
        return KFCrossPlatformImage(
            premultipliedRGBA: Data(count: Self.frameBytes),
            width: 4,
            height: 4
        )
    }

    func duration(at index: Int) -> TimeInterval { 1 }

    func beginUse() { state.withLock { $0.users += 1 } }

    func endUse() {
        let isLast = state.withLock { state in
            state.users -= 1
            return state.users == 0
        }
        if isLast { setCanvas(isHeld: false) }
    }

    func releaseBuffers(keepsCanvas: Bool) {
        state.withLock { $0.hasReleasedSpares = true }
        if !keepsCanvas { setCanvas(isHeld: false) }
    }

    private func setCanvas(isHeld: Bool) {
        let wasHeld = state.withLock { state in
            defer { state.holdsCanvas = isHeld }
            return state.holdsCanvas
        }
        if isHeld != wasHeld { allowance.add(isHeld ? bufferBytes : -bufferBytes) }
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
