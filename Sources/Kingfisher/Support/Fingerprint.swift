internal import CKFCryptoShim
import Foundation

/// Identifies bytes in this process.
///
/// GMAC under a random key, because a cryptographic hash takes eight times as long.
struct Fingerprint: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Nil for bytes of 2 GiB or more, and without random numbers.
    init?(_ data: Data) {
        var halves: (UInt64, UInt64) = (0, 0)
        let isMade = data.withUnsafeBytes { bytes in
            withUnsafeMutableBytes(of: &halves) { halves in
                kf_fingerprint(
                    bytes.baseAddress,
                    bytes.count,
                    halves.bindMemory(to: UInt8.self).baseAddress
                ) == 1
            }
        }
        guard isMade else { return nil }
        (high, low) = halves
    }
}
