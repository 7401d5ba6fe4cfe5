import Testing

@testable import Kingfisher

struct FileNamingTests {
    // `printf 'https://example.com/a.png' | sha256sum`
    private let key = "https://example.com/a.png"
    private let hash = "494a30704d4f32ac0b81739d18a66d3638d440cbc6f5669f6af66f840edee5ab"

    @Test func `DSK-3: a name is the SHA-256 of the key, or the key`() {
        #expect(FileNaming().name(forKey: key) == hash)
        #expect(FileNaming(usesHash: false).name(forKey: "key") == "key")
    }

    @Test func `DSK-4: forced goes before set goes before found`() {
        var naming = FileNaming(addsExtensionOfKey: true)
        #expect(naming.name(forKey: key) == "\(hash).png")
        naming.pathExtension = "jpg"
        #expect(naming.name(forKey: key) == "\(hash).jpg")
        #expect(naming.name(forKey: key, forcedExtension: "gif") == "\(hash).gif")
    }

    @Test func `DSK-4: without hashing the key's own extension is not added twice`() {
        var naming = FileNaming(usesHash: false, addsExtensionOfKey: true)
        #expect(naming.name(forKey: "a.png") == "a.png")
        #expect(naming.name(forKey: "a.png", forcedExtension: "gif") == "a.png.gif")
        naming.pathExtension = "jpg"
        #expect(naming.name(forKey: "a.png") == "a.png.jpg")
    }

    @Test(
        arguments: [
            ("https://example.com/image.png@round", "png"),
            ("https://example.com/image.JPG", "JPG"),
            ("https://example.com/image", nil),
            ("https://example.com/57373197@300-1.jpg", nil),
            ("https://example.com/image.jpg?v=2", nil),
            ("https://onevcat.com", "com"),
            ("a.", nil),
            ("a.12345678901234567890", "12345678901234567890"),
            ("a.123456789012345678901", nil),
            ("", nil),
        ] as [(String, String?)]
    )
    func `DSK-5: the extension found in a key`(key: String, suffix: String?) {
        #expect(FileNaming.fileExtension(in: key) == suffix)
    }
}
