import Testing

@testable import Kingfisher

struct DiskLimitTests {
    @Test(arguments: ["c", "c/", "c/d", "/", "", "é", "/no/such/folder", "//"])
    func `a limit follows from any path`(path: String) {
        #expect(DiskLimit.defaultBytes(directory: path) > 0)
    }

    @Test func `a folder that does not exist yet has the limit of its disk`() {
        let folder = "/no such folder/caches"
        #expect(
            DiskLimit.defaultBytes(directory: folder) == DiskLimit.defaultBytes(directory: "/")
        )
    }
}
