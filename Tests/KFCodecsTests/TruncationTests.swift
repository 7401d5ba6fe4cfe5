import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// The treatment of truncated files.
struct TruncationTests {
    @Test(arguments: ["baseline.jpg", "progressive.jpg", "rgb8.png", "rgb8-interlaced.png"])
    func `half a file fails, or gives the decoded part`(name: String) throws {
        let data = try Fixture(name: name).data
        let half = data.prefix(data.count * 3 / 4)
        #expect(throws: CodecError.self) { try Codecs.decode(half) }
        let options = DecodeOptions(truncation: .keepsPartial)
        let image = try Codecs.decode(half, options: options)
        #expect(image.isPartial)
        let full = try Codecs.decode(data).bitmap
        #expect(image.bitmap.size == full.size)
        // The first pixel is present in every case.
        let difference = abs(Int(image.bitmap[0, 0].red) - Int(full[0, 0].red))
        #expect(difference < 24, "\(image.bitmap[0, 0]) \(full[0, 0])")
    }

    @Test(arguments: ["baseline.jpg", "rgb8.png"])
    func `missing rows are blank`(name: String) throws {
        let data = try Fixture(name: name).data
        let options = DecodeOptions(truncation: .keepsPartial)
        let image = try Codecs.decode(data.prefix(data.count * 3 / 4), options: options)
        let last = image.bitmap[0, image.bitmap.height - 1]
        #expect(last == .clear)
        #expect(!image.bitmap.isOpaque)
    }

    @Test(arguments: [("baseline.jpg", true), ("rgb8.png", true), ("rgba8.png", false)])
    func `in a scope missing rows are grey, or transparent if the format can be`(
        name: String,
        isGrey: Bool
    ) throws {
        let data = try Fixture(name: name).data
        let scope = TruncationScope()
        let full = try scope.run { try Codecs.decode(data) }
        #expect(!scope.foundTruncated && !full.isPartial)
        let image = try scope.run { try Codecs.decode(data.prefix(data.count * 3 / 4)) }
        #expect(scope.foundTruncated)
        let grey = RGBA(red: 128, green: 128, blue: 128)
        #expect(image.bitmap[0, image.bitmap.height - 1] == (isGrey ? grey : .clear))
        #expect(image.bitmap[0, 0] == full.bitmap[0, 0])
        #expect(image.bitmap.isOpaque == isGrey)
    }

    @Test(arguments: ["rgb8-interlaced.png", "grey16-interlaced.png"])
    func `an interlaced PNG is blank below the rows that its first pass reached`(
        name: String
    ) throws {
        let data = try Fixture(name: name).data
        let full = try Codecs.decode(data).bitmap
        var heights: Set<Int> = []
        for count in 60..<data.count {
            let options = DecodeOptions(truncation: .keepsPartial)
            // A file that ends before its pixels gives no image.
            guard let image = try? Codecs.decode(data.prefix(count), options: options),
                image.isPartial
            else { continue }
            let alphas = (0..<full.height).map { image.bitmap[0, $0].alpha }
            let height = alphas.firstIndex(of: 0) ?? full.height
            #expect(alphas[height...].allSatisfy { $0 == 0 })
            #expect(image.bitmap.isOpaque == (height == full.height))
            heights.insert(height)
        }
        #expect(heights.count > 2)
    }

    /// EOI, a table, and a restart in a file without restarts.
    private static let markers: [UInt8] = [0xD9, 0xC4, 0xD3]

    @Test(arguments: ["baseline.jpg", "restarts.jpg", "progressive.jpg"], markers)
    func `a JPEG whose scan is broken off by a marker counts as truncated`(
        name: String,
        marker: UInt8
    ) throws {
        let data = try Fixture(name: name).data
        let scan = try #require(data.range(of: Data([0xFF, 0xDA]), options: .backwards)).upperBound
        let broken = data.patched([0xFF, marker, 0, 2], at: (scan + data.count) / 2)
        // In a file with restarts, a wrong one is damage that ends at the next one.
        if name == "restarts.jpg", marker == 0xD3 { return }
        #expect(throws: CodecError.truncated(.jpeg)) { try Codecs.decode(broken) }
        let options = DecodeOptions(truncation: .keepsPartial)
        let image = try Codecs.decode(broken, options: options)
        #expect(image.isPartial)
        let full = try Codecs.decode(data).bitmap
        #expect(abs(Int(image.bitmap[0, 0].red) - Int(full[0, 0].red)) < 24)
    }

    @Test func `scans that a marker broke off make a partial image`() throws {
        let data = try Fixture(name: "progressive.jpg").data
        let scan = try #require(data.range(of: Data([0xFF, 0xDA]), options: .backwards)).upperBound
        let decoder = ProgressiveJPEGDecoder()
        try decoder.append(data.patched([0xFF, 0xD9], at: (scan + data.count) / 2))
        #expect(try #require(try decoder.decode()).isPartial)
        let whole = ProgressiveJPEGDecoder()
        try whole.append(data)
        #expect(try !#require(try whole.decode()).isPartial)
    }

    @Test(
        arguments: [
            "baseline.jpg", "progressive.jpg", "restarts.jpg", "cmyk.jpg", "scans-sequential.jpg",
            "progressive-spectral.jpg", "progressive-means-last.jpg", "progressive-chroma-last.jpg",
        ],
        [DecodeOptions.Target.full, .exact(PixelSize(width: 5, height: 4))]
    )
    func `a JPEG without its end marker is complete`(
        name: String,
        target: DecodeOptions.Target
    ) throws {
        let data = try Fixture(name: name).data
        let options = DecodeOptions(target: target)
        let image = try Codecs.decode(data.dropLast(2), options: options)
        #expect(try image.bitmap == Codecs.decode(data, options: options).bitmap)
        #expect(!image.isPartial)
    }

    /// An arithmetic coder omits zeros at its end, so that a decoder cannot tell missing bytes.
    @Test(arguments: [
        "progressive.jpg", "restarts.jpg", "cmyk.jpg", "scans-sequential.jpg",
        "progressive-spectral.jpg", "progressive-means-last.jpg", "progressive-chroma-last.jpg",
        "scans-arithmetic.jpg", "scans-arithmetic-sequential.jpg", "scans-arithmetic-spectral.jpg",
    ])
    func `the beginning of a JPEG is refused, or the whole image`(name: String) throws {
        let data = try Fixture(name: name).data
        let full = try Codecs.decode(data).bitmap
        var refused = 0
        let ends = Array(data.count - 20..<data.count)
        for count in stride(from: data.count / 3, to: data.count - 20, by: 9) + ends {
            do throws(CodecError) {
                let bitmap = try Codecs.decode(data.prefix(count)).bitmap
                #expect(bitmap == full, "\(count) of \(data.count) bytes")
            } catch {
                #expect(error == .truncated(.jpeg))
                refused += 1
            }
        }
        #expect(refused > data.count / 20)
    }

    @Test func `a progressive JPEG without its last scan is not complete`() throws {
        let data = try Fixture(name: "progressive.jpg").data
        let scan = try #require(data.range(of: Data([0xFF, 0xDA]), options: .backwards)).lowerBound
        let bits = data.dropLast(6)
        for cut in [data.prefix(upTo: scan), bits, bits + [0xFF, 0xD9]] {
            #expect(throws: CodecError.truncated(.jpeg)) { try Codecs.decode(cut) }
        }
    }

    @Test(arguments: Fixture.understood)
    func `inspection of a growing prefix asks for more, then agrees`(fixture: Fixture) throws {
        let data = try fixture.data
        let full = try Codecs.inspect(data)
        var found: ImageInfo?
        // 32: enough bytes to detect the format.
        for count in 32...data.count where found == nil {
            do {
                found = try Codecs.inspect(data.prefix(count))
            } catch CodecError.truncated {
                continue
            }
        }
        #expect(found?.storedSize == full.storedSize)
        #expect(found?.orientation == full.orientation)
    }
}
