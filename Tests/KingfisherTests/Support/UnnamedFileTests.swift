import Foundation
import SystemPackage
import TestSupport
import Testing

@testable @_spi(Server) import Kingfisher

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

struct UnnamedFileTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func copy(_ bytes: Data, atMost count: Int) throws -> Data {
        let url = folder.file("file")
        try bytes.write(to: url)
        let file = try FileDescriptor.open(FilePath(url.path), .readOnly)
        return try file.closeAfter { try UnnamedFile.copy(of: file.rawValue, atMost: count) }
    }

    @Test(arguments: [0, 1, 4095, 4096, 1 << 20, (1 << 20) + 1, 2_000_000])
    func `a copy has the bytes of the file, up to the limit`(count: Int) throws {
        let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        #expect(try copy(bytes, atMost: count) == bytes)
        #expect(try copy(bytes, atMost: count + 1) == bytes)
        #expect(try copy(bytes, atMost: count / 2) == bytes.prefix(count / 2))
    }

    @Test func `a copy outlives a truncation of the file, which a mapping of it would not`() throws
    {
        let bytes = Data(repeating: 7, count: 100_000)
        let copy = try copy(bytes, atMost: .max)
        truncate(folder.file("file").path, 0)
        #expect(copy == bytes)
    }

    @Test func `large files are read without taking memory that cannot be reclaimed`() throws {
        let path = folder.file("large").path
        let count = UnnamedFile.largestInMemory + 1
        try Data(repeating: 7, count: count).write(to: folder.file("large"))
        let data = try POSIXFileSystem().read(path, expecting: count)
        truncate(path, 0)
        #expect(data.count == count)
        #expect(data.allSatisfy { $0 == 7 })
        #expect(comesBackWhenDropped(data))
        let inMemory = Data(repeating: 7, count: 1 << 20)
        #expect(!comesBackWhenDropped(inMemory))
        let small = try POSIXFileSystem().read(path, expecting: 0)
        #expect(small.isEmpty)
    }

    /// Whether dropped pages come back, as only those of a file do; memory is zero then.
    private func comesBackWhenDropped(_ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            let page = Int(getpagesize())
            guard let base = bytes.baseAddress else { return false }
            let start = UnsafeMutableRawPointer(mutating: base).alignedUp(toMultipleOf: page)
            let count = bytes.count - 2 * page
            return madvise(start, count, MADV_DONTNEED) == 0 && bytes.allSatisfy { $0 == 7 }
        }
    }
}
