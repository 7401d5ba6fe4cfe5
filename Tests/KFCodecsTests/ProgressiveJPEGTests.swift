import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Images of a progressive JPEG that is still arriving.
struct ProgressiveJPEGTests {
    private typealias Progress = ProgressiveJPEGDecoder.Progress

    /// A progressive photo that is large enough for several rows of blocks.
    private static func photo(_ size: Int = 120) throws -> Data {
        let small = try Codecs.decode(Fixture(name: "444.jpg").data).bitmap
        let large = try resample(small, to: PixelSize(width: size, height: size * 3 / 4))
        return try Codecs.encode(large, as: .jpeg, options: EncodeOptions(isProgressive: true))
    }

    /// The photo with the application segment `marker` of another fixture.
    private static func photo(withSegment marker: UInt8, of name: String) throws -> Data {
        let donor = try Fixture(name: name).data
        let start = try #require(donor.firstRange(of: [0xFF, marker])).lowerBound
        let length = Int(donor[start + 2]) << 8 | Int(donor[start + 3])
        var data = try photo()
        data.insert(contentsOf: donor[start..<start + 2 + length], at: 2)
        return data
    }

    private static func count(_ progress: Progress) -> Int {
        switch progress {
        case .needsHeader, .notProgressive: 0
        case .scans(let count), .complete(let count): count
        }
    }

    @Test(arguments: [1, 7, 100, 1_000_000])
    func `scans are reported in order, and the last one is the whole image`(step: Int) throws {
        let data = try Self.photo()
        let usual = try Codecs.decode(data)
        let decoder = ProgressiveJPEGDecoder()
        var last = 0
        var offset = 0
        while offset < data.count {
            let progress = try decoder.append(data[offset..<min(offset + step, data.count)])
            offset += step
            #expect(progress == decoder.progress)
            #expect(Self.count(progress) >= last)
            if step == 1 { #expect(Self.count(progress) <= last + 1) }
            guard Self.count(progress) > last else { continue }
            last = Self.count(progress)
            let image = try #require(try decoder.decode())
            #expect(image.isPartial == (progress != .complete(scanCount: last)))
            #expect(image.bitmap.size == usual.bitmap.size)
        }
        // jpeg_simple_progression writes ten scans.
        #expect(decoder.progress == .complete(scanCount: 10))
        let final = try #require(try decoder.decode())
        #expect(final.bitmap == usual.bitmap)
        #expect(final.info == usual.info)
        #expect(!final.isPartial)
    }

    @Test func `each scan is closer to the image than the first one`() throws {
        let data = try Self.photo()
        let full = try Codecs.decode(data).bitmap
        let decoder = ProgressiveJPEGDecoder()
        var distances: [Int] = []
        for byte in data {
            let before = Self.count(decoder.progress)
            let after = try Self.count(decoder.append(Data([byte])))
            guard after > before, let image = try decoder.decode() else { continue }
            distances.append(Self.distance(image.bitmap, full))
        }
        #expect(distances.count == 10)
        #expect(distances.dropFirst().allSatisfy { $0 < distances[0] }, "\(distances)")
        #expect(distances.last == 0)
    }

    @Test func `an image may be requested at any byte, also twice`() throws {
        let data = try Self.photo(64)
        let usual = try Codecs.decode(data).bitmap
        let decoder = ProgressiveJPEGDecoder()
        for byte in data {
            let progress = try decoder.append(Data([byte]))
            let image = try decoder.decode()
            #expect((image == nil) == (Self.count(progress) == 0))
            #expect(try decoder.decode()?.bitmap == image?.bitmap)
        }
        #expect(try decoder.decode()?.bitmap == usual)
    }

    @Test(arguments: [
        DecodeOptions.Target.fit(PixelSize(width: 20, height: 20)),
        .exact(PixelSize(width: 50, height: 90)),
        .fit(PixelSize(width: 1000, height: 1000)),
    ])
    func `the target is that of the usual way`(target: DecodeOptions.Target) throws {
        let data = try Self.photo(withSegment: 0xE1, of: "exif6.jpg")
        let options = DecodeOptions(target: target)
        let usual = try Codecs.decode(data, options: options)
        let decoder = ProgressiveJPEGDecoder(options: options)
        try decoder.append(data.prefix(data.count / 2))
        #expect(try decoder.decode()?.bitmap.size == usual.bitmap.size)
        try decoder.append(data.dropFirst(data.count / 2))
        #expect(try decoder.decode()?.bitmap == usual.bitmap)
    }

    @Test(arguments: [("exif6.jpg", UInt8(0xE1)), ("exif3.jpg", 0xE1), ("profile.jpg", 0xE2)])
    func `orientation and profile count for every scan`(name: String, marker: UInt8) throws {
        let data = try Self.photo(withSegment: marker, of: name)
        let usual = try Codecs.decode(data)
        #expect(usual.info.orientation != .up || usual.info.hasColorProfile)
        let decoder = ProgressiveJPEGDecoder()
        try decoder.append(data.prefix(data.count * 9 / 10))
        let early = try #require(try decoder.decode())
        #expect(early.info == usual.info)
        #expect(early.bitmap.size == usual.bitmap.size)
        // Nine tenths contain the colours; without the profile the distance is several times that.
        #expect(Self.distance(early.bitmap, usual.bitmap) < 4 * 120 * 90)
        try decoder.append(data.dropFirst(data.count * 9 / 10))
        #expect(try decoder.decode()?.bitmap == usual.bitmap)
    }

    @Test func `the fixture of another encoder comes out as usual`() throws {
        let data = try Fixture(name: "progressive.jpg").data
        let decoder = ProgressiveJPEGDecoder()
        for byte in data { try decoder.append(Data([byte])) }
        #expect(try decoder.decode()?.bitmap == Codecs.decode(data).bitmap)
    }

    @Test(arguments: Fixture.all.filter { !$0.name.hasPrefix("progressive") })
    func `other files are recognised as not progressive by their header`(fixture: Fixture) throws {
        let data = try fixture.data
        let decoder = ProgressiveJPEGDecoder()
        var used = 0
        while used < data.count, decoder.progress == .needsHeader {
            try decoder.append(data[used...used])
            used += 1
        }
        #expect(decoder.progress == .notProgressive)
        #expect(try decoder.decode() == nil)
        #expect(decoder.info == nil)
        // The frame header, before the first scan, is sufficient.
        if fixture.name.hasSuffix(".jpg") {
            let scan = try #require(data.lastRange(of: [0xFF, 0xDA])).lowerBound
            #expect(used <= scan)
        } else {
            #expect(used < 40)
        }
        #expect(try decoder.append(data[used...]) == .notProgressive)
    }

    @Test func `bytes after the end change nothing`() throws {
        let data = try Self.photo()
        let decoder = ProgressiveJPEGDecoder()
        #expect(try decoder.append(data) == .complete(scanCount: 10))
        #expect(try decoder.append(data) == .complete(scanCount: 10))
        #expect(try decoder.decode()?.bitmap == Codecs.decode(data).bitmap)
    }

    @Test func `more scans than any real file has are refused`() throws {
        let data = try Self.photo(16)
        let scan = try #require(data.lastRange(of: [0xFF, 0xDA])).lowerBound
        let decoder = ProgressiveJPEGDecoder()
        try decoder.append(data.prefix(scan))
        let error = try #require(throws: CodecError.self) {
            // The last scan repeated endlessly.
            for _ in 0..<200 { try decoder.append(data[scan..<data.count - 2]) }
        }
        guard case .corrupt(.jpeg, let detail) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(detail.contains("100 scans"))
        // An error is final.
        #expect(throws: error) { try decoder.append(Data()) }
        #expect(throws: error) { try decoder.decode() }
    }

    @Test func `limits hold before memory is taken`() throws {
        let data = try Self.photo()
        var limits = DecodeLimits.default
        limits.maxWorkingBytes = 1000
        var decoder = ProgressiveJPEGDecoder(options: DecodeOptions(limits: limits))
        #expect(
            throws: CodecError.limitExceeded(.workingBytes, value: 32_400, allowed: 1000)
        ) { try decoder.append(data) }
        limits = .default
        limits.maxDimension = 100
        decoder = ProgressiveJPEGDecoder(options: DecodeOptions(limits: limits))
        #expect(throws: CodecError.limitExceeded(.dimension, value: 120, allowed: 100)) {
            try decoder.append(data)
        }
        limits = .default
        limits.maxInputBytes = 50
        decoder = ProgressiveJPEGDecoder(options: DecodeOptions(limits: limits))
        try decoder.append(data.prefix(50))
        #expect(throws: CodecError.limitExceeded(.inputBytes, value: 51, allowed: 50)) {
            try decoder.append(data[50...50])
        }
    }

    @Test func `flipped bits give images or errors`() throws {
        let data = try Self.photo(40)
        var random = SplitMix64(seed: 5)
        for _ in 0..<300 {
            var damaged = data
            for _ in 0...Int(random.next() % 4) {
                let bit = Int(random.next() % UInt64(data.count * 8))
                damaged[bit / 8] ^= 1 << (bit % 8)
            }
            var limits = DecodeLimits.default
            limits.maxPixelCount = 1 << 20
            let decoder = ProgressiveJPEGDecoder(options: DecodeOptions(limits: limits))
            // Checks only that it returns; the result for a damaged file is undefined.
            do throws(CodecError) {
                for start in stride(from: 0, to: damaged.count, by: 64) {
                    try decoder.append(damaged[start..<min(start + 64, damaged.count)])
                    if let image = try decoder.decode() { #expect(!image.bitmap.size.isEmpty) }
                }
            } catch {
                #expect(throws: error) { try decoder.decode() }
            }
        }
    }

    /// The sum of all differences.
    private static func distance(_ one: Bitmap, _ other: Bitmap) -> Int {
        var sum = 0
        for y in 0..<one.height {
            for x in 0..<one.width {
                let (left, right) = (one[x, y], other[x, y])
                for channel in [\RGBA.red, \.green, \.blue] {
                    sum += abs(Int(left[keyPath: channel]) - Int(right[keyPath: channel]))
                }
            }
        }
        return sum
    }
}
