import Foundation
import Kingfisher
import KingfisherTesting
import Testing

@testable import KingfisherServer

/// Gradients, the size of watermarks, and the options of encoders.
struct OverlayTests {
    private static func flat(_ pixel: [UInt8], _ width: Int, _ height: Int) throws -> Data {
        try #require(TestPicture.image(width, height) { _, _ in pixel }.pngData())
    }

    private static func pixels(of rendered: Rendered) throws -> [UInt8] {
        let image = try #require(KFCrossPlatformImage(data: rendered.result.data))
        let (width, height) = (image.pixelWidth, image.pixelHeight)
        return image.withPremultipliedRGBA { pixels, stride in
            (0..<height).flatMap { y in (0..<(width * 4)).map { pixels[y * stride + $0] } }
        }
    }

    @Test("A gradient grows along its direction", arguments: [0.0, 90, 180, 270])
    func direction(degrees: Double) async throws {
        let file = try Self.flat([200, 200, 200, 255], 10, 10)
        let rendered = try await RenderBench().render(file) { options in
            options.gradient = .init(opacity: 1)
            options.gradient?.degrees = degrees
        }
        let pixels = try Self.pixels(of: rendered)
        func red(_ x: Int, _ y: Int) -> Int { Int(pixels[(y * 10 + x) * 4]) }
        let ends = [
            0: (red(5, 0), red(5, 9)), 90: (red(9, 5), red(0, 5)), 180: (red(5, 9), red(5, 0)),
            270: (red(0, 5), red(9, 5)),
        ]
        let (first, last) = try #require(ends[Int(degrees)])
        // The middles of the first and the last pixel are 5 % and 95 % of the way.
        #expect(abs(first - 190) <= 1 && abs(last - 10) <= 1)
        #expect(abs(red(4, 4) - 100) <= 21)
    }

    @Test("A gradient stops, has a colour and an opacity, and makes transparent pixels visible")
    func extent() async throws {
        let file = try Self.flat([0, 0, 0, 0], 4, 10)
        let rendered = try await RenderBench().render(file) { options in
            options.gradient = .init(opacity: 0.5)
            options.gradient?.colour = .init(red: 255, green: 0, blue: 0)
            options.gradient?.start = 0.5
            options.gradient?.end = 0.5
        }
        let pixels = try Self.pixels(of: rendered)
        #expect(pixels[..<(4 * 4 * 5)].allSatisfy { $0 == 0 })
        let last = pixels.suffix(4)
        #expect(Array(last) == [128, 0, 0, 128])
    }

    @Test(
        "A watermark fits its box",
        arguments: [((20, 0), (20, 10)), ((0, 20), (40, 20)), ((20, 20), (20, 10))]
    )
    func watermarkSize(box: (Int, Int), expected: (Int, Int)) throws {
        let mark = TestPicture.image(80, 40) { _, _ in [0, 0, 0, 255] }
        let placing = WatermarkPlacing(
            mark,
            .init(opacity: 1),
            in: box,
            on: Extent(width: 100, height: 100),
            dpr: 1
        )
        #expect(placing.size == Extent(width: expected.0, height: expected.1))
    }

    @Test("The options of encoders apply before those of the configuration")
    func encoders() async throws {
        // Noise, which has fewer bytes with fewer colours.
        let picture = TestPicture.image(64, 64) { x, y in
            let noise = UInt64(x * 64 + y + 1) &* 0x9E37_79B9_7F4A_7C15
            return [UInt8(noise >> 56), UInt8(noise >> 48 & 255), UInt8(noise >> 40 & 255), 255]
        }
        let (file, bench) = (try #require(picture.pngData()), try RenderBench())
        let progressive = try await bench.render(file, as: .jpeg) { $0.isProgressive = true }
        // The marker of a progressive frame, and that of a baseline one.
        #expect(progressive.result.data.range(of: Data([0xFF, 0xC2])) != nil)
        let baseline = try await bench.render(file, as: .jpeg) { $0.isProgressive = false }
        #expect(baseline.result.data.range(of: Data([0xFF, 0xC0])) != nil)
        let few = try await bench.render(file) { ($0.quantizes, $0.maximalColors) = (true, 4) }
        let pixels = try Self.pixels(of: few)
        let colours = Set(
            stride(from: 0, to: pixels.count, by: 4).map { Array(pixels[$0..<($0 + 4)]) }
        )
        #expect(colours.count <= 4)
        var settings = RendererSettings()
        settings.maxColorCount = 4
        let all = try await RenderBench(settings).render(file) { $0.quantizes = false }
        #expect(try Set(Self.pixels(of: all)).count > 16)
    }

    @Test("Effects that encoders do not have are refused", arguments: ["jpgo:::1", "pngo:1"])
    func unsupported(option: String) {
        let error = #expect(throws: ServiceError.self) {
            try ImageRequest.parse("/_/\(option)/plain/http://a/b", with: .init())
        }
        #expect(error?.status == 404)
    }

    @Test("The mask of the configuration sharpens, unless the URL says otherwise")
    func configuredMask() async throws {
        var configuration = ServiceConfiguration()
        configuration.processing.unsharpMode = .always
        let bench = try RenderBench(configuration.rendererSettings(watermark: nil))
        let file = try #require(
            TestPicture.image(40, 8) { x, _ in
                x < 20 ? [100, 100, 100, 255] : [150, 150, 150, 255]
            }.pngData()
        )
        let sharp = try await bench.render(file) { _ in }
        let plain = try await bench.render(file) { $0.unsharpMask = .init(mode: .none) }
        #expect(try Self.pixels(of: sharp)[19 * 4] < 100)
        #expect(try Self.pixels(of: plain)[19 * 4] == 100)
    }
}
