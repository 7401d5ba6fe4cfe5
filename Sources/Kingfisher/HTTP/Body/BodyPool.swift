import Foundation
import Synchronization

/// A pool of memory for bodies.
///
/// Fresh memory costs a page fault for every 4 KiB, which for an image of 2 MB takes longer than
/// receiving it. The allocator has the same problem: it returns a body freed on another thread to
/// the kernel at once.
///
/// Many downloads that end together are usually followed by as many new ones. The pool therefore
/// keeps the peak amount of memory for one to two seconds and then returns it to the kernel. Most
/// of the memory kept after that may be reclaimed by the kernel at any time.
package final class BodyPool: Sendable {
    /// An unused piece of memory.
    private struct Piece {
        let address: UInt
        let size: Int
        /// Whether the piece was marked with `MADV_FREE`; the kernel may replace its pages.
        var isLent = false
    }

    private struct State {
        /// Sorted by time of return, the latest last.
        var idle: [Piece] = []
        var idleBytes = 0
        var bytesInUse = 0
        /// The highest number of bytes in use at once, in the current interval and in the previous
        /// one.
        var peak = 0
        var earlierPeak = 0
        /// Whether a piece was taken or returned in the current interval.
        var wasUsed = false
        /// Runs while more than ``BodyPool/maxKeptBytes`` are unused.
        var timer: RepeatingTimer?
        var mapped = 0

        /// The number of unused bytes that the recent peak justifies.
        var allowance: Int { max(peak, earlierPeak) - bytesInUse }

        /// Removes the oldest pieces until at most `bytes` are unused.
        mutating func trim(to bytes: Int) -> [Piece] {
            var surplus: [Piece] = []
            while idleBytes > bytes {
                let oldest = idle.removeFirst()
                idleBytes -= oldest.size
                surplus.append(oldest)
            }
            return surplus
        }
    }

    /// Smaller bodies use the allocator; four pages, so that sizes are whole pages.
    static let minBytes = 16 << 10

    /// Memory that is kept unchanged between downloads, so that small ones need no system call: two
    /// images of 2 MB, or 64 of 50 KB.
    private static let maxKeptBytes = 4 << 20

    /// Pieces of at least this size are aligned to huge pages, where the kernel supports them: one
    /// page fault instead of 512.
    private static let hugePage = 2 << 20

    /// Seconds after which unused memory is returned.
    private static let interval: TimeInterval = 1

    private let maxIdleBytes: Int
    private let clock: WallClock
    private let state = Mutex(State())

    /// Creates an empty pool.
    ///
    /// - Parameters:
    ///   - maxIdleBytes: Unused memory above this is returned to the kernel after a second without
    ///     use. 16 MiB by default, enough for eight downloads of 2 MB at the same time.
    ///   - clock: Provides the timer.
    package init(maxIdleBytes: Int = 16 << 20, clock: WallClock = .system) {
        self.maxIdleBytes = maxIdleBytes
        self.clock = clock
    }

    deinit {
        for piece in state.withLock({ $0.idle }) { Self.unmap(piece.address, piece.size) }
    }

    /// The number of unused bytes.
    package var idleBytes: Int { state.withLock { $0.idleBytes } }

    /// How often memory was requested from the kernel.
    package var mappedCount: Int { state.withLock { $0.mapped } }

    /// Takes memory for at least `count` bytes; `nil` if none is available.
    func take(_ count: Int) -> BodyBlock? {
        let size = Self.size(for: count)
        let found = state.withLock { state -> UInt? in
            state.bytesInUse += size
            state.peak = max(state.peak, state.bytesInUse)
            state.wasUsed = true
            guard let index = state.idle.lastIndex(where: { $0.size == size }) else {
                state.mapped += 1
                return nil
            }
            state.idleBytes -= size
            return state.idle.remove(at: index).address
        }
        guard let address = found ?? Self.map(size),
            let start = UnsafeMutableRawPointer(bitPattern: address)
        else {
            state.withLock { $0.bytesInUse -= size }
            return nil
        }
        return BodyBlock(
            UnsafeMutableRawBufferPointer(start: start, count: size),
            of: self
        )
    }

    /// Returns a block's memory to the pool.
    func give(_ bytes: UnsafeMutableRawBufferPointer) {
        let piece = Piece(address: UInt(bitPattern: bytes.baseAddress), size: bytes.count)
        let surplus = state.withLock { state in
            state.idle.append(piece)
            state.idleBytes += piece.size
            state.bytesInUse -= piece.size
            state.wasUsed = true
            if state.timer == nil, state.idleBytes > Self.maxKeptBytes {
                state.timer = clock.every(Self.interval) { [weak self] in self?.rest() }
            }
            return state.trim(to: max(maxIdleBytes, state.allowance))
        }
        for piece in surplus { Self.unmap(piece.address, piece.size) }
    }

    /// Returns the memory that was not used during the last interval.
    private func rest() {
        let (surplus, timer) = state.withLock { state in
            (state.earlierPeak, state.peak) = (state.peak, state.bytesInUse)
            let surplus = state.trim(to: max(maxIdleBytes, state.allowance))
            defer { state.wasUsed = false }
            guard !state.wasUsed else { return (surplus, RepeatingTimer?.none) }
            // Under the lock, because a piece that is taken is written to.
            Self.lend(&state.idle)
            defer { state.timer = nil }
            return (surplus, state.timer)
        }
        // Released outside the lock, because its deinit calls the clock.
        withExtendedLifetime(timer) {}
        for piece in surplus { Self.unmap(piece.address, piece.size) }
    }

    /// Rounds up to a quarter of a power of two: few distinct sizes, little waste.
    private static func size(for count: Int) -> Int {
        let count = max(count, minBytes)
        let power = 1 << (Int.bitWidth - 1 - count.leadingZeroBitCount)
        let step = power / 4
        return (count + step - 1) / step * step
    }

    private static func map(_ size: Int) -> UInt? {
        // A huge page is aligned to its size: request more and unmap both ends.
        let surplus = size < hugePage ? 0 : hugePage
        let address = mmap(
            nil,
            size + surplus,
            PROT_READ | PROT_WRITE,
            MAP_PRIVATE | Int32(MAP_ANONYMOUS),
            -1,
            0
        )
        guard let address, address != MAP_FAILED else { return nil }
        let first = UInt(bitPattern: address)
        guard surplus > 0 else { return first }
        let start = (first + UInt(hugePage) - 1) & ~(UInt(hugePage) - 1)
        let before = Int(start - first)
        if before > 0 { unmap(first, before) }
        if before < surplus { unmap(start + UInt(size), surplus - before) }
        // Fails on kernels without huge pages, which is harmless.
        madvise(UnsafeMutableRawPointer(bitPattern: start), size, MADV_HUGEPAGE)
        return start
    }

    private static func lend(_ pieces: inout [Piece]) {
        var kept = 0
        for index in pieces.indices.reversed() {
            let piece = pieces[index]
            kept += piece.size
            guard kept > maxKeptBytes, !piece.isLent else { continue }
            madvise(UnsafeMutableRawPointer(bitPattern: piece.address), piece.size, MADV_FREE)
            pieces[index].isLent = true
        }
    }

    private static func unmap(_ address: UInt, _ size: Int) {
        munmap(UnsafeMutableRawPointer(bitPattern: address), size)
    }
}

/// A piece of memory from a ``BodyPool``; released to the pool on deinit.
///
/// `@unchecked`: every byte is written once, by the writer that claimed it, and read only
/// afterwards.
final class BodyBlock: @unchecked Sendable {
    private let bytes: UnsafeMutableRawBufferPointer
    private let pool: BodyPool
    /// The number of leading bytes that are written or being written.
    private let claimed = Atomic(0)

    init(_ bytes: UnsafeMutableRawBufferPointer, of pool: BodyPool) {
        self.bytes = bytes
        self.pool = pool
    }

    deinit { pool.give(bytes) }

    /// Appends a piece after the first `count` bytes.
    ///
    /// - Returns: Whether there was room and no other writer had claimed that place.
    func append(_ piece: UnsafeRawBufferPointer, behind count: Int) -> Bool {
        guard count + piece.count <= bytes.count else { return false }
        let isMine = claimed.compareExchange(
            expected: count,
            desired: count + piece.count,
            ordering: .relaxed
        ).exchanged
        if isMine {
            UnsafeMutableRawBufferPointer(rebasing: bytes[count...]).copyMemory(from: piece)
        }
        return isMine
    }

    /// The first `count` bytes.
    func prefix(_ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[..<count])
    }

    /// The first `count` bytes without copying; the value keeps the memory in use.
    ///
    /// Read-only: all such values share the same memory.
    func data(_ count: Int) -> Data {
        guard count > 0, let start = bytes.baseAddress else { return Data() }
        return Data(
            bytesNoCopy: start,
            count: count,
            deallocator: .custom { _, _ in withExtendedLifetime(self) {} }
        )
    }
}
