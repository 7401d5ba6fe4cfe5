import Foundation
import Kingfisher
import KingfisherTesting
import Testing

@testable import KingfisherServer

/// Options of single formats.
struct CodecOptionTests {
    /// Red and blue columns, which fewer samples of colour mix.
    private static func columns() throws -> Data {
        let picture = TestPicture.image(64, 64) { x, _ in
            x % 2 == 0 ? [255, 0, 0, 255] : [0, 0, 255, 255]
        }
        return try #require(picture.pngData())
    }

    /// Whether neighbours are far apart.
    private static func keepsColumns(_ rendered: Rendered) -> Bool {
        rendered.pixel(30, 30)[0] - rendered.pixel(31, 30)[0] > 150
    }

    @Test("All samples of colour are kept where the URL or the configuration says so")
    func subsampling() async throws {
        let file = try Self.columns()
        var configuration = ServiceConfiguration()
        let bench = try RenderBench(configuration.rendererSettings(watermark: nil))
        configuration.processing.keepsChromaOfJPEG = true
        configuration.processing.subsamplingOfAVIF = .off
        let keeping = try RenderBench(configuration.rendererSettings(watermark: nil))
        for format in [OutputFormat.jpeg, .avif] where format.isWritable {
            let usual = try await bench.render(file, as: format) { _ in }
            #expect(!Self.keepsColumns(usual), "\(format)")
            let kept = try await bench.render(file, as: format) {
                $0.subsampling = [.jpeg: .off, .avif: .off]
            }
            #expect(Self.keepsColumns(kept), "\(format)")
            #expect(Self.keepsColumns(try await keeping.render(file, as: format) { _ in }))
            let auto = try await keeping.render(file, as: format) {
                $0.subsampling = [.jpeg: .auto, .avif: .auto]
            }
            #expect(!Self.keepsColumns(auto), "\(format)")
        }
    }

    @Test("A lossless WebP has the source's pixels and no quality, nearly lossless has one")
    func lossless() async throws {
        let picture = TestPicture.image(80, 80) { x, y in
            [UInt8(x * 3), UInt8(y * 3), UInt8((x * y) % 256), 255]
        }
        let file = try #require(picture.pngData())
        var configuration = ServiceConfiguration()
        configuration.processing.compressionOfWebP = .lossless
        let bench = try RenderBench(configuration.rendererSettings(watermark: nil))
        let exact = try await bench.render(file, as: .webp) { $0.maximalBytes = 10 }
        #expect(exact.result.quality == nil)
        for (x, y) in [(0, 0), (13, 21), (79, 79)] {
            #expect(exact.pixel(x, y) == picture.pixel(x, y))
        }
        let lossy = try await bench.render(file, as: .webp) { $0.compression = [.webp: .lossy] }
        #expect(lossy.result.quality == 79)
        #expect(lossy.result.data != exact.result.data)
        let near = try await bench.render(file, as: .webp) {
            ($0.compression, $0.quality) = ([.webp: .nearLossless], 60)
        }
        #expect(near.result.quality == 60)
        #expect(near.result.data.range(of: Data("VP8L".utf8)) != nil)
        #expect(near.result.data != exact.result.data)
        let other = try await bench.render(file, as: .jpeg) { $0.compression = [.webp: .lossless] }
        #expect(other.result.quality == 80)
    }

    @Test(arguments: [OutputFormat.avif, .jxl].filter(\.isWritable))
    func `a lossless AVIF or JPEG XL has the source's pixels and no quality`(
        format: OutputFormat
    ) async throws {
        let picture = TestPicture.image(80, 80) { x, y in
            [UInt8(x * 3), UInt8(y * 3), UInt8((x * y) % 256), 255]
        }
        let file = try #require(picture.pngData())
        var configuration = ServiceConfiguration()
        configuration.processing.isAVIFLossless = true
        configuration.processing.isJXLLossless = true
        let bench = try RenderBench(configuration.rendererSettings(watermark: nil))
        let exact = try await bench.render(file, as: format) { $0.maximalBytes = 10 }
        #expect(exact.result.quality == nil)
        for y in 0..<80 {
            for x in 0..<80 where exact.pixel(x, y) != picture.pixel(x, y) {
                Issue.record("another pixel at \(x), \(y)")
                return
            }
        }
        let lossy = try await bench.render(file, as: format) { $0.compression = [format: .lossy] }
        #expect(lossy.result.quality != nil)
        #expect(lossy.result.data.count < exact.result.data.count)
        let plain = try RenderBench(ServiceConfiguration().rendererSettings(watermark: nil))
        let asked = try await plain.render(file, as: format) {
            $0.compression = [format: .lossless]
        }
        #expect(asked.result.data == exact.result.data)
    }
}
