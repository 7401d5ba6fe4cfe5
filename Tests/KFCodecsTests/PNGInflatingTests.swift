import CKFCodecShims
import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Inflating with ISA-L, which must give what libpng gives with zlib.
struct PNGInflatingTests {
    /// What the decoder delivers.
    struct Outcome: Equatable {
        var rows: [[UInt8]] = []
        var status = KF_PNG_OK
        var message = ""
    }

    /// Reads all rows; `fastRows` of them were inflated with ISA-L.
    private static func read(
        _ file: Data,
        _ inflater: kf_png_inflater
    ) -> (outcome: Outcome, fastRows: Int) {
        var outcome = Outcome()
        var fastRows = 0
        file.withUnsafeBytes { bytes in
            let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
            guard let start,
                let decoder = kf_png_decoder_create(start, bytes.count, 1 << 16, inflater)
            else { return }
            defer { kf_png_decoder_destroy(decoder) }
            var header = kf_png_header()
            outcome.status = kf_png_decoder_start(decoder, &header)
            while outcome.status == KF_PNG_OK, outcome.rows.count < header.height {
                var row = [UInt8](repeating: 0, count: Int(header.width) * 4)
                if header.is_interlaced != 0 {
                    row = [UInt8](repeating: 0, count: row.count * Int(header.height))
                    var count: UInt32 = 0
                    let stride = Int(header.width) * 4
                    outcome.status = kf_png_decoder_read_picture(decoder, &row, stride, &count)
                    outcome.rows.append(row)
                    break
                }
                outcome.status = kf_png_decoder_read_row(decoder, &row)
                guard outcome.status == KF_PNG_OK else { break }
                outcome.rows.append(row)
                fastRows += kf_png_decoder_inflates_fast(decoder) != 0 ? 1 : 0
            }
            if outcome.status != KF_PNG_OK {
                outcome.message = String(cString: kf_png_message(decoder))
            }
        }
        return (outcome, fastRows)
    }

    private static func agree(_ file: Data) -> Bool {
        read(file, KF_PNG_FASTEST).outcome == read(file, KF_PNG_ZLIB).outcome
    }

    /// Whether ISA-L is installed; its header was there when this was built.
    private static let isInstalled =
        read(PNGSample(width: 2, height: 2).file, KF_PNG_FASTEST).fastRows > 0

    @Test(arguments: Fixture.all("png"))
    func `a fixture has the same rows`(fixture: Fixture) throws {
        #expect(Self.agree(try fixture.data))
    }

    @Test(arguments: PNGSample.depths.keys.sorted(), [0, 1, 6, 12] as [Int32])
    func `every layout has the same rows with every filter`(colorType: Int, level: Int32) {
        let filters: [UInt8?] = [nil, 0, 1, 2, 3, 4]
        for depth in PNGSample.depths[colorType, default: []] {
            for (filter, size) in zip(
                filters,
                [(1, 1), (5, 3), (3, 40), (33, 8), (200, 61), (7, 7)]
            ) {
                var sample = PNGSample(width: size.0, height: size.1, colorType: colorType)
                sample.depth = depth
                sample.filter = filter
                sample.level = level
                let fast = Self.read(sample.file, KF_PNG_FASTEST)
                #expect(fast.outcome == Self.read(sample.file, KF_PNG_ZLIB).outcome, "\(sample)")
                #expect(fast.outcome.rows.count == size.1)
                #expect(fast.fastRows == (Self.isInstalled ? size.1 : 0), "\(sample)")
            }
        }
    }

    @Test(arguments: [1, 2, 3, 1000, .max])
    func `the length of chunks does not matter`(chunkSize: Int) {
        var sample = PNGSample(width: 100, height: 40)
        sample.chunkSize = chunkSize
        let fast = Self.read(sample.file, KF_PNG_FASTEST)
        #expect(fast.outcome == Self.read(sample.file, KF_PNG_ZLIB).outcome)
        // The stream's header has to be in one chunk.
        #expect(fast.fastRows == (Self.isInstalled && chunkSize > 1 ? 40 : 0))
    }

    @Test func `rows may be longer than a block, and batches shorter than the image`() {
        let wide = PNGSample(width: 20_000, height: 5, colorType: 6, depth: 16)
        let high = PNGSample(width: 30, height: 3001)
        for sample in [wide, high] {
            let fast = Self.read(sample.file, KF_PNG_FASTEST)
            #expect(fast.outcome == Self.read(sample.file, KF_PNG_ZLIB).outcome)
            #expect(fast.fastRows == (Self.isInstalled ? sample.height : 0))
        }
    }

    @Test(arguments: 0...8)
    func `a stream that announces a small window is read by zlib`(bits: Int) {
        for level in [0, 6] as [Int32] {
            var sample = PNGSample(width: 200, height: 100)
            sample.level = level
            var stream = sample.stream
            let method = bits << 4 | 8
            stream[0] = UInt8(method)
            // The header is a multiple of 31.
            stream[1] = UInt8((31 - (method << 8) % 31) % 31)
            let file = sample.file(pixels: stream)
            #expect(Self.agree(file))
            let isFast = Self.read(file, KF_PNG_FASTEST).fastRows > 0
            #expect(isFast == (Self.isInstalled && bits == 7))
        }
    }

    @Test func `a file that ends early has the same rows`() {
        var sample = PNGSample(width: 40, height: 20)
        sample.chunkSize = 500
        let file = sample.file
        for count in 0..<file.count {
            #expect(Self.agree(file.prefix(count)), "\(count) of \(file.count)")
        }
    }

    @Test func `a damaged file has the same rows and the same error`() {
        var sample = PNGSample(width: 20, height: 9)
        sample.chunkSize = 100
        let file = sample.file
        for place in 0..<file.count {
            for bit in [0, 3, 7] {
                let damaged = file.patched([file[place] ^ 1 << bit], at: place)
                #expect(Self.agree(damaged), "bit \(bit) of byte \(place)")
            }
        }
    }

    @Test(arguments: [0, 1, 6] as [Int32])
    func `a damaged stream in sound chunks has the same rows and error, or all sound rows`(
        level: Int32
    ) {
        var sample = PNGSample(width: 30, height: 12)
        sample.level = level
        let stream = sample.stream
        let sound = Self.read(sample.file, KF_PNG_ZLIB).outcome
        for place in stream.indices {
            for bit in [1, 2, 6] {
                var damaged = stream
                damaged[place] ^= 1 << bit
                let file = sample.file(pixels: damaged)
                let fast = Self.read(file, KF_PNG_FASTEST).outcome
                let slow = Self.read(file, KF_PNG_ZLIB).outcome
                // zlib refuses a table of distances with unused codes; the checksum proves the rows.
                let isOnlyTable = fast == sound && slow.message.contains("invalid distances set")
                #expect(fast == slow || isOnlyTable, "bit \(bit) of byte \(place)")
            }
        }
    }

    @Test func `damage after thousands of rows is found by libpng`() throws {
        try #require(Self.isInstalled)
        let sample = PNGSample(width: 90, height: 2000)
        var stream = sample.stream
        stream[stream.count * 3 / 4] ^= 0x10
        let fast = Self.read(sample.file(pixels: stream), KF_PNG_FASTEST)
        #expect(fast.fastRows > 500)
        #expect(fast.outcome == Self.read(sample.file(pixels: stream), KF_PNG_ZLIB).outcome)
        #expect(fast.outcome.status == KF_PNG_CORRUPT)
    }

    @Test(arguments: [-2000, -1, 1, 2000])
    func `too few and too many pixels have the same outcome`(excess: Int) {
        var sample = PNGSample(width: 60, height: 300)
        sample.excess = excess
        #expect(Self.agree(sample.file))
    }

    @Test func `bytes after the stream have the same outcome`() {
        let sample = PNGSample(width: 60, height: 30)
        for extra in [[0], [UInt8](repeating: 7, count: 9000)] {
            #expect(Self.agree(sample.file(pixels: sample.stream + extra)))
        }
        for missing in 1...12 {
            #expect(Self.agree(sample.file(pixels: sample.stream.dropLast(missing))))
        }
        #expect(Self.agree(sample.file(pixels: [])))
    }

    @Test func `other chunks between and empty chunks have the same outcome`() throws {
        var sample = PNGSample(width: 60, height: 30)
        sample.chunkSize = 300
        let file = sample.file
        let first = try file.index(of: "IDAT") - 4
        let second = first + 312
        for chunk in [PNGSample.chunk("IDAT", []), PNGSample.chunk("tEXt", Array("a\0b".utf8))] {
            for place in [first, second] {
                #expect(Self.agree(file.inserting(Array(chunk), at: place)))
            }
        }
    }

    @Test func `a thumbnail has the same pixels`() throws {
        let file = PNGSample(width: 300, height: 200, colorType: 6).file
        let options = DecodeOptions(target: .fit(PixelSize(width: 40, height: 40)))
        let bitmaps = try [KF_PNG_ZLIB, KF_PNG_FASTEST].map { inflater in
            try file.withUnsafeBytes { bytes in
                try PNGDecoder(bytes: bytes, options: options, inflater: inflater).decode().bitmap
            }
        }
        for y in 0..<bitmaps[0].height {
            for x in 0..<bitmaps[0].width { #expect(bitmaps[0][x, y] == bitmaps[1][x, y]) }
        }
    }
}
