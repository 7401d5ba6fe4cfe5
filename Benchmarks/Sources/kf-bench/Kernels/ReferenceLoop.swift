import Synchronization

/// A loop whose speed tells that of the machine and of nothing else.
///
/// FNV-1a over a buffer: each step waits for the multiplication before it, so that no compiler can
/// make vectors of it, and it is as fast as the processor's clock.
enum ReferenceLoop {
    private static let bytes = [UInt8](repeating: 0x5A, count: 1 << 19)
    private static let sink = Atomic<UInt64>(0)

    /// The seconds of the processor that one run takes.
    static func seconds() -> Double {
        bytes.withUnsafeBytes { bytes in
            let watch = Stopwatch()
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            let time = watch.cpu
            // The result is kept, or there would be nothing to compute.
            sink.store(hash, ordering: .relaxed)
            return time
        }
    }
}
