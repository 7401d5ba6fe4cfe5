import Foundation
import Synchronization

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
