import Foundation
import KFPixels
import Synchronization
import Testing

@testable import KFCodecs

struct ProfileScopeTests {
    private func kept(
        _ data: Data,
        _ options: DecodeOptions = DecodeOptions()
    ) throws -> (bitmap: Bitmap, profile: Data?) {
        let scope = ProfileScope()
        let bitmap = try scope.run { try Codecs.decode(data, options: options).bitmap }
        return (bitmap, scope.profile)
    }

    @Test(arguments: ["profile.jpg", "profile.png", "profile.webp", "profile.avif"])
    func `pixels stay in the colours of the file, and its profile is known`(
        name: String
    ) throws {
        let file = try Fixture(name: name).data
        let usual = try Codecs.decode(file).bitmap
        let (bitmap, profile) = try kept(file)
        #expect(bitmap.meanDifference(from: usual) > 1)
        let bytes = try #require(profile)
        // Taken for sRGB, the file has the same pixels.
        if name != "profile.avif" {
            let plain = try FileMetadata(profile: Data(SRGBProfile.bytes)).written(to: file)
            #expect(try Codecs.decode(plain).bitmap == bitmap)
        }
        for format in [FileFormat.jpeg, .png, .webp, .avif] {
            let options = EncodeOptions(quality: 1, isLossless: true, profile: bytes)
            let written = try Codecs.encode(bitmap, as: format, options: options)
            #expect(try Codecs.inspect(written).hasColorProfile)
            // Other readers see the colours of the source, and the profile is the same again.
            let limit = format == .jpeg ? 4 : 0.5
            let shown = try Codecs.decode(written).bitmap
            #expect(shown.meanDifference(from: usual) < limit, "\(format)")
            #expect(try kept(written).profile == bytes)
            if format != .jpeg { #expect(try kept(written).bitmap == bitmap) }
            // A profile does not change the pixels of a lossy file.
            let lossy = try Codecs.encode(
                bitmap,
                as: format,
                options: EncodeOptions(profile: bytes)
            )
            let plain = try Codecs.encode(bitmap, as: format, options: EncodeOptions())
            #expect(try kept(lossy).bitmap == Codecs.decode(plain).bitmap)
        }
        for format in [FileFormat.gif, .jxl] {
            #expect(throws: CodecError.self) {
                try Codecs.encode(bitmap, as: format, options: EncodeOptions(profile: bytes))
            }
        }
        // Outside of the scope, everything is as before.
        #expect(try Codecs.decode(file).bitmap == usual)
    }

    @Test(arguments: ["grey-profile.jpg", "cmyk.jpg", "baseline.jpg", "rgb8.png", "lossy.webp"])
    func `other files are decoded to sRGB as usual`(name: String) throws {
        let file = try Fixture(name: name).data
        let (bitmap, profile) = try kept(file)
        #expect(profile == nil)
        #expect(try Codecs.decode(file).bitmap == bitmap)
    }

    @Test func `a profile of sRGB, of rubbish or above the limit is not kept`() throws {
        let plain = try Fixture(name: "baseline.jpg").data
        let wide = try #require(try kept(Fixture(name: "profile.jpg").data).profile)
        let padding = Data(count: ProfileScope.maxByteCount - wide.count)
        for (profile, isKept) in [
            (Data(SRGBProfile.bytes), false), (Data(repeating: 7, count: 600), false),
            (wide.prefix(200), false), (wide, true), (wide + padding, true),
            (wide + padding + [0], false),
        ] {
            let file = try FileMetadata(profile: profile).written(to: plain)
            let (bitmap, found) = try kept(file)
            #expect((found != nil) == isKept, "\(profile.count)")
            if !isKept { #expect(try Codecs.decode(file).bitmap == bitmap) }
        }
    }

    @Test func `code points are kept as a profile unless they are of high dynamic range`() throws {
        let file = try Fixture(name: "code-points.avif").data
        let (bitmap, profile) = try kept(file)
        let usual = try Codecs.decode(file).bitmap
        guard let profile else {
            // The fixture's code points are of high dynamic range.
            #expect(bitmap == usual)
            return
        }
        let written = try Codecs.encode(bitmap, as: .png, options: EncodeOptions(profile: profile))
        #expect(try Codecs.decode(written).bitmap.meanDifference(from: usual) < 1)
    }

    @Test func `grey pixels beside a profile for RGB are stored as RGB`() throws {
        let wide = try #require(try kept(Fixture(name: "profile.jpg").data).profile)
        let grey = try Codecs.decode(Fixture(name: "grey.jpg").data).bitmap
        let written = try Codecs.encode(grey, as: .png, options: EncodeOptions(profile: wide))
        // The colour type in the header.
        #expect(written[25] == 2)
        #expect(try kept(written).bitmap == grey)
        #expect(try Codecs.encode(grey, as: .png)[25] == 0)
    }

    @Test(.timeLimit(.minutes(1)))
    func `damaged profiles give an image, whether they are kept or not`() throws {
        let file = try Fixture(name: "profile.jpg").data
        var random = SplitMix64(seed: 31)
        for _ in 0..<300 {
            var damaged = file
            for _ in 0...random.next() % 8 {
                let place = 20 + Int(random.next() % 600)
                damaged[place] = UInt8(truncatingIfNeeded: random.next())
            }
            // Errors are as good as images.
            guard let (bitmap, profile) = try? kept(damaged) else { continue }
            let options = EncodeOptions(profile: profile)
            #expect(throws: Never.self) {
                try Codecs.decode(Codecs.encode(bitmap, as: .png, options: options))
            }
        }
    }
}
