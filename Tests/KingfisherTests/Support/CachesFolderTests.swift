import Testing

@_spi(Programs) @testable import Kingfisher

struct CachesFolderTests {
    @Test(arguments: [
        (["XDG_CACHE_HOME": "/x", "HOME": "/h"], "/x"),
        (["XDG_CACHE_HOME": "", "HOME": "/h"], "/h/.cache"),
        (["XDG_CACHE_HOME": "x", "HOME": "/h"], "/h/.cache"),
        (["HOME": "/h"], "/h/.cache"),
        (["HOME": "relative"], "/users/own/.cache"),
        (["HOME": ""], "/users/own/.cache"),
        ([:], "/users/own/.cache"),
    ])
    func `no folder depends on where the program was started`(
        environment: [String: String],
        path: String
    ) {
        #expect(CachesFolder.url(environment, home: { "/users/own" }).path == path)
    }

    @Test(arguments: [nil, "", "none"])
    func `without a home folder it is the one for temporary files`(home: String?) {
        #expect(CachesFolder.url([:], home: { home }).path == "/tmp")
        #expect(CachesFolder.url(["TMPDIR": "/t"], home: { home }).path == "/t")
        #expect(CachesFolder.url(["TMPDIR": "t"], home: { home }).path == "/tmp")
    }
}
