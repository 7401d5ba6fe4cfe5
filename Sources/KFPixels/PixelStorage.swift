import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Memory for pixels, zeroed on allocation and freed with the last reference.
///
/// Toolkits can use ``base`` without a copy while they hold a reference to the storage.
///
/// `@unchecked`: a pointer is not `Sendable`. Only the creator of a ``Bitmap`` writes the bytes,
/// before it shares the storage, and never while another reference exists. An animation's canvas
/// reuses its storage only if it holds the single reference.
package final class PixelStorage: @unchecked Sendable {
    package let base: UnsafeMutableRawPointer
    package let byteCount: Int
    private let isMapped: Bool
    /// Keeps borrowed memory alive; nil if the storage owns its memory.
    package let owner: (any AnyObject & Sendable)?

    // From 64 KiB on (a thumbnail of 128 × 128), the memory is mapped, so that freeing it returns
    // it to the system. glibc's arenas, one per decoding thread, would keep it resident, and the
    // memory of servers and scrolling lists would grow. For smaller sizes, a mapping would waste
    // much of its last page, and the heap's freed blocks are reused.
    private static let mappingThreshold = 1 << 16

    package init(byteCount: Int) throws(PixelError) {
        self.byteCount = byteCount
        // Larger storage gets huge pages, which other sources do not have.
        if Self.mappingThreshold..<Self.hugePage ~= byteCount,
            let memory = Self.source.withLock({ $0 })?.memory(byteCount: byteCount)
        {
            (base, owner) = (memory.base, memory)
            isMapped = false
            return
        }
        owner = nil
        isMapped = byteCount >= Self.mappingThreshold
        if isMapped {
            guard let address = Self.map(byteCount) else { throw .outOfMemory(bytes: byteCount) }
            base = address
        } else {
            // 64 bytes: a cache line, and enough for any SIMD load.
            var address: UnsafeMutableRawPointer?
            guard posix_memalign(&address, 64, max(byteCount, 64)) == 0, let address else {
                throw .outOfMemory(bytes: byteCount)
            }
            memset(address, 0, max(byteCount, 64))
            base = address
        }
    }

    /// Borrows memory that is no longer written.
    ///
    /// - Parameters:
    ///   - base: The first byte.
    ///   - byteCount: The number of bytes.
    ///   - owner: Retained as long as the storage; must keep the memory valid.
    package init(
        borrowing base: UnsafeMutableRawPointer,
        byteCount: Int,
        from owner: any AnyObject & Sendable
    ) {
        self.base = base
        self.byteCount = byteCount
        self.owner = owner
        isMapped = false
    }

    deinit {
        guard owner == nil else { return }
        if isMapped {
            munmap(base, Self.reserved(for: byteCount))
        } else {
            free(base)
        }
    }

    private static let source = Mutex<(any PixelMemorySource)?>(nil)

    /// Takes mapped storage of less than a huge page from `source` from now on.
    package static func use(_ source: some PixelMemorySource) {
        Self.source.withLock { $0 = source }
    }

    // The size of a huge page on x86-64, and on arm64 with 4 KiB pages.
    private static let hugePage = 2 << 20

    /// Rounds up to whole huge pages if that wastes at most an eighth; otherwise the size itself.
    private static func reserved(for byteCount: Int) -> Int {
        let rest = byteCount % hugePage
        let waste = rest == 0 ? 0 : hugePage - rest
        return waste <= byteCount / 8 ? byteCount + waste : byteCount
    }

    /// New zeroed memory, in huge pages if the system provides them.
    ///
    /// Page faults for 4 MB in pages of 4 KiB take longer than most kernels take for those pixels;
    /// huge pages take a fifth of that. Only aligned ranges get huge pages, so more is mapped than
    /// needed, and both ends are unmapped again.
    private static func map(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        let reserved = reserved(for: byteCount)
        let slack = reserved >= hugePage ? hugePage : 0
        let protection = PROT_READ | PROT_WRITE
        // Pixels are written at once: below a huge page, all pages in one call take a fraction of a
        // fault for each of them.
        let populates = slack == 0 ? MAP_POPULATE : 0
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | populates
        let (length, overflow) = reserved.addingReportingOverflow(slack)
        guard !overflow,
            let address = mmap(nil, length, protection, flags, -1, 0), address != MAP_FAILED
        else { return nil }
        if slack == 0 { return address }
        let head = (hugePage - Int(bitPattern: address) % hugePage) % hugePage
        if head > 0 { munmap(address, head) }
        let base = address + head
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let kept = (reserved + page - 1) / page * page
        let end = (length + page - 1) / page * page - head
        if end > kept { munmap(base + kept, end - kept) }
        // Only advice: ignoring it is harmless.
        madvise(base, reserved / hugePage * hugePage, MADV_HUGEPAGE)
        return base
    }
}

/// Memory for pixels that does not come from ``PixelStorage`` itself.
package protocol PixelMemory: AnyObject, Sendable {
    /// The first byte; valid as long as the object.
    var base: UnsafeMutableRawPointer { get }
}

/// Provides memory for pixels in place of anonymous mappings.
package protocol PixelMemorySource: Sendable {
    /// Zeroed memory aligned for any SIMD load; nil to fall back to an anonymous mapping.
    func memory(byteCount: Int) -> (any PixelMemory)?
}
