import KingfisherServer
import Testing

#if canImport(Glibc)
import Glibc

struct LargeBlocksTests {
    /// In a process of its own: glibc takes a block from its heaps first, where other tests may have
    /// freed one of that size.
    @Test("Large blocks have mappings of their own, also after others were freed")
    func mappings() async {
        await #expect(processExitsWith: .success) {
            LargeBlocks.returnToSystem()
            for size in [1 << 20, 8 << 20, 30 << 20] { free(malloc(size)) }
            let blocks = (0..<8).map { _ in malloc(1 << 20) }
            defer { for block in blocks { free(block) } }
            // glibc puts its 16 bytes at the beginning of a mapping.
            #expect(blocks.allSatisfy { UInt(bitPattern: $0) % 4096 == 16 })
        }
    }
}
#endif
