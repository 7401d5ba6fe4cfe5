internal import CKFCryptoShim
import Foundation

/// A SHA-256 digest (FIPS 180-4), computed by libcrypto.
///
/// Traps if memory runs out, as any allocation in Swift does; libcrypto has no other reason to fail
/// here.
struct SHA256: ~Copyable {
    static let byteCount = Int(KF_SHA256_BYTES)

    private let hasher: UnsafeMutableRawPointer

    init() {
        guard let hasher = kf_sha256_new() else { fatalError("out of memory for a SHA-256 digest") }
        self.hasher = hasher
    }

    deinit { kf_sha256_free(hasher) }

    func update(_ bytes: UnsafeRawBufferPointer) {
        precondition(kf_sha256_update(hasher, bytes.baseAddress, bytes.count) == 1)
    }

    func update(_ bytes: some ContiguousBytes) { bytes.withUnsafeBytes { update($0) } }

    /// Returns the digest of all bytes so far, and ends the computation.
    consuming func finalize() -> [UInt8] {
        let hasher = hasher
        return Self.digest { kf_sha256_final(hasher, $0) }
    }

    /// Returns the digest of `bytes`; needs fewer allocations than an incremental digest.
    static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        digest { kf_sha256(bytes.baseAddress, bytes.count, $0) }
    }

    static func hash(_ bytes: some ContiguousBytes) -> [UInt8] {
        bytes.withUnsafeBytes { hash($0) }
    }

    private static func digest(_ write: (UnsafeMutablePointer<UInt8>?) -> CInt) -> [UInt8] {
        Counters.digests.add()
        return [UInt8](unsafeUninitializedCapacity: byteCount) { digest, count in
            precondition(write(digest.baseAddress) == 1, "libcrypto has no SHA-256")
            count = byteCount
        }
    }
}
