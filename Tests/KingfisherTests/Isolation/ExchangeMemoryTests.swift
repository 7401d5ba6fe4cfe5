import Foundation
import Testing

@testable import Kingfisher

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A worker can change the shared memory, but not the copies made of it.
struct ExchangeMemoryTests {
    private let memory: ExchangeMemory
    private let view: ExchangeView

    init() throws {
        memory = try ExchangeMemory()
        view = try #require(ExchangeView(memory.memory))
    }

    private func result(_ count: Int) throws -> [UInt8] {
        let result = try memory.result(byteCount: count)
        defer { withExtendedLifetime(result) {} }
        return Array(result.bytes)
    }

    private func write(_ bytes: [UInt8]) throws -> SharedBytes {
        try bytes.withUnsafeBytes { try #require(view.room.write([$0])) }
    }

    @Test(arguments: [1, 100, 70_000, 1_228_870, ExchangeMemory.maxResultBytes])
    func `a result is a copy that the worker cannot change`(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(try write(bytes).bytes.count == count)
        let result = try memory.result(byteCount: count)
        memset(try #require(view.room.bytes.baseAddress), 7, view.room.bytes.count)
        // Compared before, because the report of a difference of millions of bytes takes minutes.
        let isEqual = result.bytes.elementsEqual(bytes)
        #expect(isEqual)
        withExtendedLifetime(result) {}
    }

    @Test func `a short result has nothing of the long one before`() throws {
        _ = try write([UInt8](repeating: 9, count: 100_000))
        _ = try write([1, 2, 3])
        #expect(try result(3) == [1, 2, 3])
    }

    @Test(arguments: [Int.min, -1, 0, ExchangeMemory.maxResultBytes + 1, .max])
    func `a length outside is refused`(count: Int) {
        let failure = #expect(throws: WorkerFailure.self) { try memory.result(byteCount: count) }
        #expect(failure?.blamesRequest == true)
    }

    @Test func `parts that do not fit are not written`() throws {
        let part = UnsafeRawBufferPointer(view.room.bytes)
        #expect(view.room.write([part, part]) == nil)
        let endless = UnsafeRawBufferPointer(start: part.baseAddress, count: .max)
        #expect(view.room.write([endless, endless]) == nil)
    }

    @Test func `pages that the worker has removed are read as zeros`() throws {
        _ = try write([UInt8](repeating: 9, count: 100_000))
        let room = view.room.bytes
        #expect(madvise(room.baseAddress, room.count, MADV_REMOVE) == 0)
        #expect(try result(100_000).allSatisfy { $0 == 0 })
    }

    @Test func `a file arrives, and one that is shorter than the last has nothing of it`() throws {
        try memory.write(Data(repeating: 5, count: ExchangeMemory.maxFileBytes))
        let long = try view.file(byteCount: ExchangeMemory.maxFileBytes)
        let isEqual = long.count == ExchangeMemory.maxFileBytes && long.allSatisfy { $0 == 5 }
        #expect(isEqual)
        try memory.write(Data([1, 2]))
        #expect(try view.file(byteCount: 2) == Data([1, 2]))
        #expect(try view.file(byteCount: 0).isEmpty)
        for count in [-1, ExchangeMemory.maxFileBytes + 1, Int.max] {
            #expect(throws: WireError.self) { try view.file(byteCount: count) }
        }
    }

    @Test func `its size is final, and it takes no memory before it is used`() throws {
        let descriptor = memory.memory.descriptor
        #expect(ftruncate(descriptor, 1) != 0)
        #expect(ftruncate(descriptor, 1 << 30) != 0)
        var status = stat()
        #expect(fstat(descriptor, &status) == 0)
        #expect(status.st_size == ExchangeMemory.byteCount)
        #expect(status.st_blocks == 0)
        // Memory that may change is no result.
        #expect(throws: WireError.self) { try SealedMapping(memory.memory, maxBytes: .max) }
    }
}
