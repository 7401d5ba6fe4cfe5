// Without `@testable`, to see only the public API.
import Kingfisher
import Testing

/// A subclass outside the library, with its own initialiser.
private final class TaggedDownloader: ImageDownloader, @unchecked Sendable {
    // `@unchecked` as its superclass; the tag is a constant.
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
