import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// A widget of no toolkit.
@MainActor
private final class Tile: ImageWidget, ImageDisplaying, KingfisherCompatible {
    private(set) lazy var loader = ViewLoader(self)
    var imageLoads: ImageLoads<KFCrossPlatformImage> { ImageLoads(loader) }
    var decodeBox: DecodeBox?
    var density = 1.0
    var isInSight = true
    var needsFrames = false
    /// Called when the result of a load has arrived, before its image is shown.
    var onArrival: (() -> Void)?
    private(set) var failures: [KingfisherError?] = []
    private(set) var shown: [KFCrossPlatformImage?] = []
    var shownImage: KFCrossPlatformImage? { shown.last ?? nil }

    init(side: CGFloat? = 32) { resize(side) }

    func resize(_ side: CGFloat?) {
        let size = side.map { CGSize(width: $0, height: $0) }
        decodeBox = size.map { DecodeBox(size: $0, covers: false) }
    }

    func showPlaceholder(_ content: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        shown.append(content)
    }

    func show(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        shown.append(image)
    }

    func loadDidEnd() { onArrival?() }

    func setNeedsFrames(_ needsFrames: Bool) { self.needsFrames = needsFrames }

    func failureDidChange(to error: KingfisherError?) { failures.append(error) }
}

/// Loads into widgets whose size and visibility a toolkit reports.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ViewLoaderTests {
    private let bench: TestBench
    private let tile = Tile()

    init() throws {
        bench = try TestBench()
    }

    private func load(_ url: URL, into tile: Tile? = nil) -> Pending {
        let pending = Pending()
        (tile ?? self.tile).kf.setImage(
            with: url,
            options: bench.viewOptions,
            completionHandler: pending.completion
        )
        return pending
    }

    @Test func `images are decoded to the size of the widget, and again when it has grown`()
        async throws
    {
        let url = bench.serveJPEG("/a.jpg", width: 400, height: 400)
        _ = try await load(url).image()
        #expect(tile.shownImage?.pixelWidth == 32)
        tile.loader.reloadIfNeeded()
        #expect(tile.kf.taskIdentifier == nil)
        tile.resize(64)
        tile.loader.reloadIfNeeded()
        await tile.kf.waitUntilLoaded()
        #expect(tile.shownImage?.pixelWidth == 64)
        tile.density = 2
        tile.loader.reloadIfNeeded()
        await tile.kf.waitUntilLoaded()
        #expect(tile.shownImage?.pixelWidth == 128)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `a load waits for the layout`() async throws {
        let tile = Tile(side: nil)
        tile.loader.loadStart = .whenVisible
        let pending = load(bench.serveJPEG("/a.jpg"), into: tile)
        tile.loader.startPending(hasWaited: false)
        #expect(bench.server.requests.isEmpty)
        #expect(tile.needsFrames)
        tile.resize(16)
        tile.loader.startPending(hasWaited: true)
        _ = try await pending.image()
        #expect(tile.shownImage?.pixelWidth == 16)
        #expect(!tile.needsFrames)
    }

    @Test func `an image off screen is released, and shown again from memory`() async throws {
        tile.loader.loadStart = .whenVisible
        let pending = load(bench.serveJPEG("/a.jpg"))
        tile.loader.startPending(hasWaited: true)
        _ = try await pending.image()
        tile.isInSight = false
        tile.loader.widgetDidDisappear()
        #expect(tile.shownImage == nil)
        tile.loader.startPending(hasWaited: true)
        #expect(tile.shownImage == nil)
        tile.isInSight = true
        tile.loader.startPending(hasWaited: false)
        #expect(tile.shownImage?.pixelWidth == 32)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `the late image of a cell with another item is never shown`() async throws {
        let gate = ServerGate()
        let slow = try #require(bench.serveHeld("/slow.jpg", gate: gate).url)
        let late = load(slow)
        let current = load(bench.serveJPEG("/b.jpg", width: 20, height: 20))
        _ = try await current.image()
        gate.open()
        #expect(try await late.error().isNotCurrentTask)
        #expect(tile.shown.compactMap { $0?.pixelWidth } == [20])
    }

    @Test(arguments: [LoadStart.immediately, .whenVisible])
    func `a cleared cell shows nothing, and its load is cancelled`(start: LoadStart) async throws {
        let gate = ServerGate()
        tile.loader.loadStart = start
        let pending = load(try #require(bench.serveHeld("/slow.jpg", gate: gate).url))
        tile.loader.clear()
        #expect(tile.kf.taskIdentifier == nil)
        #expect(tile.loader.isUnused)
        #expect(try await pending.error().isCancellation)
        gate.open()
        #expect(tile.shownImage == nil)
        #expect(tile.failures.isEmpty)
    }

    @Test func `a cleared cell does not show the image for failures`() async throws {
        let ended = Gate()
        tile.onArrival = { ended.open() }
        let slow = try #require(bench.serveHeld("/slow.jpg", gate: ServerGate()).url)
        let options = bench.viewOptions + [.onFailureImage(KFCrossPlatformImage())]
        tile.kf.setImage(with: slow, options: options)
        tile.loader.clear()
        await ended.wait()
        #expect(tile.shownImage == nil)
    }

    @Test func `an image that arrives when its cell is cleared is not shown`() async throws {
        tile.onArrival = { [tile] in tile.loader.clear() }
        let pending = load(bench.serveJPEG("/a.jpg"))
        #expect(try await pending.error().isCancellation)
        #expect(tile.shownImage == nil)
        #expect(tile.loader.isUnused)
    }

    @Test(arguments: [LoadStart.immediately, .whenVisible])
    func `a load that waits has a task, and is cancelled like one that runs`(
        start: LoadStart
    ) async throws {
        let tile = Tile(side: nil)
        tile.loader.loadStart = start
        let pending = Pending()
        let task = tile.kf.setImage(
            with: bench.server.url("/a.jpg"),
            options: bench.viewOptions,
            completionHandler: pending.completion
        )
        #expect(task?.isInitialized == true)
        task?.cancel()
        #expect(try await pending.error().isTaskCancelled)
        #expect(bench.server.requests.isEmpty)
    }

    @Test func `the size of the file is known for an image that is made of a cached one`()
        async throws
    {
        let url = bench.serveJPEG("/a.jpg", width: 400, height: 400)
        _ = try await load(url).image()
        let other = Tile(side: 64)
        other.loader.awaitsFileSize = true
        _ = try await load(url, into: other).image()
        #expect(other.shownImage?.pixelWidth == 64)
        #expect(other.loader.naturalSize == CGSize(width: 400, height: 400))
        #expect(bench.server.requests.count == 1)
    }

    @Test func `a failed load is repeated when its widget returns`() async throws {
        tile.loader.loadStart = .whenVisible
        let url = bench.server.url("/a.jpg")
        let pending = load(url)
        tile.loader.startPending(hasWaited: true)
        _ = try await pending.error()
        #expect(tile.failures.count == 1)
        _ = bench.serveJPEG("/a.jpg")
        tile.loader.widgetDidAppear()
        tile.loader.startPending(hasWaited: true)
        await tile.kf.waitUntilLoaded()
        #expect(tile.shownImage?.pixelWidth == 32)
        #expect(tile.failures.count == 2)
    }

    @Test func `a load for a widget that is gone fails`() async throws {
        var gone: Tile? = Tile()
        let loader = try #require(gone).loader
        gone = nil
        let pending = Pending()
        let task = loader.load(
            .network(bench.server.url("/a.jpg")),
            placeholder: nil,
            options: KingfisherParsedOptionsInfo(bench.viewOptions),
            by: bench.manager,
            completion: pending.completion
        )
        #expect(task == nil)
        #expect(try await pending.error().isCancellation)
    }
}
