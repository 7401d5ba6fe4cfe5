internal import CKFIsolationShim
import Foundation
import KFPixels

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Memory that is handed to another process: its contents and size can no longer change.
///
/// The descriptor is closed with the last reference.
final class SealedMemory: Sendable {
    let descriptor: Int32

    private init(adopting descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Its bytes; negative when they may still change.
    var size: Int { Int(kf_memory_sealed_size(descriptor)) }

    /// Writes parts one behind the other and seals the result.
    ///
    /// - Throws: ``WorkerFailure/noMemory(errno:)``.
    init(_ parts: [UnsafeRawBufferPointer]) throws(WorkerFailure) {
        let memory = kf_memory_create()
        guard memory >= 0 else { throw .noMemory(errno: -memory) }
        descriptor = memory
        var error: Int32 = 0
        for part in parts where error == 0 {
            error = kf_memory_write(memory, part.baseAddress, part.count)
        }
        if error == 0 { error = kf_memory_seal(memory) }
        guard error == 0 else { throw .noMemory(errno: error) }
    }

    /// The bytes of a file.
    ///
    /// - Throws: ``WorkerFailure/noMemory(errno:)``.
    static func holding(_ file: Data) throws(WorkerFailure) -> SealedMemory {
        // `Data` does not pass typed errors on.
        let result = file.withUnsafeBytes { bytes in
            Result { () throws(WorkerFailure) in try SealedMemory([bytes]) }
        }
        return try result.get()
    }

    /// Takes over a descriptor whose memory is sealed, or may be: ``SealedMapping`` checks.
    static func adopting(_ descriptor: Int32) -> SealedMemory { SealedMemory(adopting: descriptor) }
}

/// Sealed memory of another process, mapped for reading.
///
/// Made only of memory whose size and contents are final: reading it cannot fail, and a check need
/// not be repeated.
///
/// `@unchecked`: a pointer is not `Sendable`; the bytes never change.
final class SealedMapping: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    /// Maps the memory.
    ///
    /// - Parameters:
    ///   - memory: From the other process.
    ///   - maxBytes: More is refused.
    /// - Throws: ``WireError`` when it is not sealed, empty, too large, or cannot be mapped.
    init(_ memory: SealedMemory, maxBytes: Int) throws(WireError) {
        let size = kf_memory_sealed_size(memory.descriptor)
        guard size >= 0 else { throw WireError("the memory is not sealed") }
        guard size > 0, size <= maxBytes else {
            throw WireError("\(size) bytes of memory are not in 1…\(maxBytes)")
        }
        let count = Int(size)
        // Populated at once, because a fault for each page costs more than the pixels. Private,
        // because kernels before 6.7 refuse shared mappings of sealed memory, even for reading.
        let flags = MAP_PRIVATE | MAP_POPULATE
        guard let base = mmap(nil, count, PROT_READ, flags, memory.descriptor, 0),
            base != MAP_FAILED
        else { throw WireError("\(count) bytes cannot be mapped, error \(errno)") }
        bytes = UnsafeRawBufferPointer(start: base, count: count)
    }

    deinit {
        munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
    }

    /// The bytes, which keep the mapping.
    var shared: SharedBytes { SharedBytes(bytes: bytes, owner: self) }
}

/// Final bytes of another process.
struct SharedBytes: @unchecked Sendable {
    // `@unchecked`: a pointer is not `Sendable`; the bytes never change.
    let bytes: UnsafeRawBufferPointer
    /// Keeps the bytes.
    let owner: any AnyObject & Sendable

    /// A part of the bytes.
    ///
    /// - Throws: ``WireError`` when it reaches outside.
    func slice(offset: Int, count: Int) throws(WireError) -> UnsafeRawBufferPointer {
        let (end, overflow) = offset.addingReportingOverflow(count)
        guard offset >= 0, count >= 0, !overflow, end <= bytes.count else {
            throw WireError("\(count) bytes at \(offset) are not in \(bytes.count)")
        }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
    }
}

/// Pixels on the heap of a worker.
///
/// A worker is one thread and ends after some files, so that the heap reuses what the last file has
/// freed: a new mapping costs a page fault for every 4 KiB.
///
/// `@unchecked`: a pointer is not `Sendable`. The storage that owns the memory rules who writes it.
final class HeapMemory: PixelMemory, @unchecked Sendable {
    let base: UnsafeMutableRawPointer

    /// Takes zeroed memory; nil when there is none.
    init?(byteCount: Int) {
        var address: UnsafeMutableRawPointer?
        // A cache line, and enough for any SIMD load.
        guard posix_memalign(&address, 64, byteCount) == 0, let address else { return nil }
        memset(address, 0, byteCount)
        base = address
    }

    deinit { free(base) }
}

/// Takes pixels from the heap.
struct HeapMemorySource: PixelMemorySource {
    func memory(byteCount: Int) -> (any PixelMemory)? { HeapMemory(byteCount: byteCount) }
}
