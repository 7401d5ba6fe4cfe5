import Foundation
import Synchronization

/// Memory for bodies, kept for the next ones.
///
/// Memory that is fresh from the kernel costs a page fault for every 4 KiB: for a picture of 2 MB
/// more than receiving it. The allocator is no better with small ones: a body that is freed on
/// another thread than the transport's goes back to the kernel at once. Between downloads the
/// kernel may take back at any time what lies idle.
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
        var mapped = 0
    }

    /// Bodies below it are left to the allocator; four pages, so that sizes are whole pages.
    static let minBytes = 16 << 10

    /// What stays as it is between downloads, so that small ones cost no system call: two pictures
    /// of 2 MB, or 64 of 50 KB.
    private static let maxKeptBytes = 4 << 20

    /// Memory of this size is given in one page of its own, with one fault instead of 512, where
    /// the kernel has such pages.
    private static let hugePage = 2 << 20

    private let maxIdleBytes: Int
    private let state = Mutex(State())

    /// Creates an empty pool.
    ///
    /// - Parameter maxIdleBytes: What is more than this, and more than what is in use, goes back to
    ///   the kernel at once; 16 MiB by default, so that eight pictures of 2 MB can be on their way.
    package init(maxIdleBytes: Int = 16 << 20) {
        self.maxIdleBytes = maxIdleBytes
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
            var surplus: [Piece] = []
            // Many that end together are followed by as many that begin.
            while state.idleBytes > max(maxIdleBytes, state.bytesInUse) {
                let oldest = state.idle.removeFirst()
                state.idleBytes -= oldest.size
                surplus.append(oldest)
            }
            // In the middle of many downloads it is wanted again at once. Under the lock, because
            // whoever takes it writes.
            if state.bytesInUse == 0 { Self.lend(&state.idle) }
            return surplus
        }
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
