import Foundation
import Kingfisher
import Testing

@testable import KingfisherServer

private let hasPoppler = FileManager.default.isExecutableFile(atPath: "/usr/bin/pdftocairo")

/// Pages of PDF documents, behind `KF_PDF`.
@Suite(.enabled(if: hasPoppler), .timeLimit(.minutes(2)), .serialized)
struct DocumentTests {
    /// A PNG of one pixel.
    private static let pixel = """
        iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
        """

    @Test("A page of a document is an image, and info counts pages")
    func pages() async throws {
        let image = try #require(Data(base64Encoded: Self.pixel))
        let document = try Data(contentsOf: DocumentBench.documents.appending(path: "two.pdf"))
        let files = ["image.png": image, "mail.pdf": Data("mail\n".utf8) + document]
        let bench = try await DocumentBench("KF_PDF", isOn: true, files: files)
        defer { bench.stop() }
        // The page has 180 × 120 points.
        let first = try await bench.body("two.pdf", "f:png")
        #expect(try ImageFileInfo(data: first).size == CGSize(width: 360, height: 240))
        let second = try await bench.body("two.pdf", "pg:1/w:90/f:png")
        #expect(try ImageFileInfo(data: second).size.width == 90)
        for (file, options, status) in [
            ("two.pdf", "page:2", 422), ("locked.pdf", "w:10", 422), ("two.pdf", "raw:1", 422),
            ("mail.pdf", "pg:1/w:90", 200), ("image.png", "w:1", 200), ("image.png", "page:1", 422),
            ("two.pdf", "page:-1", 404), ("two.pdf", "msfs:5000/w:10", 422),
            // The limit is for the document of 5,916 bytes, not for what is drawn of it.
            ("two.pdf", "msfs:6000/w:10", 200),
        ] {
            _ = try await bench.body(file, options, status: status)
        }
        let information = try await bench.information(of: "two.pdf")
        #expect(information.pages == 2)
        #expect(information.format == "pdf")
        #expect(information.width == 360)
    }

    @Test("Without KF_PDF a document is no image, and page is refused")
    func off() async throws {
        let bench = try await DocumentBench("KF_PDF", isOn: false)
        defer { bench.stop() }
        for (options, status) in [("w:10", 422), ("page:1", 404)] {
            _ = try await bench.body("two.pdf", options, status: status)
        }
    }
}
