import Foundation
import Synchronization

/// Memory of a ``BodyPool`` that is in use; its end gives the memory back.
///
/// `@unchecked`: every byte is written once, by whoever has claimed it, and read only afterwards.
final class BodyBlock: @unchecked Sendable {
    private let bytes: UnsafeMutableRawBufferPointer
    private let pool: BodyPool
    /// Bytes at the beginning that somebody has written or is writing.
    private let claimed = Atomic(0)

    init(_ bytes: UnsafeMutableRawBufferPointer, of pool: BodyPool) {
        self.bytes = bytes
        self.pool = pool
    }

    deinit { pool.give(bytes) }

    /// Adds a piece behind the first `count` bytes.
    ///
    /// - Returns: Whether there was room, and nobody else had added something there.
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

    /// The first `count` bytes without a copy; they keep the memory in use.
    ///
    /// Read-only: what is changed in one such value would change in all.
    func data(_ count: Int) -> Data {
        guard count > 0, let start = bytes.baseAddress else { return Data() }
        return Data(
            bytesNoCopy: start,
            count: count,
            deallocator: .custom { _, _ in withExtendedLifetime(self) {} }
        )
    }
}
