import CKFCodecShims
import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// JPEGs of 12 bits a sample, and lossless ones, which need libjpeg-turbo 3.
///
/// The fixtures were written by its `cjpeg`: gradients of 40 × 24 pixels, red to the right, green
/// down, blue both; the grey ones have the blue.
struct DeepJPEGTests {
    private static let isReadable = kf_jpeg_reads_deep() != 0
    private static let size = PixelSize(width: 40, height: 24)

    /// A fixture, the bits of its samples, and the largest difference of a channel.
    struct Sample: CustomTestStringConvertible {
        let name: String
        let bits: Int
        let error: Int
        var testDescription: String { name }
        var isGrey: Bool { name.hasSuffix("grey") }
        var data: Data {
            get throws {
                let folder = Bundle.module.bundleURL.appendingPathComponent("DeepJPEG")
                return try Data(contentsOf: folder.appendingPathComponent("\(name).jpg"))
            }
        }
    }

    static let samples = [
        Sample(name: "12", bits: 12, error: 3),
        Sample(name: "12-progressive", bits: 12, error: 3),
        Sample(name: "12-grey", bits: 12, error: 2),
        Sample(name: "lossless8", bits: 8, error: 0),
        Sample(name: "lossless8-grey", bits: 8, error: 0),
        Sample(name: "lossless12-grey", bits: 12, error: 0),
        Sample(name: "lossless16", bits: 16, error: 0),
    ]

    /// The channels of a pixel, rounded from samples of a number of bits.
    private static func color(_ x: Int, _ y: Int, _ sample: Sample) -> [Int] {
        let most = (1 << sample.bits) - 1
        let blue = (x + y) * most / (size.width + size.height - 2)
        let stored =
            sample.isGrey
            ? [blue, blue, blue]
            : [x * most / (size.width - 1), y * most / (size.height - 1), blue]
        return stored.map { ($0 * 255 + most / 2) / most }
    }

    @Test(arguments: samples)
    func `the header is read with any libjpeg`(sample: Sample) throws {
        let info = try Codecs.inspect(sample.data)
        #expect(info.storedSize == Self.size)
        #expect(info.bitsPerChannel == sample.bits)
    }

    @Test(.enabled(if: !isReadable), arguments: samples)
    func `an older libjpeg is named as the cause`(sample: Sample) throws {
        let error = #expect(throws: CodecError.self) { try Codecs.decode(sample.data) }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("libjpeg-turbo 3 for"), "\(text)")
        #expect(text.hasSuffix("is not installed"), "\(text)")
    }

    @Test(.enabled(if: isReadable), arguments: samples)
    func `the pixels are those of the samples`(sample: Sample) throws {
        let bitmap = try Codecs.decode(sample.data).bitmap
        try #require(bitmap.size == Self.size)
        #expect(bitmap.isOpaque)
        var worst = 0
        for y in 0..<Self.size.height {
            for x in 0..<Self.size.width {
                let found = bitmap[x, y]
                let channels = [Int(found.red), Int(found.green), Int(found.blue)]
                for (one, other) in zip(channels, Self.color(x, y, sample)) {
                    worst = max(worst, abs(one - other))
                }
            }
        }
        #expect(worst <= sample.error)
    }

    @Test(.enabled(if: isReadable), arguments: samples)
    func `a reduced image and a part agree with the whole one`(sample: Sample) throws {
        let whole = try Codecs.decode(sample.data).bitmap
        let small = try Codecs.decode(
            sample.data,
            options: DecodeOptions(target: .fit(PixelSize(width: 10, height: 6)))
        ).bitmap
        try #require(small.size == PixelSize(width: 10, height: 6))
        // The middle of the gradient.
        #expect(abs(Int(small[5, 3].blue) - Int(whole[22, 14].blue)) <= 6)
        let place = PixelRect(x: 10, y: 8, width: 12, height: 10)
        let part = try Codecs.decode(sample.data, options: DecodeOptions(part: place)).bitmap
        try #require(part.size == place.size)
        #expect(part[0, 0] == whole[10, 8])
        #expect(part[11, 9] == whole[21, 17])
        for count in [0, 100, try sample.data.count / 2] {
            let cut = try sample.data.prefix(count)
            #expect(throws: CodecError.self) { try Codecs.decode(cut) }
        }
    }

    @Test(arguments: samples)
    func `optimizing is refused`(sample: Sample) throws {
        #expect(throws: CodecError.self) { try Codecs.optimized(sample.data, keepsMetadata: true) }
    }

    @Test(arguments: samples)
    func `damage is an error or an image`(sample: Sample) throws {
        let data = try sample.data
        var random = SplitMix64(seed: 12)
        for _ in 0..<60 {
            var damaged = data
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                damaged[Int.random(in: 2..<data.count, using: &random)] =
                    UInt8.random(in: 0...255, using: &random)
            }
            // Neither a crash nor memory beyond the limits; libjpeg decides what it repairs.
            _ = try? Codecs.decode(
                damaged,
                options: DecodeOptions(target: .fit(PixelSize(width: 64, height: 64)))
            )
        }
    }
}
