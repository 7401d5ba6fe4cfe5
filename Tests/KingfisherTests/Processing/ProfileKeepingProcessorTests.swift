import Foundation
import TestSupport
import Testing

@testable import Kingfisher

struct ProfileKeepingProcessorTests {
    /// A profile like that of sRGB, with another name and the colorants of green and blue swapped.
    static let profile: Data = {
        var bytes = ImageMetadata.sRGBProfile
        swap("gXYZ", "bXYZ", in: &bytes)
        let name = Data("sRGB".utf16.flatMap { [0, UInt8($0)] })
        let other = Data("Swap".utf16.flatMap { [0, UInt8($0)] })
        if let place = bytes.range(of: name) { bytes.replaceSubrange(place, with: other) }
        return bytes
    }()

    private static func swap(_ one: String, _ other: String, in bytes: inout Data) {
        guard let first = bytes.range(of: Data(one.utf8)),
            let second = bytes.range(of: Data(other.utf8))
        else { return }
        bytes.replaceSubrange(first, with: Data(other.utf8))
        bytes.replaceSubrange(second, with: Data(one.utf8))
    }

    private let options = KingfisherParsedOptionsInfo(nil)

    /// Pure green, which with the profile means blue.
    static func source(_ format: ImageFormat = .PNG) throws -> Data {
        let pixels = Data((0..<64).flatMap { _ in [0, 255, 0, 255] as [UInt8] })
        let image = try #require(
            KFCrossPlatformImage(premultipliedRGBA: pixels, width: 8, height: 8)
        )
        return try #require(image.kf.withColorProfile(profile).kf.data(format: format))
    }

    private func process(
        _ processor: any ImageProcessor,
        _ file: Data
    ) throws -> KFCrossPlatformImage {
        try #require(processor.process(item: .data(file), options: options))
    }

    private func colour(_ image: KFCrossPlatformImage) -> [Int] {
        image.withPremultipliedRGBA { pixels, _ in (0..<3).map { Int(pixels[$0]) } }
    }

    @Test func `other processors decode to sRGB`() throws {
        let image = try process(DefaultImageProcessor.default, Self.source())
        #expect(image.kf.colorProfile == nil)
        #expect(colour(image)[2] > 200 && colour(image)[1] < 60)
    }

    @Test(arguments: [ImageFormat.JPEG, .PNG, .WebP, .AVIF])
    func `colours stay, and files have the profile`(format: ImageFormat) throws {
        let small = DownsamplingImageProcessor(size: CGSize(width: 4, height: 4))
        let image = try process(ProfileKeepingProcessor(small), Self.source(format))
        #expect(image.pixelWidth == 4)
        #expect(image.kf.colorProfile == Self.profile)
        #expect(colour(image)[1] > 240 && colour(image)[2] < 20)
        for target in [ImageFormat.JPEG, .PNG, .WebP, .AVIF] {
            let file = try #require(image.kf.data(format: target))
            let seen = try process(DefaultImageProcessor.default, file)
            #expect(colour(seen)[2] > 200 && colour(seen)[1] < 60, "\(target)")
        }
        #expect(image.kf.data(format: .JXL) == nil)
    }

    @Test func `frames that are decoded later are in sRGB, so that no animation has a profile`()
        throws
    {
        let still = try Self.source()
        let start = try #require(still.range(of: Data("iCCP".utf8))).lowerBound - 4
        let length = still[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        let fixtures = try IsolatedDecodingTests.fixtures()
        var file = try #require(fixtures.first { $0.name == "animated.png" }?.data)
        // After the header.
        file.insert(contentsOf: still[start..<start + length + 12], at: 33)
        #expect(try ImageFileInfo(data: file).hasColorProfile)
        let keeping = ProfileKeepingProcessor(DefaultImageProcessor.default)
        let animation = try process(keeping, file)
        #expect(animation.kf.imageFrameCount ?? 0 > 1)
        #expect(animation.kf.colorProfile == nil)
        var options = options
        options.onlyLoadFirstFrame = true
        let first = keeping.process(item: .data(file), options: options)
        #expect(first?.kf.colorProfile == Self.profile)
    }

    @Test func `a processor that no worker knows gets its bytes in this process`() throws {
        let foreign = CountingProcessor(isRefusing: true)
        let processor = ProfileKeepingProcessor(foreign)
        let options = KingfisherParsedOptionsInfo([.isolated])
        #expect(processor.process(item: .data(try Self.source()), options: options) == nil)
        #expect(foreign.runs.value == 1)
    }

    @Test func `a stored original keeps its profile in a chain`() async throws {
        let bench = try TestBench()
        let source = Source.provider(
            RawImageDataProvider(data: try Self.source(), cacheKey: "wide")
        )
        _ = try await bench.manager.retrieveImage(
            with: source,
            options: [.cacheOriginalImage, .waitForCache]
        )
        bench.manager.cache.clearMemoryCache()
        let crop = CroppingImageProcessor(size: CGSize(width: 3, height: 3))
        let result = try await bench.manager.retrieveImage(
            with: source,
            options: [.processor(ProfileKeepingProcessor() |> crop), .onlyFromCache]
        )
        #expect(result.image.pixelWidth == 3)
        #expect(result.image.kf.colorProfile == Self.profile)
    }

    @Test func `the profile is passed on to later steps, and not to other images`() throws {
        let crop = CroppingImageProcessor(size: CGSize(width: 3, height: 3))
        let file = try Self.source()
        for processor: any ImageProcessor in [
            ProfileKeepingProcessor() |> crop, ProfileKeepingProcessor(crop),
            ProfileKeepingProcessor(DefaultImageProcessor.default |> crop |> crop),
            ProfileKeepingProcessor() |> crop |> FlippingImageProcessor(.vertical),
        ] {
            let image = try process(processor, file)
            #expect(image.kf.colorProfile == Self.profile, "\(processor.identifier)")
            #expect(colour(image)[1] > 240)
        }
        let again = try process(crop, file)
        #expect(again.kf.colorProfile == nil)
    }

    @Test func `files without a profile, and animations, are decoded to sRGB`() throws {
        #expect(try process(ProfileKeepingProcessor(), TestImage.png()).kf.colorProfile == nil)
        let animation = try process(ProfileKeepingProcessor(), TestImage.gif)
        #expect(animation.kf.colorProfile == nil)
        #expect(animation.kf.imageFrameCount == 3)
        #expect(ProfileKeepingProcessor().process(item: .data(Data()), options: options) == nil)
    }

    @Test func `the identifier keeps results in sRGB apart`() {
        let small = DownsamplingImageProcessor(size: CGSize(width: 4, height: 4))
        let names = [small.identifier, ProfileKeepingProcessor(small).identifier]
        #expect(Set(names + [ProfileKeepingProcessor().identifier, ""]).count == 4)
    }

    @Test func `an image without a profile is the same image`() {
        let image = KFCrossPlatformImage()
        #expect(image.kf.withColorProfile(nil) === image)
        let other = image.kf.withColorProfile(Self.profile)
        #expect(image.kf.colorProfile == nil)
        #expect(other.kf.withColorProfile(Self.profile) === other)
        #expect(other.kf.scaled(to: 2).kf.colorProfile == Self.profile)
    }
}
