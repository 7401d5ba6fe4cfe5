#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Memory for pixels, zeroed when made, freed with the last reference.
///
/// Toolkits can borrow ``base`` without a copy as long as they hold a reference to the storage.
///
/// `@unchecked`: a pointer is not `Sendable`. The bytes are written by the maker of a ``Bitmap``
/// alone, before anybody else can see the storage, and never while anybody else holds it: an
/// animation's canvas writes it again once it is the only one.
package final class PixelStorage: @unchecked Sendable {
    package let base: UnsafeMutableRawPointer
    package let byteCount: Int
    private let isMapped: Bool
    /// Keeps the memory alive that belongs to somebody else; nil for memory of its own.
    private let owner: (any AnyObject & Sendable)?

    // From 64 KiB on (a thumbnail of 128 × 128) the memory is mapped, so that it goes back to the
    // system when it is freed: glibc's arenas, one for each thread that decodes, keep freed
    // pictures resident, and a server or a list that is scrolled would grow. Smaller ones would
    // waste a good part of their last page and find what others have freed.
    private static let mappingThreshold = 1 << 16

    package init(byteCount: Int) throws(PixelError) {
        self.byteCount = byteCount
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

    /// Borrows memory that nobody writes any more.
    ///
    /// - Parameters:
    ///   - base: Its first byte.
    ///   - byteCount: How many there are.
    ///   - owner: Is kept as long as the storage; the memory has to stay valid as long.
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

    // What x86-64, and arm64 with 4 KiB pages, call a huge page.
    private static let hugePage = 2 << 20

    /// Whole huge pages where that wastes less than an eighth, else what was asked for.
    private static func reserved(for byteCount: Int) -> Int {
        let rest = byteCount % hugePage
        let waste = rest == 0 ? 0 : hugePage - rest
        return waste <= byteCount / 8 ? byteCount + waste : byteCount
    }

    /// Fresh zeroed memory, in huge pages where the system offers them.
    ///
    /// Faulting 4 MB in by pages of 4 KiB takes longer than most kernels run on them; huge pages
    /// take a fifth of that. The system gives them to aligned ranges alone, so more is mapped than
    /// needed, and the ends are given back.
    private static func map(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        let reserved = reserved(for: byteCount)
        let slack = reserved >= hugePage ? hugePage : 0
        let protection = PROT_READ | PROT_WRITE
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
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
        // Advice alone: whether it is taken or not, the memory is the same.
        madvise(base, reserved / hugePage * hugePage, MADV_HUGEPAGE)
        return base
    }
}
