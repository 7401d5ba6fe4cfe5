import Foundation
import Kingfisher
import Testing

@testable import KingfisherServer

/// Colour profiles of sources in their results.
struct KeptColoursTests {
    private let bench: RenderBench

    init() throws { bench = try RenderBench() }

    /// A profile like that of sRGB, with another name and the colorants of green and blue swapped.
    static let profile: Data = {
        var bytes = ImageMetadata.sRGBProfile
        let changes = [("gXYZ", "tXYZ"), ("bXYZ", "gXYZ"), ("tXYZ", "bXYZ")]
            .map { (Data($0.0.utf8), Data($0.1.utf8)) }
        let names = [("sRGB", "Swap")].map { name in
            (wide(name.0), wide(name.1))
        }
        for (one, other) in changes + names {
            if let place = bytes.range(of: one) { bytes.replaceSubrange(place, with: other) }
        }
        return bytes
    }()

    private static func wide(_ text: String) -> Data {
        Data(text.utf16.flatMap { [0, UInt8(truncatingIfNeeded: $0)] })
    }

    /// Quarters whose green and blue mean each other.
    static func source(_ format: OutputFormat = .png) throws -> Data {
        let image = TestPicture.quarters(40, 20).kf.withColorProfile(profile)
        return try #require(image.encoded(as: format, quality: 95))
    }

    @Test("Colours are converted to sRGB", arguments: [OutputFormat.jpeg, .png, .webp, .avif])
    func converted(format: OutputFormat) async throws {
        let result = try await bench.render(Self.source(format), as: format) { _ in }
        #expect(result.quarters == "rbgw")
        #expect(try !ImageFileInfo(data: result.result.data).hasColorProfile)
    }

    @Test(
        "strip_color_profile:0 keeps the channels, and embeds the profile",
        arguments: [OutputFormat.jpeg, .png, .webp, .avif]
    )
    func kept(format: OutputFormat) async throws {
        let result = try await bench.render(Self.source(format), as: format) {
            ($0.stripColorProfile, $0.width) = (false, 20)
        }
        // Readers with colour management, as this test is one, see the same colours.
        #expect(result.quarters == "rbgw")
        #expect(try ImageFileInfo(data: result.result.data).hasColorProfile)
        if format != .png {
            #expect(result.result.data.range(of: Self.profile) != nil)
        }
        let item = ImageProcessItem.data(result.result.data)
        let image = ProfileKeepingProcessor()
            .process(item: item, options: KingfisherParsedOptionsInfo(nil))
        #expect(image?.kf.colorProfile == Self.profile)
        #expect(try #require(image).pixel(15, 2)[1] > 200)
    }

    @Test("Formats without profiles, and sources without one, are in sRGB")
    func without() async throws {
        let gif = try await bench.render(Self.source(), as: .gif) { $0.stripColorProfile = false }
        #expect(gif.quarters == "rbgw")
        let plain = try await bench.render(TestPicture.quartersPNG(40, 20), as: .jpeg) {
            $0.stripColorProfile = false
        }
        #expect(plain.quarters == "rgbw")
        #expect(try !ImageFileInfo(data: plain.result.data).hasColorProfile)
    }

    @Test("Every step of processing works in the profile's channels")
    func steps() async throws {
        for change: (inout ProcessingOptions) -> Void in [
            { $0.trim = .init(threshold: 1) }, { $0.rotation = 180 }, { $0.blur = 0.1 },
            { $0.crop = .init(width: 30, height: 16) }, { $0.monochromeIntensity = 0.01 },
            { $0.brightness = 1 }, { ($0.width, $0.height, $0.resizingType) = (20, 20, .fill) },
        ] {
            let result = try await bench.render(Self.source(), as: .webp) {
                change(&$0)
                $0.stripColorProfile = false
            }
            #expect(result.result.data.range(of: Self.profile) != nil)
            #expect(Set(result.quarters).isSubset(of: ["r", "g", "b", "w"]))
        }
    }

    @Test("Searches for a quality end with a file that has the profile")
    func searches() async throws {
        let photo = TestPicture.photo(160, 120)
        let profiled = photo.kf.withColorProfile(Self.profile)
        let source = try #require(profiled.encoded(as: .png, quality: 90))
        var wanted = ProcessingOptions.AutoQuality()
        (wanted.target, wanted.minimum, wanted.maximum) = (0.02, 10, 99)
        let plain = try await bench.render(#require(photo.pngData()), as: .jpeg) { [wanted] in
            $0.autoQuality = wanted
        }
        let result = try await bench.render(source, as: .jpeg) { [wanted] in
            ($0.autoQuality, $0.stripColorProfile) = (wanted, false)
        }
        #expect(result.result.quality == plain.result.quality)
        #expect(result.result.data.range(of: Self.profile) != nil)
        let small = try await bench.render(source, as: .jpeg) {
            ($0.maximalBytes, $0.stripColorProfile) = (5_000, false)
        }
        #expect(small.result.data.count <= 5_000)
        #expect(small.result.data.range(of: Self.profile) != nil)
    }

    @Test("The configuration sets the default")
    func defaults() async throws {
        var settings = RendererSettings()
        settings.stripsColorProfile = false
        let open = try RenderBench(settings)
        let kept = try await open.render(Self.source(), as: .jpeg) { _ in }
        #expect(try ImageFileInfo(data: kept.result.data).hasColorProfile)
        let converted = try await open.render(Self.source(), as: .jpeg) {
            $0.stripColorProfile = true
        }
        #expect(try !ImageFileInfo(data: converted.result.data).hasColorProfile)
        let environment = ["IMGPROXY_STRIP_COLOR_PROFILE": "false"]
        let configuration = try ServiceConfiguration(environment: environment)
        #expect(!configuration.rendererSettings(watermark: nil).stripsColorProfile)
        #expect(ServiceConfiguration().rendererSettings(watermark: nil).stripsColorProfile)
    }
}
