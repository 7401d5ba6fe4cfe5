#if canImport(Glibc)
import CServerMemory
#endif

/// The memory of files, which a service gets and frees all the time.
public enum LargeBlocks {
    /// Makes the process give each block of 128 KiB or more back to the system when it is freed.
    ///
    /// By default glibc does so only until the first large block is freed. From then on it cuts such
    /// blocks out of its heaps, and the results that a cache keeps between them leave gaps: a service
    /// with 256 MB of results took 635 MB, and 344 MB with this. Call it once, at the start of a
    /// program that runs an ``ImageService``; it costs a system call for each of these blocks.
    public static func returnToSystem() {
        #if canImport(Glibc)
        // A fixed threshold turns off the one that moves.
        _ = mallopt(M_MMAP_THRESHOLD, 128 << 10)
        #endif
    }
}
