import Foundation
import KFPixels
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

/// Animations written as GIF, WebP and AVIF.
struct AnimationEncodingTests {
    private func animation(
        _ data: Data = TestImage.gif,
        _ options: ImageCreatingOptions = ImageCreatingOptions()
    ) throws -> KFCrossPlatformImage {
        try #require(KingfisherWrapper<KFCrossPlatformImage>.image(data: data, options: options))
    }

    private func frameCount(_ data: Data?) throws -> Int? {
        try ImageFileInfo(data: try #require(data)).frameCount
    }

    @Test func `an animation can be turned from one format into the other`() throws {
        let webP = try #require(try animation().kf.data(format: .WebP))
        #expect(webP.kf.imageFormat == .WebP)
        #expect(try frameCount(webP) == 3)
        let gif = try #require(try animation(webP).kf.data(format: .GIF))
        #expect(gif.kf.imageFormat == .GIF)
        #expect(try frameCount(gif) == 3)
        #expect(try ImageFileInfo(data: gif).duration == 0.4)
        let avif = try #require(ImageEncoding.avif().data(of: try animation(webP)))
        #expect(avif.kf.imageFormat == .AVIF)
        #expect(try frameCount(avif) == 3)
        #expect(try animation(webP).kf.data(format: .AVIF, compressionQuality: 0.8) == avif)
        #expect(ImageEncoding.avif().data(of: try animation(webP).kf.still) != avif)
    }

    @Test(arguments: [ImageEncoding.losslessWebP(), .losslessAVIF()])
    func `a lossless animation has the pixels of the frames`(encoding: ImageEncoding) throws {
        let source = try animation()
        let file = try #require(encoding.data(of: source))
        #expect(file.kf.imageFormat == encoding.format)
        let again = try #require(try animation(file).kf.frameSource)
        let frames = try #require(source.kf.frameSource)
        #expect(again.frameCount == frames.frameCount)
        for index in 0..<again.frameCount {
            #expect(again.frame(at: index)?.bitmap == frames.frame(at: index)?.bitmap)
        }
    }

    @Test func `bytes of the wanted format are given as they are`() throws {
        #expect(try animation().kf.data(format: .GIF) == TestImage.gif)
        let webP = try #require(try animation().kf.animationRepresentation(format: .WebP))
        #expect(try animation(webP).kf.data(format: .WebP) == webP)
    }

    @Test func `an image that was to be one frame is written as one`() throws {
        let first = try animation(TestImage.gif, ImageCreatingOptions(onlyFirstFrame: true))
        #expect(try frameCount(first.kf.data(format: .WebP)) == 1)
        #expect(try frameCount(first.kf.animationRepresentation(format: .GIF)) == 1)
    }

    @Test func `stills are animations of one frame, and no GIF otherwise`() throws {
        let still = KFCrossPlatformImage(bitmap: TestImage.bitmap())
        #expect(still.kf.data(format: .GIF) == nil)
        for format in [ImageFormat.GIF, .WebP, .AVIF] {
            let data = still.kf.animationRepresentation(format: format)
            #expect(data?.kf.imageFormat == format)
            #expect(try frameCount(data) == 1)
        }
        #expect(still.kf.animationRepresentation(format: .PNG) == nil)
        #expect(KFCrossPlatformImage().kf.animationRepresentation(format: .GIF) == nil)
    }

    @Test func `frames that never were a file are written, too`() throws {
        let pictures: [ScriptedPicture] = [
            .solid(.red, width: 8, height: 6), .solid(.blue, width: 8, height: 6),
        ]
        let image = ScriptedAnimation(pictures, secondsEach: 0.2).image
        let info = try ImageFileInfo(data: try #require(image.kf.data(format: .GIF)))
        #expect(info.frameCount == 2)
        #expect(info.duration == 0.4)
        #expect(info.loopCount == 0)
    }

    @Test func `frames that were processed are stored as they are, whatever the original was`()
        throws
    {
        let webP = try #require(try animation().kf.animationRepresentation(format: .WebP))
        let processed = try animation(webP)
        let serializer = DefaultCacheSerializer.default
        #expect(serializer.data(with: processed, original: TestImage.gif) == webP)
    }

    @Test func `a duration is not off by the rounding of its frames`() throws {
        let pictures = (0..<10).map {
            ScriptedPicture.solid($0.isMultiple(of: 2) ? .red : .blue, width: 4, height: 4)
        }
        let image = ScriptedAnimation(pictures, secondsEach: 0.1).image
        let data = try #require(image.kf.animationRepresentation(format: .GIF))
        #expect(try ImageFileInfo(data: data).duration == 1)
    }
}
