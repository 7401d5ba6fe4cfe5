// Without `@testable`, as users see it.
import Kingfisher
import Testing

/// A downloader of somebody else's, with an initialiser of its own.
private final class TaggedDownloader: ImageDownloader, @unchecked Sendable {
    // `@unchecked` as the class above it; the tag is a constant.
    let tag: Int

    init(tag: Int) {
        self.tag = tag
        super.init(name: "tagged")
    }
}

struct ImageDownloaderSubclassTests {
    @Test func `a subclass can have an initialiser of its own`() {
        #expect(TaggedDownloader(tag: 7).tag == 7)
        #expect(TaggedDownloader(tag: 7).downloadTimeout == 15)
    }
}
