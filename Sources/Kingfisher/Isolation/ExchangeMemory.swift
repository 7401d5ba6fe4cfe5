internal import CKFIsolationShim
import Foundation
import KFPixels

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Memory that this process shares with one worker for as long as the worker lives: files and
/// images of common sizes travel in it.
///
/// New memory for each of them would cost more than copying: the system clears its pages, and
/// enters them in the tables of both processes one by one.
///
/// The worker may change the bytes at any time. So this process never maps them: it writes files and
/// copies results out by system calls, and looks only at the copy.
///
/// Pages that were used once stay until the worker ends, at most ``byteCount``.
final class ExchangeMemory: Sendable {
    /// The bytes at the beginning, for files: a photo of 12 megapixels has 2 MB.
    static let maxFileBytes = 2 << 20
    /// The bytes behind them, for results: an image of a megapixel has 4 MB.
    static let maxResultBytes = 4 << 20
    static let byteCount = maxFileBytes + maxResultBytes

    /// The memory, which travels in the first message; only its size is sealed.
    let memory: SealedMemory

    /// Makes memory that takes no pages yet.
    ///
    /// - Throws: ``WorkerFailure/cannotStart(_:)``.
    init() throws(WorkerFailure) {
        let descriptor = kf_exchange_create(Self.byteCount)
        guard descriptor >= 0 else {
            throw .cannotStart("there is no shared memory for it (error \(-descriptor))")
        }
        memory = .adopting(descriptor)
    }

    /// Writes the file of the next request.
    ///
    /// - Parameter file: At most ``maxFileBytes``.
    /// - Throws: ``WorkerFailure/noMemory(errno:)``.
    func write(_ file: Data) throws(WorkerFailure) {
        let error = file.withUnsafeBytes { bytes in
            kf_exchange_write(memory.descriptor, bytes.baseAddress, bytes.count, 0)
        }
        guard error == 0 else { throw .noMemory(errno: error) }
    }

    /// Copies the result out.
    ///
    /// - Parameter count: The number of bytes, from the worker.
    /// - Returns: The copy.
    /// - Throws: ``WorkerFailure/invalidAnswer(_:)`` when the number is out of bounds,
    ///   ``WorkerFailure/noMemory(errno:)`` when there is no memory for the copy.
    func result(byteCount count: Int) throws(WorkerFailure) -> SharedBytes {
        guard 1...Self.maxResultBytes ~= count else {
            throw .invalidAnswer("its result of \(count) bytes is not in 1…\(Self.maxResultBytes)")
        }
        guard let copy = try? PixelStorage(byteCount: count) else { throw .noMemory(errno: ENOMEM) }
        let error = kf_exchange_read(memory.descriptor, copy.base, count, Self.maxFileBytes)
        guard error == 0 else { throw .noMemory(errno: error) }
        let bytes = UnsafeRawBufferPointer(start: copy.base, count: count)
        return SharedBytes(bytes: bytes, owner: copy)
    }
}

/// The worker's view of an ``ExchangeMemory``.
///
/// `@unchecked`: a pointer is not `Sendable`. A worker has one thread.
final class ExchangeView: @unchecked Sendable {
    private let base: UnsafeMutableRawPointer

    /// Maps the memory; nil when it cannot be mapped.
    init?(_ memory: SealedMemory) {
        let rights = PROT_READ | PROT_WRITE
        let count = ExchangeMemory.byteCount
        guard let base = mmap(nil, count, rights, MAP_SHARED, memory.descriptor, 0),
            base != MAP_FAILED
        else { return nil }
        self.base = base
    }

    deinit { munmap(base, ExchangeMemory.byteCount) }

    /// The file of the present request; valid until its answer is sent.
    ///
    /// - Throws: ``WireError`` when the number is out of bounds.
    func file(byteCount count: Int) throws(WireError) -> Data {
        guard 0...ExchangeMemory.maxFileBytes ~= count else {
            throw WireError("\(count) bytes are not in 0…\(ExchangeMemory.maxFileBytes)")
        }
        return Data(bytesNoCopy: base, count: count, deallocator: .none)
    }

    /// The place for the result.
    var room: ResultRoom {
        let bytes = UnsafeMutableRawBufferPointer(
            start: base + ExchangeMemory.maxFileBytes,
            count: ExchangeMemory.maxResultBytes
        )
        return ResultRoom(bytes: bytes, owner: self)
    }
}

/// The place where a worker writes a result that fits.
struct ResultRoom {
    let bytes: UnsafeMutableRawBufferPointer
    /// Keeps the place.
    let owner: any AnyObject & Sendable

    /// Writes the parts, each after the one before; returns nil if they do not fit.
    func write(_ parts: [UnsafeRawBufferPointer]) -> SharedBytes? {
        let count = parts.reduce(0) { $0.addingSaturating($1.count) }
        guard count <= bytes.count else { return nil }
        var rest = bytes
        for part in parts {
            rest.copyMemory(from: part)
            rest = UnsafeMutableRawBufferPointer(rebasing: rest[part.count...])
        }
        let written = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        return SharedBytes(bytes: written, owner: owner)
    }
}
