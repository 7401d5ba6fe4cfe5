internal import CKFIsolationShim
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Memory in place of a file of which parts are there: this process writes them, and a worker can
/// only read them.
///
/// Takes memory for the written parts alone.
final class PartialMemory: Sendable {
    /// For a worker.
    let readable: SealedMemory

    private let descriptor: Int32

    /// Makes memory without parts.
    ///
    /// - Throws: ``WorkerFailure/noMemory(errno:)``.
    init(byteCount: Int) throws(WorkerFailure) {
        var reading: Int32 = -1
        let made = kf_partial_create(byteCount, &reading)
        guard made >= 0 else { throw .noMemory(errno: -made) }
        descriptor = made
        readable = .adopting(reading)
    }

    deinit { close(descriptor) }

    /// Writes a part.
    ///
    /// - Throws: ``WorkerFailure/noMemory(errno:)``.
    func write(_ part: Data, at offset: Int) throws(WorkerFailure) {
        let error = part.withUnsafeBytes { bytes in
            kf_exchange_write(descriptor, bytes.baseAddress, bytes.count, offset)
        }
        guard error == 0 else { throw .noMemory(errno: error) }
    }
}
