import KFPixels
import Testing

@testable import KFCodecs

/// Decoded fixtures agree with an independent decoder.
struct FixtureTests {
    @Test func `there are fixtures of every format`() {
        for kind in Fixture.kinds {
            #expect(Fixture.all(kind).contains { $0.hasExpectation }, "\(kind)")
        }
        #expect(Fixture.understood.count >= 70)
    }

    @Test(arguments: Fixture.understood)
    func `decoding gives the expected bitmap`(fixture: Fixture) throws {
        let image = try Codecs.decode(fixture.data)
        try expectAgreement(image.bitmap, fixture)
        #expect(!image.isPartial)
    }

    /// What libavif hands to its caller: the part and the turn, and what changes no pixel here.
    @Test(arguments: [
        ("clap", "clap"), ("irot", "exif6"), ("imir", "exif5"), ("pasp", "pasp"), ("clli", "clli"),
        ("tmap", "gain-map"),
    ])
    func `each property of an AVIF has a sample`(property: String, name: String) throws {
        let fixture = Fixture(name: "\(name).avif")
        let file = try fixture.data
        #expect(file.contains(property.utf8))
        try expectAgreement(Codecs.decode(file).bitmap, fixture)
    }

    /// The output is always sRGB with 8 bits per channel.
    @Test(arguments: [
        "grey16.png", "greya16.png", "rgb16.png", "grey2.png", "grey.jpg", "palette4.png",
        "palette8.bmp", "profile.png", "profile.jpg", "linear.png",
    ])
    func `IMG-11: other depths, greys, indexed colours and other spaces become sRGB of 8 bits`(
        name: String
    ) throws {
        let fixture = Fixture(name: name)
        let bitmap = try Codecs.decode(fixture.data).bitmap
        try expectAgreement(bitmap, fixture)
        #expect(bitmap.bytesPerRow == bitmap.width * 4)
        let pixels = (0..<bitmap.height).flatMap { y in
            (0..<bitmap.width).map { bitmap[$0, y] }
        }
        let isGrey = pixels.allSatisfy { $0.red == $0.green && $0.green == $0.blue }
        #expect(isGrey == name.hasPrefix("grey"))
    }

    @Test(arguments: Fixture.understood.filter { $0.name.contains(/animated|disposal/) })
    func `all frames agree`(fixture: Fixture) throws {
        let decoder = try FrameDecoder(fixture.data)
        let expected = try fixture.expected
        #expect(decoder.frameCount == expected.frameCount)
        for index in 0..<min(decoder.frameCount, expected.frameCount) {
            try expectAgreement(decoder.frame(at: index), fixture, frame: index)
        }
    }

    @Test(arguments: Fixture.understood)
    func `inspection agrees with decoding`(fixture: Fixture) throws {
        let data = try fixture.data
        let info = try Codecs.inspect(data)
        let image = try Codecs.decode(data)
        #expect(image.info == info)
        #expect(try info.displaySize == fixture.expected.size)
        #expect(info.hasColorProfile == fixture.name.contains("profile"))
        #expect(try info.frameCount == fixture.expected.frameCount)
        if !info.isAnimated { #expect(image.bitmap.isOpaque == !info.hasAlpha) }
    }

    private func expectAgreement(
        _ bitmap: Bitmap,
        _ fixture: Fixture,
        frame: Int = 0
    ) throws {
        let difference = try fixture.expected.difference(to: bitmap, frame: frame)
        if !fixture.isLossless {
            #expect(difference.mean < 1.5, "frame \(frame): \(difference)")
        } else if fixture.isConverted {
            #expect(difference.greatest <= 2 && difference.mean < 0.5, "\(difference)")
        } else {
            #expect(difference.greatest == 0, "frame \(frame): \(difference)")
        }
    }
}
