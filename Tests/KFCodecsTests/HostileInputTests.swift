import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// For any input, the outcome is a value or a ``CodecError``.
struct HostileInputTests {
    /// Small, so that a damaged header cannot make the suite slow.
    private static let limits = DecodeLimits(
        maxPixelCount: 1 << 20,
        maxDimension: 4096,
        maxFrameCount: 100,
        maxAnimationBytes: 16 << 20,
        maxInputBytes: 1 << 20,
        maxWorkingBytes: 16 << 20
    )

    /// `KF_EXHAUSTIVE=1` tries every prefix and a hundred times the flips; minutes, not seconds.
    private static let isExhaustive =
        ProcessInfo.processInfo.environment["KF_EXHAUSTIVE"] == "1"
    private static let rounds = isExhaustive ? 10_000 : 30

    /// The names of the smallest fixture of each format.
    private static let smallest = Set(
        Fixture.kinds.compactMap { kind in
            let pictures = Fixture.all(kind).filter(\.hasExpectation)
            return pictures.min { $0.byteCount < $1.byteCount }?.name
        }
    )

    /// Every length for the smallest fixture of a format; otherwise the whole header and samples of
    /// the rest.
    private static func prefixLengths(of data: Data, _ fixture: Fixture) -> [Int] {
        guard !isExhaustive, !smallest.contains(fixture.name) else { return Array(0..<data.count) }
        let header = min(64, data.count)
        let step = max(1, data.count / 30)
        return Array(0..<header) + Array(stride(from: header, to: data.count, by: step))
    }

    private static let targets: [DecodeOptions.Target] = [
        .full,
        .fit(PixelSize(width: 10, height: 10)),
        .exact(PixelSize(width: 50, height: 20)),
    ]

    @Test(arguments: Fixture.all)
    func `every prefix gives a value or an error`(fixture: Fixture) throws {
        let data = try fixture.data
        for count in Self.prefixLengths(of: data, fixture) {
            let prefix = data.prefix(count)
            let target = Self.targets[count % Self.targets.count]
            let partial = outcome(of: prefix, target, .keepsPartial)
            if case .failure(let error) = partial { #expect(Self.isAboutDamage(error)) }
            // Every fourth, since it takes as long as the other.
            guard Self.isExhaustive || count % 4 == 0 else { continue }
            let strict = outcome(of: prefix, target, .fails)
            if case .success(let image) = strict { #expect(!image.isPartial) }
        }
    }

    @Test(arguments: Fixture.all)
    func `flipped bits give a value or an error`(fixture: Fixture) throws {
        var random = SplitMix64(seed: fixture.name.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
        let data = try fixture.data
        for round in 0..<Self.rounds {
            var damaged = data
            for _ in 0...Int(random.next() % 4) {
                let bit = Int(random.next() % UInt64(data.count * 8))
                damaged[bit / 8] ^= 1 << (bit % 8)
            }
            let target = Self.targets[round % Self.targets.count]
            if case .success(let image) = outcome(of: damaged, target, .keepsPartial) {
                #expect(image.bitmap.size.longestSide <= Self.limits.maxDimension)
            }
            _ = try? Codecs.inspect(damaged)  // only that it returns
            playThrough(damaged)
        }
    }

    @Test func `a header that claims 60,000 × 60,000 is refused before memory is taken`() throws {
        let data = try Fixture(name: "claims-60000.png").data
        #expect(
            throws: CodecError.limitExceeded(.dimension, value: 60_000, allowed: 32_767)
        ) { try Codecs.decode(data) }
        var limits = DecodeLimits.default
        limits.maxDimension = 65_535
        #expect(
            throws: CodecError.limitExceeded(
                .pixelCount,
                value: 3_600_000_000,
                allowed: 200_000_000
            )
        ) { try Codecs.decode(data, options: DecodeOptions(limits: limits)) }
    }

    @Test func `no bytes, unknown bytes and too many bytes are different errors`() throws {
        #expect(throws: CodecError.empty) { try Codecs.decode(Data()) }
        #expect(throws: CodecError.empty) { try Codecs.inspect(Data()) }
        #expect(throws: CodecError.unknownFormat) { try Codecs.decode(Data("<html>".utf8)) }
        let data = try Fixture(name: "baseline.jpg").data
        var limits = DecodeLimits.default
        limits.maxInputBytes = 100
        #expect(
            throws: CodecError.limitExceeded(.inputBytes, value: data.count, allowed: 100)
        ) { try Codecs.decode(data, options: DecodeOptions(limits: limits)) }
    }

    @Test func `a progressive file beyond the working memory is refused`() throws {
        var limits = DecodeLimits.default
        limits.maxWorkingBytes = 1000
        let data = try Fixture(name: "progressive.jpg").data
        let error = #expect(throws: CodecError.self) {
            try Codecs.decode(data, options: DecodeOptions(limits: limits))
        }
        guard case .limitExceeded(.workingBytes, _, 1000) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    private func outcome(
        of data: Data,
        _ target: DecodeOptions.Target,
        _ truncation: DecodeOptions.Truncation
    ) -> Result<DecodedImage, CodecError> {
        let options = DecodeOptions(target: target, limits: Self.limits, truncation: truncation)
        return Result { () throws(CodecError) in try Codecs.decode(data, options: options) }
    }

    /// Every frame of a damaged animation is a bitmap or an error.
    private func playThrough(_ data: Data) {
        let options = DecodeOptions(limits: Self.limits, truncation: .keepsPartial)
        // Checks only that it returns; decoding has checked the result. Stills were decoded before.
        guard let format = Codecs.format(of: data),
            (try? Codecs.animationReader(data, format, options)) != nil,
            let decoder = try? FrameDecoder(data, options: options), decoder.frameCount > 1
        else { return }
        for index in 0..<min(decoder.frameCount, 8) {
            if let frame = try? decoder.frame(at: index) { #expect(frame.size == decoder.size) }
        }
    }

    private static func isAboutDamage(_ error: CodecError) -> Bool {
        switch error {
        case .empty, .unknownFormat, .truncated, .corrupt, .limitExceeded, .notDrawn: true
        case .unsupported, .missingLibrary, .pixels, .encodingFailed, .cancelled: false
        }
    }
}
