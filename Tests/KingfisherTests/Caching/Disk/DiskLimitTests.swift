import Testing

@testable import Kingfisher

struct DiskLimitTests {
    @Test(arguments: ["c", "c/", "c/d", "/", "", "é", "/no/such/folder", "//"])
    func `a limit follows from any path`(path: String) {
        #expect(DiskLimit.defaultBytes(directory: path) > 0)
    }

    @Test(arguments: [
        (0, 10_000_000), (19, 10_000_000), (400_000_000, 20_000_000), (Int.max, 1_000_000_000),
    ])
    func `W-23: the limit follows the free space, and a full disk has one`(free: Int, limit: Int) {
        #expect(DiskLimit.bytes(ofFree: free) == limit)
    }

    @Test func `a folder that does not exist yet has the limit of its disk`() {
        let folder = "/no such folder/caches"
        #expect(
            DiskLimit.defaultBytes(directory: folder) == DiskLimit.defaultBytes(directory: "/")
        )
    }
}
