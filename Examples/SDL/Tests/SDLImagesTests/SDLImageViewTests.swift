import CSDL2
import Foundation
import Kingfisher
import KingfisherTesting
import SDLImages
import Testing

/// Needs no display: SDL's dummy driver draws into memory.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(1)))
struct SDLImageViewTests {
    private let bench: ImageTestBench
    private let scene: SDLScene

    init() throws {
        setenv("SDL_VIDEODRIVER", "dummy", 1)
        bench = try ImageTestBench()
        scene = try #require(SDLScene(title: "Test", width: 100, height: 100))
    }

    private var options: KingfisherOptionsInfo {
        [.downloader(bench.downloader), .targetCache(bench.cache)]
    }

    private func url(_ name: String) throws -> URL {
        try #require(URL(string: "https://example.test/\(name)"))
    }

    private func serve(_ name: String, _ color: KFCrossPlatformColor) throws -> URL {
        let url = try url(name)
        bench.transport.answer(url, with: .picture(.solid(color, width: 400, height: 300)))
        return url
    }

    /// Draws the frames after which loads start.
    private func draw() { for _ in 0..<4 { scene.drawFrame() } }

    /// The colour in the middle of a place: red, green and blue.
    private func color(x: Int32, y: Int32) -> [UInt8] {
        draw()
        var (pixel, place) = ([UInt8](repeating: 0, count: 4), SDL_Rect(x: x, y: y, w: 1, h: 1))
        SDL_RenderReadPixels(scene.renderer, &place, SDL_PIXELFORMAT_RGBA32.rawValue, &pixel, 4)
        return Array(pixel[0..<3])
    }

    @Test func `an image is decoded to the size of the view, and drawn`() async throws {
        let view = SDLImageView(in: scene)
        view.frame = SDL_Rect(x: 10, y: 10, w: 40, h: 40)
        view.kf.setImage(with: try serve("a.png", .red), options: options)
        #expect(bench.transport.requests.isEmpty)
        draw()
        await view.kf.waitUntilLoaded()
        #expect(view.shownImage?.pixelHeight == 40)
        #expect(color(x: 30, y: 30) == [255, 0, 0])
        #expect(color(x: 60, y: 60) == [32, 32, 32])
    }

    @Test func `a view out of the window loads nothing until it is moved in`() async throws {
        let view = SDLImageView(in: scene)
        view.frame = SDL_Rect(x: 0, y: 200, w: 40, h: 40)
        view.kf.setImage(with: try serve("a.png", .red), options: options)
        draw()
        #expect(bench.transport.requests.isEmpty)
        view.frame.y = 0
        draw()
        await view.kf.waitUntilLoaded()
        #expect(color(x: 20, y: 20) == [255, 0, 0])
        view.frame.y = 200
        draw()
        #expect(view.shownImage == nil)
        // From memory, in the first frame.
        view.frame.y = 0
        scene.drawFrame()
        #expect(view.shownImage != nil)
    }

    @Test func `a cell that leaves the window cancels its load, and shows its next item`()
        async throws
    {
        let urls = [try url("slow.png"), try serve("quick.png", .green)]
        let grid = ImageGrid(in: scene, columns: 1, side: 100, urls: urls, options: options)
        var ends: [Int: Result<RetrieveImageResult, KingfisherError>] = [:]
        grid.onEnd = { ends[$0] = $1 }
        draw()
        await bench.transport.started(1)
        let cell = try #require(grid.cells[0])
        grid.scrollPosition = 100
        #expect(grid.cells[1] === cell)
        draw()
        await cell.kf.waitUntilLoaded()
        #expect(try bench.transport.transfer(0).isCancelled)
        let error = #expect(throws: KingfisherError.self) { try ends[0]?.get() }
        #expect(error?.isTaskCancelled == true)
        #expect(color(x: 50, y: 50) == [0, 255, 0])
    }

    @Test func `the late image of a former item is never shown`() async throws {
        let view = SDLImageView(in: scene)
        view.frame = SDL_Rect(x: 0, y: 0, w: 40, h: 40)
        let (ends, late) = AsyncStream.makeStream(of: Void.self)
        var error: KingfisherError?
        view.kf.setImage(with: try url("slow.png"), options: options) {
            if case .failure(let failure) = $0 { error = failure }
            late.finish()
        }
        draw()
        await bench.transport.started(1)
        view.kf.setImage(with: try serve("quick.png", .green), options: options)
        draw()
        await view.kf.waitUntilLoaded()
        let picture = ScriptedPicture.solid(.red, width: 40, height: 40)
        try bench.transport.transfer(0).complete(picture.data())
        for await _ in ends {}
        #expect(error?.isNotCurrentTask == true)
        #expect(color(x: 20, y: 20) == [0, 255, 0])
    }

    @Test func `a cell without an item shows nothing`() async throws {
        let view = SDLImageView(in: scene)
        view.frame = SDL_Rect(x: 0, y: 0, w: 40, h: 40)
        view.kf.setImage(with: try serve("a.png", .red), options: options)
        draw()
        await view.kf.waitUntilLoaded()
        #expect(color(x: 20, y: 20) == [255, 0, 0])
        view.loader.clear()
        #expect(color(x: 20, y: 20) == [32, 32, 32])
    }

    @Test func `a released view cancels its load`() async throws {
        var view: SDLImageView? = SDLImageView(in: scene)
        view?.frame = SDL_Rect(x: 0, y: 0, w: 40, h: 40)
        let url = try url("slow.png")
        let result = await withCheckedContinuation { continuation in
            view?.kf.setImage(with: url, options: options) { continuation.resume(returning: $0) }
            draw()
            view = nil
        }
        let error = #expect(throws: KingfisherError.self) { try result.get() }
        #expect(error?.isCancellation == true)
    }
}
