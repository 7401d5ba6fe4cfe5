import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Small images of large progressive JPEGs, for which most scans are not read.
struct SkippedScanTests {
    /// A scan of a file: the offset of its header's marker, and of the next marker.
    private struct Scan {
        let range: Range<Int>
        let componentCount: Int
        let component: UInt8
        let first: UInt8

        /// Whether an image at 1/8 needs none of it.
        var isDetailOfLuma: Bool { componentCount == 1 && component == 1 && first > 0 }
    }

    /// At 1/8 the decoded image is twice this target.
    private static let target = DecodeOptions.Target.fit(PixelSize(width: 20, height: 15))

    /// A progressive photo of 320 × 240 pixels, with chroma of full resolution from 0.9 on.
    private static func photo(quality: Double) throws -> Data {
        let small = try Codecs.decode(Fixture(name: "444.jpg").data).bitmap
        let large = try resample(small, to: PixelSize(width: 320, height: 240))
        let options = EncodeOptions(quality: quality, isProgressive: true)
        return try Codecs.encode(large, as: .jpeg, options: options)
    }

    /// The image of all scans.
    private static func reference(_ data: Data) throws -> Bitmap? {
        let decoder = ProgressiveJPEGDecoder(options: DecodeOptions(target: target))
        try decoder.append(data)
        return try decoder.decode()?.bitmap
    }

    private static func decode(_ data: Data) throws -> DecodedImage {
        try Codecs.decode(data, options: DecodeOptions(target: target))
    }

    private static func scans(of data: Data) -> [Scan] {
        let bytes = [UInt8](data)
        let markers = bytes.indices.dropLast().filter { index in
            bytes[index] == 0xFF && bytes[index + 1] != 0
        }
        return zip(markers, markers.dropFirst()).compactMap { marker, next in
            guard bytes[marker + 1] == 0xDA else { return nil }
            let count = Int(bytes[marker + 4])
            return Scan(
                range: marker..<next,
                componentCount: count,
                component: bytes[marker + 5],
                first: bytes[marker + 5 + 2 * count]
            )
        }
    }

    @Test(arguments: [0.3, 0.8, 0.95])
    func `the image is that of all scans`(quality: Double) throws {
        let data = try Self.photo(quality: quality)
        let image = try Self.decode(data)
        #expect(image.bitmap == (try Self.reference(data)))
        #expect(!image.isPartial)
        let larger = DecodeOptions(target: .fit(PixelSize(width: 40, height: 30)))
        let decoder = ProgressiveJPEGDecoder(options: larger)
        try decoder.append(data)
        #expect(try Codecs.decode(data, options: larger).bitmap == decoder.decode()?.bitmap)
    }

    @Test(arguments: [0.8, 0.95])
    func `scans of details are not read`(quality: Double) throws {
        let data = try Self.photo(quality: quality)
        var damaged = data
        let details = Self.scans(of: data).filter(\.isDetailOfLuma)
        #expect(details.count >= 4)
        // Tables that do not exist, which libjpeg refuses.
        for scan in details { damaged[scan.range.lowerBound + 6] = 0x33 }
        #expect(throws: CodecError.self) { try Codecs.decode(damaged) }
        #expect(try Self.decode(damaged).bitmap == Self.decode(data).bitmap)
    }

    @Test func `scans of reduced chroma are read`() throws {
        let data = try Self.photo(quality: 0.8)
        let chroma = Self.scans(of: data).filter { $0.componentCount == 1 && $0.component == 2 }
        let scan = try #require(chroma.first)
        let damaged = data.patched([0x33], at: scan.range.lowerBound + 6)
        #expect(throws: CodecError.self) { try Self.decode(damaged) }
    }

    @Test func `a file that ends early is decoded as far as it goes`() throws {
        let data = try Self.photo(quality: 0.8)
        var options = DecodeOptions(target: Self.target)
        options.truncation = .keepsPartial
        var partial = 0
        for count in stride(from: data.count / 2, to: data.count - 2, by: 7) {
            do throws(CodecError) {
                let image = try Codecs.decode(data.prefix(count), options: options)
                #expect(image.isPartial)
                #expect(image.bitmap.size == PixelSize(width: 20, height: 15))
                partial += 1
            } catch {
                // The end lies within a header.
                #expect(error == .truncated(.jpeg))
            }
        }
        #expect(partial > 100)
    }

    @Test func `the scans that are not read count against the limit`() throws {
        let data = try Self.photo(quality: 0.8)
        let scan = try #require(Self.scans(of: data).filter(\.isDetailOfLuma).last)
        let repeated = Data(repeatElement(data[scan.range], count: 200).joined())
        let many = data.inserting([UInt8](repeated), at: scan.range.upperBound)
        let error = #expect(throws: CodecError.self) { try Self.decode(many) }
        guard case .corrupt(.jpeg, let detail) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail.contains("100 scans"))
    }

    @Test func `damaged markers and segments end in an image or an error`() throws {
        let data = try Self.photo(quality: 0.8)
        var random = SplitMix64(seed: 17)
        let markers = Self.scans(of: data).flatMap { [$0.range.lowerBound, $0.range.upperBound] }
        for _ in 0..<400 {
            var damaged = data
            let place = try #require(markers.randomElement(using: &random))
            let offset = min(data.count - 1, place + Int.random(in: 0..<12, using: &random))
            damaged[offset] = UInt8.random(in: 0...255, using: &random)
            // Either is right; it must not crash.
            _ = try? Self.decode(damaged)
        }
    }
}
