import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Colours of more than 8 bits per channel are converted before they are rounded.
struct DeepColorTests {
    /// The profile of sRGB with an exponent as its curve.
    private static func profile(gamma: Double) throws -> Data {
        let profile = Data(SRGBProfile.bytes)
        let numbers = [gamma, 1, 0, 1, 0].flatMap { Bytes.big(Int($0 * 65_536), 4) }
        return profile.patched(numbers, at: try profile.index(of: "para") + 12)
    }

    /// Dark greys, and all hues.
    private static func sample(hasAlpha: Bool = false) -> DeepSample {
        DeepSample(128, 4, hasAlpha: hasAlpha) { x, y in
            let (part, dark) = (Double(x) / 127, Double(x) / 127 * 0.02)
            let color = [
                [dark, dark, dark], [part, dark, 1 - part], [1 - part, part, dark],
                [part, part, part],
            ][y]
            return color + (hasAlpha ? [1] : [])
        }
    }

    /// The largest difference of a decoded file from light as a function of the stored colours.
    private func worst(
        _ file: Data,
        _ sample: DeepSample,
        _ light: ([Double]) -> [Double]
    ) throws -> Double {
        let found = try Codecs.decode(file).bitmap
        try #require(found.size == PixelSize(width: sample.width, height: sample.height))
        var worst = 0.0
        for y in 0..<sample.height {
            for x in 0..<sample.width {
                let wanted = light(sample.color(x, y))
                worst = max(worst, ColorDifference.of(found[x, y], fromLight: wanted))
            }
        }
        return worst
    }

    private static func power(_ gamma: Double) -> ([Double]) -> [Double] {
        { $0.map { pow($0, gamma) } }
    }

    @Test(arguments: [false, true], [1.0, 2.2])
    func `PNG of 16 bits keeps the steps of a dark gradient`(hasAlpha: Bool, gamma: Double) throws {
        let sample = Self.sample(hasAlpha: hasAlpha)
        let file = sample.png([DeepSample.iccp(try Self.profile(gamma: gamma))])
        #expect(try worst(file, sample, Self.power(gamma)) < 1.1)
        let row = try Codecs.decode(file).bitmap
        let levels = Set((0..<128).map { row[$0, 0].green })
        if gamma == 1 { #expect(levels.count >= 38) }
        // Scaled, too.
        let options = DecodeOptions(target: .exact(PixelSize(width: 64, height: 4)))
        let half = try Codecs.decode(file, options: options).bitmap
        #expect(abs(Int(half[32, 3].red) - Int(row[64, 3].red)) <= 2)
    }

    @Test(.enabled(if: Fixture.has(.tiff)), arguments: [false, true])
    func `TIFF of 16 bits keeps the steps of a dark gradient`(hasAlpha: Bool) throws {
        let sample = Self.sample(hasAlpha: hasAlpha)
        let file = sample.tiff(try Self.profile(gamma: 1))
        #expect(try worst(file, sample, Self.power(1)) < 1.1)
    }

    /// Files in linear light whose gradients have the steps of 10 bits; see `make.py`.
    private func differences(
        _ name: String,
        _ light: ([Double]) -> [Double] = { $0 }
    ) throws -> (mean: Double, worst: Double, levels: Int) {
        let sample = Self.sample()
        let found = try Codecs.decode(Fixture(name: name).data).bitmap
        try #require(found.size == PixelSize(width: sample.width, height: sample.height))
        let differences = (0..<sample.height).flatMap { y in
            (0..<sample.width).map { x in
                let color = sample.color(x, y).map { ($0 * 1_023).rounded() / 1_023 }
                return ColorDifference.of(found[x, y], fromLight: light(color))
            }
        }
        return (
            differences.reduce(0, +) / Double(differences.count), differences.max() ?? 0,
            Set((0..<sample.width).map { found[$0, 0].green }).count
        )
    }

    // Of 10 bits the darkest fiftieth has 21 steps, of 8 bits 6.
    @Test(.enabled(if: Fixture.has(.heif)))
    func `HEIF of 10 bits keeps the steps of a dark gradient`() throws {
        let exact = try differences("dark.heic")
        #expect(exact.worst < 1 && exact.levels >= 21, "\(exact)")
        // Rounded to luma and chroma, too: one step of 10 bits is 3 of sRGB's 8 in the darkest.
        let rounded = try differences("dark-601.heic")
        #expect(rounded.mean < 0.6 && rounded.worst < 3 && rounded.levels >= 20, "\(rounded)")
    }

    @Test(.enabled(if: Fixture.has(.jxl)))
    func `JPEG XL of 16 bits keeps the steps of a dark gradient`() throws {
        let exact = try differences("dark.jxl")
        #expect(exact.worst < 1 && exact.levels >= 21, "\(exact)")
        let lossy = try differences("lossy-dark.jxl")
        #expect(lossy.mean < 2 && lossy.levels >= 20, "\(lossy)")
    }

    @Test(.enabled(if: Fixture.has(.jxl)))
    func `high dynamic range is shown as BT.2390 says, in JPEG XL`() throws {
        let pq = { (color: [Double]) in HighRange.shown(color.map(HighRange.pq)) }
        let exact = try differences("pq.jxl", pq)
        #expect(exact.worst < 1, "\(exact)")
        let hlg = try differences("hlg.jxl") { HighRange.shown(HighRange.hlg($0)) }
        #expect(hlg.worst < 1, "\(hlg)")
        let lossy = try differences("lossy-pq.jxl", pq)
        #expect(lossy.mean < 2.5, "\(lossy)")
    }

    @Test(arguments: [8, 4])
    func `AVIF of 10 and 12 bits keeps the steps of a dark gradient`(transfer: Int) throws {
        let sample = Self.sample()
        for bits in [10, 12] {
            let file = try sample.avif(bits: bits, primaries: 1, transfer: transfer)
            guard let file else { continue }
            // Rounded to the bits of the file, which show in linear light.
            let most = Double(1 << bits - 1)
            let found = try worst(file, sample) { color in
                color.map { pow(($0 * most).rounded() / most, transfer == 8 ? 1 : 2.2) }
            }
            #expect(found < 1, "\(bits)")
        }
    }

    @Test func `AVIF of 12 bits has smooth colours where they are stored with half the rows`()
        throws
    {
        let sample = DeepSample(130, 130) { x, y in
            [Double(x) / 129, 0.5, Double(y) / 129]
        }
        guard let file = try sample.avif(bits: 12, primaries: 1, transfer: 1, isReduced: true)
        else {
            return
        }
        let found = try Codecs.decode(file).bitmap
        var (worst, previous) = (0, Int(found[0, 64].red))
        for x in 1..<130 {
            worst = max(worst, Int(found[x, 64].red) - previous)
            previous = Int(found[x, 64].red)
        }
        // Two steps per column on average, four if colours come in pairs.
        #expect(worst <= 9)
        for y in [62, 63, 64, 65, 126, 127, 128] {
            let step = Int(found[100, y + 1].blue) - Int(found[100, y].blue)
            #expect((-1...5).contains(step), "\(y): \(step)")
        }
    }

    @Test(arguments: [16, 18])
    func `high dynamic range is shown as BT.2390 says, in AVIF and PNG`(transfer: Int) throws {
        let sample = Self.sample()
        let light: ([Double]) -> [Double] = {
            HighRange.shown(transfer == 16 ? $0.map(HighRange.pq) : HighRange.hlg($0))
        }
        let png = sample.png([("cICP", [9, UInt8(transfer), 0, 1])])
        #expect(try worst(png, sample, light) < 1.1)
        for bits in [10, 12] {
            guard let file = try sample.avif(bits: bits, primaries: 9, transfer: transfer) else {
                continue
            }
            let most = Double(1 << bits - 1)
            let found = try worst(file, sample) { color in
                light(color.map { ($0 * most).rounded() / most })
            }
            #expect(found < 1, "\(bits)")
        }
    }

    /// A HEIF of 10 bits whose colours have other code points.
    private static func heif(primaries: UInt8, transfer: UInt8) throws -> Data {
        let file = try Fixture(name: "deep.heic").data
        let place = try file.index(of: "colrnclx") + 8
        return file.patched([0, primaries, 0, transfer], at: place)
    }

    @Test(.enabled(if: Fixture.has(.heif)), arguments: [16, 18] as [UInt8])
    func `high dynamic range is shown as BT.2390 says, in HEIF`(transfer: UInt8) throws {
        // Its signals, rounded to 8 bits, which costs up to a step of light.
        let signals = try Codecs.decode(Fixture(name: "deep.heic").data).bitmap
        let found = try Codecs.decode(Self.heif(primaries: 9, transfer: transfer)).bitmap
        var (sum, worst) = (0.0, 0.0)
        for y in 0..<signals.size.height {
            for x in 0..<signals.size.width {
                let pixel = signals[x, y]
                let color = [pixel.red, pixel.green, pixel.blue].map { Double($0) / 255 }
                let light = HighRange.shown(
                    transfer == 16 ? color.map(HighRange.pq) : HighRange.hlg(color)
                )
                let difference = ColorDifference.of(found[x, y], fromLight: light)
                (sum, worst) = (sum + difference, max(worst, difference))
            }
        }
        let mean = sum / Double(signals.size.width * signals.size.height)
        #expect(mean < 1 && worst < 4, "\(mean), \(worst)")
    }

    @Test func `PNG: code points, profile, sRGB, then curve and primaries`() throws {
        let sample = Self.sample()
        let points: (type: String, body: [UInt8]) = ("cICP", [1, 8, 0, 1])
        let profile = DeepSample.iccp(try Self.profile(gamma: 1.8))
        let usual: (type: String, body: [UInt8]) = ("sRGB", [0])
        let gamma: (type: String, body: [UInt8]) = ("gAMA", Bytes.big(62_500, 4))
        let sRGB: ([Double]) -> [Double] = { $0.map { ColorDifference.light($0 * 255) } }
        let cases: [(chunks: [(type: String, body: [UInt8])], light: ([Double]) -> [Double])] = [
            ([points, profile, usual, gamma], Self.power(1)),
            ([profile, points], Self.power(1)),
            ([profile, usual, gamma], Self.power(1.8)),
            // libpng alone ignores a profile after sRGB.
            ([usual, profile], Self.power(1.8)),
            ([usual, gamma], sRGB),
            ([gamma, usual], sRGB),
            ([gamma], Self.power(1.6)),
            ([("iCCP", [1, 2, 3]), gamma], Self.power(1.6)),
            // Values that are not for RGB, and an unknown curve.
            ([("cICP", [9, 16, 9, 1]), gamma], Self.power(1.6)),
            ([("cICP", [99, 99, 0, 1]), profile], Self.power(1.8)),
            ([("cICP", [1, 13, 0, 1]), profile], sRGB),
            ([], sRGB),
        ]
        for (chunks, light) in cases {
            let found = try worst(sample.png(chunks), sample, light)
            #expect(found < 1.1, "\(chunks.map(\.type))")
        }
    }

    @Test func `PNG: primaries without a profile are those of the file`() throws {
        // Display P3 with a gamma of 2.2, and BT.2020.
        let sample = Self.sample()
        let wide = [31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000]
        let chunks: [(type: String, body: [UInt8])] = [
            ("cHRM", wide.flatMap { Bytes.big($0, 4) }), ("gAMA", Bytes.big(45_455, 4)),
        ]
        let found = try worst(sample.png(chunks), sample) { color in
            let (r, g, b) = (
                ColorDifference.light(color[0] * 255), ColorDifference.light(color[1] * 255),
                ColorDifference.light(color[2] * 255)
            )
            return [
                1.2249401 * r - 0.2249404 * g, -0.0420569 * r + 1.0420571 * g,
                -0.0196376 * r - 0.0786361 * g + 1.0982735 * b,
            ]
        }
        #expect(found < 1.1)
    }

    @Test(arguments: [(12, 13), (9, 8), (11, 5), (5, 4)])
    func `the own conversion agrees with that of Little CMS`(
        primaries: Int,
        transfer: Int
    ) throws {
        let file = Self.sample(hasAlpha: true)
            .png([("cICP", [UInt8(primaries), UInt8(transfer), 0, 1])])
        let own = try Codecs.decode(file).bitmap
        let profile = try #require(ColorProfile(primaries: primaries, transfer: transfer))
        let exact = try #require(profile.makeExactTransform())
        var row = [UInt8](repeating: 0, count: 128 * 4)
        var differences = 0
        for y in 0..<4 {
            let sample = Self.sample(hasAlpha: true)
            let source = Array(sample.pixels[(y * 512)..<((y + 1) * 512)])
            exact.apply(deep: source, to: &row, width: 128)
            for x in 0..<128 {
                let found = own[x, y]
                for (one, other) in zip([found.red, found.green, found.blue], row[(x * 4)...]) {
                    #expect(abs(Int(one) - Int(other)) <= 1)
                    differences += one == other ? 0 : 1
                }
            }
        }
        // Halves may be rounded either way.
        #expect(differences < 30)
    }

    @Test func `a JPEG with a gain map shows its base image`() throws {
        let base = try Fixture(name: "baseline.jpg").data
        let packet =
            "http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF "
            + "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description "
            + "xmlns:hdrgm='http://ns.adobe.com/hdr-gain-map/1.0/' hdrgm:Version='1.0'/>"
            + "</rdf:RDF></x:xmpmeta>"
        let segment = [0xFF, 0xE1] + Bytes.big(packet.utf8.count + 2, 2) + Array(packet.utf8)
        let file = try base.inserting(segment, at: 2) + Fixture(name: "grey.jpg").data
        #expect(try Codecs.decode(file).bitmap == Codecs.decode(base).bitmap)
        #expect(try Codecs.inspect(file).frameCount == 1)
    }
}
