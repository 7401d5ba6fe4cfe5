import Foundation
import Synchronization

/// Memory for large bodies, kept for the next ones.
///
/// Memory that is fresh from the kernel costs a page fault for every 4 KiB: for a picture of 2 MB
/// more than receiving it. Between downloads the kernel may take back at any time what lies idle.
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
        var blocksInUse = 0
        var mapped = 0
    }

    /// Bodies below it are left to the allocator, which uses such memory again by itself.
    static let minBytes = 128 << 10

    private let maxIdleBytes: Int
    private let state = Mutex(State())

    /// Creates an empty pool.
    ///
    /// - Parameter maxIdleBytes: What is more than this goes back to the kernel at once; 16 MiB by
    ///   default, so that eight pictures of 2 MB can be on their way.
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
            state.blocksInUse += 1
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
            state.withLock { $0.blocksInUse -= 1 }
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
            state.blocksInUse -= 1
            var surplus: [Piece] = []
            while state.idleBytes > maxIdleBytes {
                let oldest = state.idle.removeFirst()
                state.idleBytes -= oldest.size
                surplus.append(oldest)
            }
            // In the middle of many downloads it is wanted again at once. Under the lock, because
            // whoever takes it writes.
            if state.blocksInUse == 0 { Self.lend(&state.idle) }
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
        let address = mmap(
            nil,
            size,
            PROT_READ | PROT_WRITE,
            MAP_PRIVATE | Int32(MAP_ANONYMOUS),
            -1,
            0
        )
        guard let address, address != MAP_FAILED else { return nil }
        return UInt(bitPattern: address)
    }

    private static func lend(_ pieces: inout [Piece]) {
        for index in pieces.indices where !pieces[index].isLent {
            let piece = pieces[index]
            madvise(UnsafeMutableRawPointer(bitPattern: piece.address), piece.size, MADV_FREE)
            pieces[index].isLent = true
        }
    }

    private static func unmap(_ address: UInt, _ size: Int) {
        munmap(UnsafeMutableRawPointer(bitPattern: address), size)
    }
}
