import Foundation
import Kingfisher
import Testing

@testable import KingfisherServer

/// Filters, watermarks, animations and trimming.
struct RenderingEffectTests {
    private let bench: RenderBench

    init() throws { bench = try RenderBench() }

    @Test("Each filter changes the image, and keeps its size")
    func filters() async throws {
        let source = try #require(TestPicture.photo(64, 48).pngData())
        let plain = try await bench.render(source) { _ in }
        let changes: [(String, (inout ProcessingOptions) -> Void)] = [
            ("blur", { $0.blur = 3 }), ("sharpen", { $0.sharpen = 2 }),
            ("pixelate", { $0.pixelate = 8 }), ("brightness", { $0.brightness = 40 }),
            ("contrast", { $0.contrast = 1.5 }), ("saturation", { $0.saturation = 0 }),
            ("monochrome", { $0.monochromeIntensity = 1 }), ("round", { $0.cornerRadius = 12 }),
        ]
        for (name, change) in changes {
            let changed = try await bench.render(source, change)
            #expect(changed.size == [64, 48], "\(name)")
            #expect(changed.result.data != plain.result.data, "\(name)")
        }
        let darker = try await bench.render(source) { $0.brightness = -255 }
        #expect(darker.pixel(10, 10) == [0, 0, 0, 255])
        let squares = try await bench.render(source) { $0.pixelate = 8 }
        #expect(squares.pixel(8, 8) == squares.pixel(15, 15))
        #expect(squares.pixel(7, 8) != squares.pixel(8, 8))
        let blue = try await bench.render(source) {
            $0.monochromeIntensity = 1
            $0.monochromeColour = .init(red: 0, green: 0, blue: 255)
        }
        #expect(blue.pixel(20, 20)[..<2] == [0, 0])
        #expect(blue.pixel(20, 20)[2] > 0)
    }

    @Test("Extreme values of filters do not trap")
    func extremes() async throws {
        let source = try TestPicture.quartersPNG(20, 10)
        for value in [Double.infinity, 1e300, -1e300, .nan] {
            _ = try await bench.render(source) {
                ($0.blur, $0.sharpen, $0.brightness) = (value, value, value)
                ($0.contrast, $0.saturation, $0.monochromeIntensity) = (value, value, value)
                $0.pixelate = .max
                $0.cornerRadius = value
            }
        }
    }

    @Test(
        "A watermark stands at its position with its offset",
        arguments: [
            ("nowe", 0.05, 0.05), ("no", 0.5, 0.05), ("noea", 0.95, 0.05), ("we", 0.05, 0.5),
            ("ce", 0.5, 0.5), ("ea", 0.95, 0.5), ("sowe", 0.05, 0.95), ("so", 0.5, 0.95),
            ("soea", 0.95, 0.95),
        ]
    )
    func watermark(position: String, x: Double, y: Double) async throws {
        let source = try TestPicture.quartersPNG(100, 100)
        let mark = try #require(TestPicture.image(10, 10) { _, _ in [0, 0, 0, 255] }.pngData())
        var watermark = ProcessingOptions.Watermark(opacity: 1)
        watermark.position = .at(.init(rawValue: position) ?? .centre)
        let result = try await bench.render(source, watermark: mark) { $0.watermark = watermark }
        #expect(result.colour(x, y) == "k")
        #expect((0..<100).filter { result.pixel($0, Int(y * 100)) == [0, 0, 0, 255] }.count == 10)
        (watermark.x, watermark.y, watermark.scale) = (200, -0.9, 0.5)
        _ = try await bench.render(source, watermark: mark) { $0.watermark = watermark }
    }

    @Test("A watermark is scaled, tiled and translucent as asked")
    func watermarkVariants() async throws {
        let source = try TestPicture.quartersPNG(100, 50)
        let mark = try #require(TestPicture.image(10, 10) { _, _ in [0, 0, 0, 255] }.pngData())
        var watermark = ProcessingOptions.Watermark(opacity: 1)
        watermark.scale = 0.4
        let scaled = try await bench.render(source, watermark: mark) { $0.watermark = watermark }
        #expect((0..<100).filter { scaled.pixel($0, 25) == [0, 0, 0, 255] }.count == 20)
        watermark.scale = 0
        watermark.position = .tiled
        (watermark.x, watermark.y) = (10, 10)
        let tiled = try await bench.render(source, watermark: mark) { $0.watermark = watermark }
        #expect((0..<100).filter { tiled.pixel($0, 25) == [0, 0, 0, 255] }.count == 50)
        #expect(tiled.colour(0.5, 0.5) == "k")
        watermark = .init(opacity: 0.5)
        let half = try await bench.render(source, watermark: mark) { $0.watermark = watermark }
        let grey = half.pixel(52, 27)
        #expect(abs(grey[0] - 128) < 3 && grey[3] == 255)
        let none = try await bench.failure(source) { $0.watermark = watermark }
        #expect(none.status == 422)
        var settings = RendererSettings()
        (settings.watermark, settings.watermarkOpacity) = (mark, 0.5)
        let configured = try RenderBench(settings)
        for _ in 0..<2 {
            let quarter = try await configured.render(source) { $0.watermark = watermark }
            #expect(abs(quarter.pixel(52, 27)[0] - 191) < 3)
        }
    }

    @Test("Files and watermarks with equal names are not confused, also at the same time")
    func equalNames() async throws {
        let colours: [(UInt8, String)] = [(0, "k"), (255, "w")]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for round in 0..<40 {
                let (shade, name) = colours[round % 2]
                group.addTask {
                    let source = TestPicture.image(64, 64) { _, _ in [shade, shade, shade, 255] }
                    let mark = TestPicture.image(8, 8) { _, _ in [255 - shade, 0, 0, 255] }
                    let result = try await bench.render(
                        try #require(source.pngData()),
                        watermark: mark.pngData()
                    ) { $0.watermark = .init(opacity: 1) }
                    #expect(result.colour(0.1, 0.1) == name)
                    #expect(result.colour(0.5, 0.5) == (name == "k" ? "r" : "k"))
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("Trimming removes the border before other steps")
    func trim() async throws {
        let file = try #require(
            TestPicture.image(60, 40) { x, y in
                (10..<30).contains(x) && (5..<25).contains(y)
                    ? [255, 0, 0, 255]
                    : [250, 250, 250, 255]
            }.pngData()
        )
        let trimmed = try await bench.render(file) { $0.trim = .init(threshold: 10) }
        #expect(trimmed.size == [20, 20])
        #expect(trimmed.quarters == "rrrr")
        let white = try await bench.render(file) {
            $0.trim = .init(threshold: 10)
            $0.trim?.colour = .init(red: 255, green: 255, blue: 255)
            $0.trim?.equalHorizontally = true
            $0.trim?.equalVertically = true
        }
        #expect(white.size == [40, 30])
        let small = try await bench.render(file) {
            $0.trim = .init(threshold: 10)
            ($0.width, $0.rotation) = (10, 90)
        }
        #expect(small.size == [10, 10])
        let other = try await bench.render(file) {
            $0.trim = .init(threshold: 10)
            $0.trim?.colour = .init(red: 0, green: 0, blue: 255)
        }
        #expect(other.size == [60, 40])
    }

    @Test("Trimming treats transparent pixels as magenta, whatever colour they hide")
    func trimTransparent() async throws {
        let file = try #require(
            TestPicture.image(60, 40) { x, y in
                if (10..<30).contains(x) && (5..<25).contains(y) { return [255, 0, 0, 255] }
                return x < 5 ? [255, 0, 255, 255] : [0, 0, 0, 0]
            }.pngData()
        )
        for colour in [nil, ProcessingOptions.Colour(red: 255, green: 0, blue: 255)] {
            let trimmed = try await bench.render(file) {
                $0.trim = .init(threshold: 10)
                $0.trim?.colour = colour
            }
            #expect(trimmed.size == [20, 20])
        }
    }

    @Test("An animated GIF becomes an animated WebP of all frames, or a still")
    func animation() async throws {
        var settings = RendererSettings()
        settings.limits.animationFrames = 10
        let animated = try RenderBench(settings)
        let gif = try TestAnimation.gif(frames: 4)
        let webp = try await animated.render(gif, as: .webp) { $0.width = 20 }
        let info = try ImageFileInfo(data: webp.result.data)
        #expect(info.frameCount == 4)
        #expect(webp.size == [20, 10])
        let still = try await animated.render(gif, as: .png) { $0.width = 20 }
        #expect(try ImageFileInfo(data: still.result.data).frameCount == 1)
        let first = try await bench.render(gif, as: .webp) { $0.width = 20 }
        #expect(try ImageFileInfo(data: first.result.data).frameCount == 1)
        let same = try await animated.render(gif, as: .gif) { $0.width = 20 }
        #expect(try ImageFileInfo(data: same.result.data).frameCount == 4)
        settings.limits.animationFrames = 3
        let cut = try await RenderBench(settings).render(gif, as: .webp) { $0.width = 20 }
        #expect(try ImageFileInfo(data: cut.result.data).frameCount == 3)
        let one = try await bench.render(gif, as: .gif) { $0.width = 20 }
        #expect(try ImageFileInfo(data: one.result.data).frameCount == 1)
    }

    @Test("All frames of an animation are cropped at the same place, and none is trimmed")
    func animatedCrop() async throws {
        var settings = RendererSettings()
        settings.limits.animationFrames = 10
        let animated = try RenderBench(settings)
        let gif = try TestAnimation.gif(frames: 4)
        let result = try await animated.render(gif, as: .gif) {
            ($0.width, $0.height, $0.resizingType, $0.gravity) = (20, 20, .fill, .smart)
        }
        let image = KingfisherWrapper<KFCrossPlatformImage>
            .image(data: result.result.data, options: ImageCreatingOptions())
        let frames = try #require(image?.kf.frameSource)
        // The border of red and blue, which draws attention, is at the left edge of the first frame
        // and at the right edge of the third one; a smart place would show both colours.
        #expect((0..<20).allSatisfy { frames.frame(at: 0)?.pixel($0, 10)[2] == 255 })
        #expect((0..<20).allSatisfy { frames.frame(at: 2)?.pixel($0, 10)[0] == 255 })
        let trimmed = try await animated.failure(gif, as: .gif) { $0.trim = .init(threshold: 1) }
        #expect(trimmed.status == 422)
        let still = try await animated.render(gif, as: .png) { $0.trim = .init(threshold: 1) }
        #expect(still.size == [30, 20])
    }
}

enum TestAnimation {
    static func gif(frames: Int) throws -> Data { try file(frames, .GIF) }

    static func webP(frames: Int) throws -> Data { try file(frames, .WebP) }

    private static func file(_ frames: Int, _ format: ImageFormat) throws -> Data {
        let source = TestFrames(frameCount: frames)
        let image = try #require(
            KingfisherWrapper.animatedImage(source: source, options: ImageCreatingOptions())
        )
        return try #require(image.kf.animationRepresentation(format: format))
    }
}

private struct TestFrames: ImageFrameSource {
    let frameCount: Int
    var data: Data? { nil }

    func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage? {
        TestPicture.image(40, 20) { x, _ in
            x < 40 * (index + 1) / frameCount ? [255, 0, 0, 255] : [0, 0, 255, 255]
        }
    }

    func duration(at index: Int) -> TimeInterval { 0.1 }
}
