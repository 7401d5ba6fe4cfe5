internal import CIsolationShim
import Pixels
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Memory that a worker decodes into and can then hand over without a copy.
///
/// `@unchecked`: a pointer is not `Sendable`. The storage that owns the memory rules who writes it.
final class SealableMemory: PixelMemory, @unchecked Sendable {
    /// Bounds the open descriptors: an animation may have many frames, and a worker may open few.
    private static let maxCount = 8
    private static let count = Atomic(0)

    let base: UnsafeMutableRawPointer
    private let byteCount: Int
    /// Nil once it is handed over.
    private let memory: Mutex<SealedMemory?>

    /// Maps new zeroed memory; nil when there is none, or too many others are in use.
    init?(byteCount: Int) {
        guard Self.count.load(ordering: .relaxed) < Self.maxCount else { return nil }
        let descriptor = kf_memory_create()
        guard descriptor >= 0 else { return nil }
        memory = Mutex(.adopting(descriptor))
        self.byteCount = byteCount
        guard kf_memory_extend(descriptor, byteCount) == 0,
            let address = Self.map(byteCount, of: descriptor, MAP_SHARED | MAP_POPULATE)
        else { return nil }
        base = address
        Self.count.wrappingAdd(1, ordering: .relaxed)
    }

    deinit {
        munmap(base, byteCount)
        Self.count.wrappingSubtract(1, ordering: .relaxed)
    }

    /// Seals the memory; nil when it has been sealed before, or cannot be.
    ///
    /// The bytes stay readable at ``base``. Later writes, such as those of an animation's canvas,
    /// change a private copy.
    func seal() -> SealedMemory? {
        let memory = memory.withLock { memory in
            defer { memory = nil }
            return memory
        }
        // Memory with a shared mapping cannot be sealed.
        guard let memory,
            Self.map(byteCount, of: memory.descriptor, MAP_PRIVATE | MAP_FIXED, at: base) != nil,
            kf_memory_seal(memory.descriptor) == 0
        else { return nil }
        return memory
    }

    private static func map(
        _ byteCount: Int,
        of descriptor: Int32,
        _ flags: Int32,
        at address: UnsafeMutableRawPointer? = nil
    ) -> UnsafeMutableRawPointer? {
        let result = mmap(address, byteCount, PROT_READ | PROT_WRITE, flags, descriptor, 0)
        return result == MAP_FAILED ? nil : result
    }
}

/// Lets decoders write their results where they can be handed over.
struct SealableMemorySource: PixelMemorySource {
    func memory(byteCount: Int) -> (any PixelMemory)? { SealableMemory(byteCount: byteCount) }
}
