import Pixels

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Pixels on the heap of a worker.
///
/// A worker is one thread and ends after some files, so that the heap reuses what the last file has
/// freed: a new mapping costs a page fault for every 4 KiB.
///
/// `@unchecked`: a pointer is not `Sendable`. The storage that owns the memory rules who writes it.
final class HeapMemory: PixelMemory, @unchecked Sendable {
    let base: UnsafeMutableRawPointer

    /// Takes zeroed memory; nil when there is none.
    init?(byteCount: Int) {
        var address: UnsafeMutableRawPointer?
        // A cache line, and enough for any SIMD load.
        guard posix_memalign(&address, 64, byteCount) == 0, let address else { return nil }
        memset(address, 0, byteCount)
        base = address
    }

    deinit { free(base) }
}

/// Takes pixels from the heap.
struct HeapMemorySource: PixelMemorySource {
    func memory(byteCount: Int) -> (any PixelMemory)? { HeapMemory(byteCount: byteCount) }
}
