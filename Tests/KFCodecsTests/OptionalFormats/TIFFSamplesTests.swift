import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Samples of TIFF in all their kinds, in files that are written here.
@Suite(.enabled(if: Fixture.has(.tiff)))
struct TIFFSamplesTests {
    /// A file of 5 × 3 pixels.
    struct Sample: CustomTestStringConvertible, Sendable {
        enum Photometric: Int, CaseIterable, Sendable {
            case white = 0
            case black, rgb, palette
            case inks = 5

            var colors: Int { [.rgb: 3, .inks: 4][self] ?? 1 }
        }

        enum Extra: Int, Sendable {
            case unspecified, associated, straight
        }

        var photometric: Photometric
        var bits = 8
        /// 1 for whole numbers, 2 for those with a sign, 3 for floating point.
        var format = 1
        var extra: Extra?
        var isPlanar = false
        var isBig = false
        /// The greatest value of a table with the 16 greys of 8 bits; 0 for a table of colours.
        var white = 0

        static let size = PixelSize(width: 5, height: 3)

        var count: Int { photometric.colors + (extra == nil ? 0 : 1) }

        var testDescription: String {
            "\(photometric) \(bits) \(format) \(extra.map { "\($0)" } ?? "") \(isPlanar) \(isBig)"
        }

        fileprivate func level(_ x: Int, _ y: Int, _ sample: Int) -> Int {
            (x * 3 + y * 5 + sample * 2) % 8
        }

        /// The value of a sample from 0 to 1, as its kind can store it.
        func value(_ x: Int, _ y: Int, _ sample: Int) -> Double {
            let value = Double(level(x, y, sample)) / 7
            return format == 3 ? value : (value * most).rounded() / most
        }

        private var most: Double { Double(UInt64.max >> (64 - bits)) }

        /// The stored number.
        private func stored(_ x: Int, _ y: Int, _ sample: Int) -> UInt64 {
            if photometric == .palette, sample == 0 {
                return UInt64(level(x, y, 0) & (1 << bits - 1))
            }
            let value = value(x, y, sample)
            if format == 3 {
                return bits == 32 ? UInt64(Float(value).bitPattern) : value.bitPattern
            }
            let number = UInt64((value * most).rounded())
            return format == 2 ? number ^ (1 << (bits - 1)) : number
        }

        private func append(_ row: [UInt64], to pixels: inout [UInt8]) {
            if bits >= 16 {
                for value in row {
                    for byte in 0..<bits / 8 {
                        pixels.append(UInt8(truncatingIfNeeded: value >> (8 * byte)))
                    }
                }
                return
            }
            var bitsOfRow = row.flatMap { value in (0..<bits).map { value >> (bits - 1 - $0) & 1 } }
            while bitsOfRow.count % 8 != 0 { bitsOfRow.append(0) }
            for start in stride(from: 0, to: bitsOfRow.count, by: 8) {
                pixels.append(UInt8(bitsOfRow[start..<start + 8].reduce(0) { $0 << 1 | $1 }))
            }
        }

        var file: Data {
            let size = Self.size
            var strips: [[UInt8]] = []
            for plane in 0..<(isPlanar ? count : 1) {
                var pixels: [UInt8] = []
                for y in 0..<size.height {
                    let row = (0..<size.width).flatMap { x in
                        (isPlanar ? plane...plane : 0...count - 1).map { stored(x, y, $0) }
                    }
                    append(row, to: &pixels)
                }
                strips.append(pixels)
            }
            var tags: [(tag: Int, values: [Int])] = [
                (256, [size.width]), (257, [size.height]),
                (258, [Int](repeating: bits, count: count)), (259, [1]),
                (262, [photometric.rawValue]),
                (273, []), (277, [count]), (278, [size.height]), (279, strips.map(\.count)),
                (284, [isPlanar ? 2 : 1]),
            ]
            if photometric == .palette {
                let map = (0..<3).flatMap { c in (0..<1 << bits).map { color(UInt64($0), c) } }
                tags.append((320, map))
            }
            if let extra { tags.append((338, [extra.rawValue])) }
            tags.append((339, [Int](repeating: format, count: count)))
            return laidOut(tags, strips)
        }

        /// An entry of the table of colours.
        func color(_ index: UInt64, _ channel: Int) -> Int {
            guard white == 0 else { return Int(index) * 17 * (white / 255) }
            return Int(index) % 8 * 9000 + channel * 256
        }

        private func laidOut(_ tags: [(tag: Int, values: [Int])], _ strips: [[UInt8]]) -> Data {
            func number(_ value: Int, _ bytes: Int) -> [UInt8] {
                (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            }
            let wide = isBig ? 8 : 4
            let header = isBig ? 16 : 8
            let directory = (isBig ? 8 : 2) + tags.count * (isBig ? 20 : 12) + wide
            var tail: [UInt8] = []
            var places: [Int] = []
            for strip in strips {
                places.append(header + directory + tail.count)
                tail += strip + [UInt8](repeating: 0, count: strip.count % 2)
            }
            var file =
                isBig
                ? Array("II".utf8) + number(43, 2) + number(8, 2) + number(0, 2) + number(16, 8)
                : Array("II".utf8) + number(42, 2) + number(8, 4)
            file += number(tags.count, isBig ? 8 : 2)
            for (tag, known) in tags {
                let values = tag == 273 ? places : known
                // Offsets and lengths of 32 bits, everything else of 16.
                let (type, bytes) = tag == 273 || tag == 279 ? (4, 4) : (3, 2)
                var contents = values.flatMap { number($0, bytes) }
                if contents.count > wide {
                    let place = header + directory + tail.count
                    tail += contents + [UInt8](repeating: 0, count: contents.count % 2)
                    contents = number(place, wide)
                }
                contents += [UInt8](repeating: 0, count: wide - contents.count)
                file += number(tag, 2) + number(type, 2) + number(values.count, wide) + contents
            }
            return Data(file + number(0, wide) + tail)
        }

        /// Straight red, green, blue and alpha from 0 to 1.
        func expected(_ x: Int, _ y: Int) -> [Double] {
            let rgb: [Double] =
                switch photometric {
                case .white: [Double](repeating: 1 - value(x, y, 0), count: 3)
                case .black: [Double](repeating: value(x, y, 0), count: 3)
                case .rgb: (0..<3).map { value(x, y, $0) }
                case .palette: (0..<3).map { Double(color(stored(x, y, 0), $0)) / 65535 }
                case .inks: (0..<3).map { (1 - value(x, y, $0)) * (1 - value(x, y, 3)) }
                }
            return rgb + [hasAlpha ? value(x, y, photometric.colors) : 1]
        }

        var hasAlpha: Bool {
            switch extra {
            case nil: false
            // As in most programs.
            case .unspecified: photometric == .rgb
            case .associated, .straight: true
            }
        }
    }

    private static let samples: [Sample] = {
        var samples: [Sample] = []
        let kinds = [
            (1, 1), (2, 1), (4, 1), (8, 1), (12, 1), (16, 1), (32, 1), (16, 2), (32, 3), (64, 3),
        ]
        for photometric in Sample.Photometric.allCases {
            for (bits, format) in kinds where photometric != .palette || bits == 4 || bits == 8 {
                for extra in [nil, .unspecified, .associated, .straight] as [Sample.Extra?] {
                    for isPlanar in [false, true] {
                        let sample = Sample(
                            photometric: photometric,
                            bits: bits,
                            format: format,
                            extra: extra,
                            isPlanar: isPlanar,
                            isBig: isPlanar
                        )
                        if sample.count > 1 || !isPlanar { samples.append(sample) }
                    }
                }
            }
        }
        return samples
    }()

    @Test(arguments: samples)
    func `samples of every kind are read`(_ sample: Sample) throws {
        let decoded = try Codecs.decode(sample.file)
        #expect(decoded.info.hasAlpha == sample.hasAlpha)
        #expect(decoded.bitmap.size == Sample.size)
        for y in 0..<Sample.size.height {
            for x in 0..<Sample.size.width {
                let pixel = decoded.bitmap[x, y]
                let expected = sample.expected(x, y)
                // Stored premultiplied, the colours are at most alpha.
                let factor = sample.hasAlpha && sample.extra == .straight ? expected[3] : 1
                let limit = sample.hasAlpha ? expected[3] : 1
                let channels = [pixel.red, pixel.green, pixel.blue].map { Double($0) / 255 }
                for (channel, value) in zip(channels, expected) where value * factor <= limit {
                    #expect(abs(channel - value * factor) <= 1.1 / 255, "\(x) \(y)")
                }
                #expect(abs(Double(pixel.alpha) / 255 - expected[3]) <= 0.6 / 255, "\(x) \(y)")
            }
        }
    }

    /// Tables hold values of 8 bits as they are, times 257 and, by many programs, shifted.
    @Test(arguments: [255, 255 << 8, 255 * 257])
    func `a table of 8-bit colours keeps them`(white: Int) throws {
        let sample = Sample(photometric: .palette, bits: 4, white: white)
        let bitmap = try Codecs.decode(sample.file).bitmap
        for y in 0..<Sample.size.height {
            for x in 0..<Sample.size.width {
                let grey = UInt8(sample.level(x, y, 0) * 17)
                #expect(bitmap[x, y] == RGBA(red: grey, green: grey, blue: grey))
            }
        }
    }
}
