import CKFLCMS
import Synchronization

/// The answers to whether profiles stand for sRGB, kept because a comparison takes longer than
/// decoding a small image.
enum KnownProfiles {
    private static let answers = Mutex<[Profile: Bool]>([:])
    /// 64 profiles of at most 64 KiB: 4 MiB.
    private static let (maxCount, maxByteCount) = (64, 64 << 10)

    /// The bytes of a profile.
    ///
    /// An array hashes itself a byte at a time, and Data keeps its address where leak checkers do not
    /// see it.
    private struct Profile: Hashable {
        let bytes: [UInt8]

        init(_ bytes: UnsafeRawBufferPointer) { self.bytes = Array(bytes) }

        func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
    }

    /// The answer for a profile that was seen before; nil for others.
    static func isSRGB(_ bytes: UnsafeRawBufferPointer) -> Bool? {
        guard bytes.count <= maxByteCount else { return nil }
        let profile = Profile(bytes)
        return answers.withLock { $0[profile] }
    }

    /// Whether an opened profile stands for sRGB.
    static func isSRGB(_ bytes: UnsafeRawBufferPointer, _ handle: cmsHPROFILE) -> Bool {
        if let answer = isSRGB(bytes) { return answer }
        let answer = hasColorsOfSRGB(handle)
        guard bytes.count <= maxByteCount else { return answer }
        let profile = Profile(bytes)
        answers.withLock { answers in
            // Rare, as programs meet few profiles, and cheaper than an order of use.
            if answers.count >= maxCount { answers.removeAll() }
            answers[profile] = answer
        }
        return answer
    }

    /// Whether a conversion to sRGB changes no channel by more than two of 255: the rounding of
    /// primaries and curves in the usual profiles of sRGB.
    private static func hasColorsOfSRGB(_ handle: cmsHPROFILE) -> Bool {
        guard cmsGetColorSpace(handle) == cmsSigRgbData,
            let transform = ColorTransform(handle, from: .rgba)
        else { return false }
        // All greys, and 9 × 9 × 9 colours.
        var pixels: [UInt8] = []
        for level in UInt8.min...UInt8.max { pixels += [level, level, level, 255] }
        let levels: [UInt8] = [0, 31, 63, 95, 127, 159, 191, 223, 255]
        for red in levels {
            for green in levels {
                for blue in levels { pixels += [red, green, blue, 255] }
            }
        }
        let original = pixels
        pixels.withUnsafeMutableBufferPointer { row in
            guard let base = row.baseAddress else { return }
            transform.apply(base, width: row.count / 4)
        }
        return zip(original, pixels).allSatisfy { abs(Int($0) - Int($1)) <= 2 }
    }
}
