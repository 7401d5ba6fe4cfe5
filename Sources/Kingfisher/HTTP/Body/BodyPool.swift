import Foundation
import Synchronization

/// Memory for bodies, kept for the next ones.
///
/// Memory that is fresh from the kernel costs a page fault for every 4 KiB: for a picture of 2 MB
/// more than receiving it. The allocator is no better with small ones: a body that is freed on
/// another thread than the transport's goes back to the kernel at once.
///
/// Many that end together are followed by as many that begin: so much as was in use at once lies
/// idle for a second or two, and then goes back. Of what stays, the kernel may take back most at any
/// time.
package final class BodyPool: Sendable {
    /// Memory that lies idle.
    private struct Piece {
        let address: UInt
        let size: Int
        /// Whether it was lent to the kernel, which gives other pages if it has taken these.
        var isLent = false
    }

    private struct State {
        /// The latest last.
        var idle: [Piece] = []
        var idleBytes = 0
        var bytesInUse = 0
        /// The most in use at once, in the interval that runs and in the one before.
        var peak = 0
        var earlierPeak = 0
        /// Whether anything was taken or given in the interval that runs.
        var wasUsed = false
        /// Runs while there is more than small change to give back.
        var timer: RepeatingTimer?
        var mapped = 0

        /// What may lie idle of what was in use at once.
        var allowance: Int { max(peak, earlierPeak) - bytesInUse }

        /// Takes out the oldest of what is more than `bytes`.
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

    /// Bodies below it are left to the allocator; four pages, so that sizes are whole pages.
    static let minBytes = 16 << 10

    /// What stays as it is between downloads, so that small ones cost no system call: two pictures
    /// of 2 MB, or 64 of 50 KB.
    private static let maxKeptBytes = 4 << 20

    /// Memory of this size is given in one page of its own, with one fault instead of 512, where
    /// the kernel has such pages.
    private static let hugePage = 2 << 20

    /// Seconds after which memory that was not wanted again is given back.
    private static let interval: TimeInterval = 1

    private let maxIdleBytes: Int
    private let clock: WallClock
    private let state = Mutex(State())

    /// Creates an empty pool.
    ///
    /// - Parameters:
    ///   - maxIdleBytes: What is more than this goes back to the kernel when it was not wanted for
    ///     a second; 16 MiB by default, so that eight pictures of 2 MB can be on their way.
    ///   - clock: Calls when a second is over.
    package init(maxIdleBytes: Int = 16 << 20, clock: WallClock = .system) {
        self.maxIdleBytes = maxIdleBytes
        self.clock = clock
    }

    deinit {
        for piece in state.withLock({ $0.idle }) { Self.unmap(piece.address, piece.size) }
    }

    /// Bytes that lie idle.
    package var idleBytes: Int { state.withLock { $0.idleBytes } }

    /// How often memory had to be asked for.
    package var mappedCount: Int { state.withLock { $0.mapped } }

    /// Memory for at least so many bytes; `nil` if there is none to be had.
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

    /// Takes a block's memory back.
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

    /// Gives back what a second has shown not to be wanted.
    private func rest() {
        let (surplus, timer) = state.withLock { state in
            (state.earlierPeak, state.peak) = (state.peak, state.bytesInUse)
            let surplus = state.trim(to: max(maxIdleBytes, state.allowance))
            defer { state.wasUsed = false }
            guard !state.wasUsed else { return (surplus, RepeatingTimer?.none) }
            // Under the lock, because whoever takes it writes.
            Self.lend(&state.idle)
            defer { state.timer = nil }
            return (surplus, state.timer)
        }
        // Outside of the lock: its end calls the clock.
        withExtendedLifetime(timer) {}
        for piece in surplus { Self.unmap(piece.address, piece.size) }
    }

    /// The next quarter of a power of two: few sizes, and little that is never used.
    private static func size(for count: Int) -> Int {
        let count = max(count, minBytes)
        let power = 1 << (Int.bitWidth - 1 - count.leadingZeroBitCount)
        let step = power / 4
        return (count + step - 1) / step * step
    }

    private static func map(_ size: Int) -> UInt? {
        // A huge page lies at a multiple of its size: ask for more, and give the ends back.
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
        // A kernel without huge pages says no, which changes nothing.
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
