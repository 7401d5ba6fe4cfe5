#if GTK
import Foundation
import Kingfisher
import Testing

@testable import KingfisherGTK

/// The names under which files of images are saved.
struct FileNameTests {
    @Test(arguments: [
        ("https://a.test/b/sea.jpg", ImageFormat.JPEG, "sea.jpg"),
        ("https://a.test/sea.JPEG", .JPEG, "sea.jpeg"),
        ("https://a.test/sea.jpg", .WebP, "sea.webp"),
        ("https://a.test/sea", .PNG, "sea.png"),
        ("https://a.test/", .GIF, "image.gif"),
        ("https://a.test/%2E%2E%2Fetc%2Fpasswd", .PNG, "etcpasswd.png"),
        ("https://a.test/.bashrc", .PNG, "bashrc.png"),
        ("https://a.test/a%00b%0A.png", .PNG, "ab.png"),
        ("https://a.test/gpj.%E2%80%AEexe", .PNG, "gpj.png"),
    ])
    func `a suggested name is a visible file of the folder and of the format`(
        url: String,
        format: ImageFormat,
        name: String
    ) {
        #expect(FileName.suggested(for: URL(string: url), format: format) == name)
    }

    @Test func `a suggested name is not longer than file systems allow`() {
        let url = URL(string: "https://a.test/" + String(repeating: "%C3%A4", count: 300))
        let name = FileName.suggested(for: url, format: .PNG)
        #expect(name.utf8.count <= 255)
        #expect(name.hasSuffix(".png"))
    }
}
#endif
