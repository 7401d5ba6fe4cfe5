import Foundation
import Kingfisher
import Testing

@testable import KingfisherServer

/// Every option of the table changes the image, or is in another test.
@Suite(.timeLimit(.minutes(2)))
struct OptionEffectTests {
    /// An option that changes the result of `before`.
    struct Effect: Sendable, CustomTestStringConvertible {
        let before: String
        let option: String
        let format: OutputFormat

        init(_ option: String, after before: String = "", as format: OutputFormat = .png) {
            (self.option, self.before, self.format) = (option, before, format)
        }

        var testDescription: String { "\(before)/\(option)" }

        var name: String? {
            option.split(separator: ":").first.flatMap { URLOption.named(String($0))?.name }
        }
    }

    private static let effects = [
        Effect("rs:fill:20:20"), Effect("s:20:20"), Effect("rt:force", after: "s:20:20"),
        Effect("w:20"), Effect("h:20"), Effect("mw:40", after: "w:20"),
        Effect("mh:60", after: "h:20"), Effect("z:0.5"), Effect("dpr:2", after: "w:20"),
        Effect("el:1", after: "w:200"), Effect("ex:1", after: "s:20:20"),
        Effect("exar:1", after: "s:20:20"), Effect("g:so", after: "rs:fill:20:10"),
        Effect("c:20:20"), Effect("t:10"), Effect("pd:3"), Effect("ar:0"),
        Effect("rot:90"), Effect("fl:1"), Effect("rd:10"), Effect("bg:ff8000", after: "rd:10"),
        Effect("bl:2"), Effect("sh:1"), Effect("pix:8"), Effect("br:40"), Effect("co:1.5"),
        Effect("sa:0"), Effect("a:10:2:0"), Effect("mc:1"), Effect("gr:1"),
        Effect("ush:always:2:10", after: "w:20"), Effect("wm:1"), Effect("wms:4:4", after: "wm:1"),
        Effect("q:20", as: .jpeg), Effect("fq:jpeg:20", as: .jpeg), Effect("mb:700", as: .jpeg),
        Effect("aq:size:700:10:80", as: .jpeg), Effect("sm:0", as: .jpeg),
        Effect("jpgo:1", as: .jpeg), Effect("pngo:0:1:4"), Effect("webpo:lossless", as: .webp),
        Effect("avifo::lossless", as: .avif), Effect("jxlo::lossless", as: .jxl),
        Effect("da:1", as: .gif),
    ]

    /// Options whose effect needs more than the image of these tests.
    private static let elsewhere: [String: String] = [
        "watermark_url": "ImageRequestParsingTests", "watermark_text": "WatermarkTextTests",
        "format": "NegotiationTests", "skip_processing": "RenderingOutputTests",
        "raw": "RenderingOutputTests", "page": "DocumentTests",
        "video_thumbnail_second": "VideoTests", "keep_copyright": "KeptMetadataTests",
        "strip_color_profile": "KeptColoursTests", "cachebuster": "ImageRequestParsingTests",
    ]

    @Test func `every option that changes results has an effect here or in another test`() {
        let tested = Set(Self.effects.compactMap(\.name)).union(Self.elsewhere.keys)
        let names = URLOption.all.filter { $0.scope == .result }.map(\.name)
        #expect(tested == Set(names))
        let tests = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "..")
        let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
        let suites = (files?.allObjects ?? []).compactMap { ($0 as? URL)?.lastPathComponent }
        for suite in Self.elsewhere.values { #expect(suites.contains("\(suite).swift")) }
    }

    private func options(_ segments: [String]) throws -> ProcessingOptions {
        let path = (["/_"] + segments.filter { !$0.isEmpty } + ["plain/http://a/b"])
            .joined(separator: "/")
        var settings = GrammarSettings()
        settings.sources.allowsLocalFiles = true
        return try ImageRequest.parse(path, with: settings, now: .distantPast).options
    }

    /// A photo of 48 × 64 in a white frame, stored on its side.
    private static func photo() throws -> Data {
        let photo = TestPicture.photo(48, 64)
        let framed = TestPicture.image(48, 64) { x, y in
            let isInside = (4..<44).contains(x) && (4..<60).contains(y)
            return isInside ? photo.pixel(x, y).map { UInt8($0) } : [255, 255, 255, 255]
        }
        return try TestPicture.oriented(6, of: framed)
    }

    @Test func `an option that is no part of the key changes no result`() async throws {
        let bench = try RenderBench()
        func rendered(_ segments: [String]) async throws -> Data {
            let options = try options(segments)
            return try await bench.render(Self.photo(), as: .png) { $0 = options }.result.data
        }
        let plain = try await rendered([])
        var count = 0
        for example in OptionExamples.all {
            let name = String(example.segment.prefix { $0 != ":" })
            guard URLOption.named(name)?.scope == .delivery else { continue }
            #expect(try await rendered([example.segment]) == plain, "\(example.segment)")
            count += 1
        }
        #expect(count > 3)
    }

    @Test(arguments: effects.filter(\.format.isWritable))
    func `an option changes the result`(_ effect: Effect) async throws {
        var settings = RendererSettings()
        settings.limits.animationFrames = 10
        let bench = try RenderBench(settings)
        let source = try effect.format == .gif ? TestAnimation.gif(frames: 4) : Self.photo()
        let mark = TestPicture.image(10, 10) { _, _ in [0, 0, 0, 255] }.pngData()
        func rendered(_ segments: [String]) async throws -> Data {
            let options = try options(segments)
            return try await bench.render(source, as: effect.format, watermark: mark) {
                $0 = options
            }.result.data
        }
        let (without, with) = ([effect.before], [effect.before, effect.option])
        let before = try await rendered(without)
        #expect(try await rendered(without) == before)
        #expect(try await rendered(with) != before)
        // One of them would be served for the other.
        #expect(try options(without).canonicalKey != options(with).canonicalKey)
    }
}
