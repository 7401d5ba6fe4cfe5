import Foundation
import KFCodecs
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// Every processor against an image that was inspected when it was recorded.
///
/// `RECORD=1` writes the images to `Tests/Golden` and fails the run.
struct GoldenTests {
    static let options = KingfisherParsedOptionsInfo(nil)

    #if arch(x86_64)
    /// All kernels agree here.
    ///
    /// Functions of the C library may round a few values differently.
    static let tolerance = GoldenPicture.Difference(max: 1, mean: 0.002)
    #else
    /// Kernels may differ by one from those of x86-64, and two such differences may add up.
    static let tolerance = GoldenPicture.Difference(max: 2, mean: 0.2)
    #endif

    @Test(arguments: GoldenCase.all)
    func `an image gives the golden image`(item: GoldenCase) throws {
        let image = KFCrossPlatformImage(bitmap: item.source)
        let result = item.processor.process(item: .image(image), options: Self.options)
        try Self.compare(try #require(result?.bitmap), with: "processor-\(item.name)")
    }

    @Test(arguments: GoldenCase.all)
    func `PRC-1: bytes and their image give the same result`(item: GoldenCase) throws {
        let image = KFCrossPlatformImage(bitmap: item.source)
        let data = try Codecs.encode(item.source, as: .png)
        let fromImage = item.processor.process(item: .image(image), options: Self.options)
        let fromData = item.processor.process(item: .data(data), options: Self.options)
        let one = try #require(fromImage?.bitmap)
        let other = try #require(fromData?.bitmap)
        let difference = try #require(GoldenPicture.difference(one, other))
        // A smart crop resamples before it crops if it gets bytes, and after if it gets pixels.
        #expect(difference.max <= (item.name == "smartcrop" ? 40 : 1), "\(difference)")
        #expect(difference.mean <= 1, "\(difference)")
    }

    @Test func `a ThumbHash gives the golden image`() throws {
        for (name, bitmap) in Self.hashed {
            let hash = try #require(KFCrossPlatformImage(bitmap: bitmap).kf.thumbHash())
            let image = try #require(KFCrossPlatformImage(thumbHash: hash))
            try Self.compare(try #require(image.bitmap), with: "thumbhash-\(name)")
        }
    }

    @Test func `a BlurHash gives the golden image`() throws {
        for (name, bitmap) in Self.hashed {
            let hash = try #require(KFCrossPlatformImage(bitmap: bitmap).kf.blurHash())
            let size = CGSize(width: 32, height: 24)
            let image = try #require(KFCrossPlatformImage(blurHash: hash, size: size))
            try Self.compare(try #require(image.bitmap), with: "blurhash-\(name)")
        }
    }

    private static let hashed = [
        ("opaque", TestScene.opaque()), ("transparent", TestScene.transparent()),
    ]

    private static func compare(_ bitmap: Bitmap, with name: String) throws {
        let golden = GoldenPicture(name)
        if GoldenPicture.isRecording {
            try golden.record(bitmap)
            Issue.record("recorded \(name); look at it and run again without RECORD")
            return
        }
        let difference = try #require(
            try golden.difference(from: bitmap),
            "\(name) has another size: \(bitmap.size)"
        )
        #expect(difference.max <= tolerance.max, "\(name): \(difference)")
        #expect(difference.mean <= tolerance.mean, "\(name): \(difference)")
    }
}
