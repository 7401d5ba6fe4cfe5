import Foundation
import Kingfisher
import Testing

private let hasPoppler = FileManager.default.isExecutableFile(atPath: "/usr/bin/pdftocairo")

/// Pages of PDF documents in `kf`.
@Suite(.enabled(if: hasPoppler), .timeLimit(.minutes(1)))
struct PageTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["two.pdf", "locked.pdf"] {
            try TestPictures.document(name).write(to: folder.url.appending(path: name))
        }
        try TestPictures.jpeg().write(to: folder.url.appending(path: "in.jpg"))
    }

    private func run(_ line: String) async throws -> KFProgram.Outcome {
        try await KFProgram.run(line.split(separator: " ").map(String.init), in: folder)
    }

    private func size(_ name: String) throws -> [Int] {
        let image = try #require(KFCrossPlatformImage(data: try folder.data(name)))
        return [image.pixelWidth, image.pixelHeight]
    }

    @Test func `a page becomes an image`() async throws {
        let outcome = try await run("get two.pdf --page 2 --dpi 36 -o page.png")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let whole = try size("page.png")
        let halved = try await run("get two.pdf --page 2 --dpi 72 -p resize:50% -o half.jpg")
        #expect(halved.status == 0, "\(halved.errors)")
        #expect(try size("half.jpg") == whole)
    }

    @Test func `a page that is not written has no format and no size of a file`() async throws {
        let fields = try GetTests.fields(try await run("get two.pdf --json"))
        #expect(fields["format"] is NSNull && fields["bytes"] is NSNull, "\(fields)")
        let text = try await run("get two.pdf").text
        #expect(text.contains(/pixels\n/), "\(text)")
        let written = try GetTests.fields(try await run("get two.pdf -o out.png --json"))
        #expect(written["format"] as? String == "png" && written["bytes"] is Int, "\(written)")
    }

    @Test func `pages are counted, and a page too far is named`() async throws {
        let outcome = try await run("info two.pdf")
        #expect(outcome.text.contains("2 pages, "), "\(outcome.text)\(outcome.errors)")
        #expect(outcome.text.contains(" points, PDF, "), "\(outcome.text)")
        let missing = try await run("get two.pdf --page 3 -o page.png")
        #expect(missing.status == 1)
        #expect(missing.errors.contains("has no page 3. Its pages are 1 to 2"), "\(missing.errors)")
    }

    @Test func `an encrypted document needs a password`() async throws {
        let without = try await run("get locked.pdf -o page.png")
        #expect(without.status == 1)
        #expect(without.errors.contains("encrypted"), "\(without.errors)")
        let with = try await run("get locked.pdf --password reader -o page.png")
        #expect(with.status == 0, "\(with.errors)")
        #expect(try await run("info locked.pdf --password owner").status == 0)
        try Data("reader\r\nmore".utf8).write(to: folder.url.appending(path: "secret"))
        let file = try await run("get locked.pdf --password-file secret -o file.png")
        #expect(file.status == 0, "\(file.errors)")
        let both = try await run("info locked.pdf --password-file secret --password reader")
        #expect(both.status == 64)
        for (arguments, environment, status) in [
            (["--password-file", "-"], [:], 0), ([], ["KF_PDF_PASSWORD": "owner"], 0),
            ([], ["KF_PDF_PASSWORD": "wrong"], 1), (["--password-file", "missing"], [:], 1),
        ] as [([String], [String: String], Int)] {
            let outcome = try await KFProgram.run(
                ["get", "locked.pdf", "-o", "page.png"] + arguments,
                in: folder,
                input: Data("reader\n".utf8),
                environment: environment
            )
            #expect(outcome.status == status, "\(outcome.errors)")
        }
    }

    @Test func `a folder with documents is converted`() async throws {
        let outcome = try await run("convert two.pdf in.jpg --format webp --dpi 20 -o out")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.data("out/two.webp").kf.imageFormat == .WebP)
        #expect(try folder.data("out/in.webp").kf.imageFormat == .WebP)
    }

    @Test(arguments: ["convert two.pdf --frame 2 -o out", "get two.pdf --frame 2 -o page.png"])
    func `a page is no frame, and the error names its option`(line: String) async throws {
        let outcome = try await run(line)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("; --page takes a page"), "\(outcome.errors)")
    }

    // Seen failing with "there are no bytes to decode".
    @Test func `a drawn page has no metadata that could be kept`() async throws {
        let outcome = try await run("convert two.pdf --keep all --dpi 20 --format jpeg -o out")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.data("out/two.jpg").kf.imageFormat == .JPEG)
    }

    @Test(arguments: ["png", "webp", "avif"])
    func `a converted page has the pixels of one that is loaded alone`(
        format: String
    ) async throws {
        let convert = try await run("convert two.pdf -p resize:500x --format \(format) -o out")
        #expect(convert.status == 0, "\(convert.errors)")
        let get = try await run("get two.pdf -p resize:500x -o page.\(format)")
        #expect(get.status == 0, "\(get.errors)")
        #expect(try folder.data("out/two.\(format)") == folder.data("page.\(format)"))
        // Drawn for this size: enlarging a page of fewer pixels gives others.
        let few = try await run("get two.pdf --dpi 20 -p resize:500x -o few.\(format)")
        #expect(few.status == 0, "\(few.errors)")
        #expect(try folder.data("few.\(format)") != folder.data("page.\(format)"))
    }

    @Test(arguments: ["get in.jpg --page 2 -o a.png", "get in.jpg --dpi 72 -o a.png"])
    func `an image has no pages`(line: String) async throws {
        let outcome = try await run(line)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("is for PDF documents"), "\(outcome.errors)")
    }

    @Test(arguments: ["--page 0", "--dpi 0", "--dpi 5000", "--page x"])
    func `wrong usage exits with 64`(option: String) async throws {
        #expect(try await run("get two.pdf \(option) -o a.png").status == 64)
    }

    @Test func `a document may begin with other bytes`() async throws {
        let document = try TestPictures.document("two.pdf")
        try (Data("\u{FEFF}mail\n".utf8) + document)
            .write(to: folder.url.appending(path: "mail.pdf"))
        for line in ["info mail.pdf", "get mail.pdf -o page.png"] {
            let outcome = try await run(line)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
    }

    @Test func `a document from a pipe is named as what it is`() async throws {
        let outcome = try await KFProgram.run(
            ["get", "-", "-o", "page.png"],
            in: folder,
            input: try TestPictures.document("two.pdf")
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("a PDF document is drawn from a file"))
        #expect(!outcome.errors.contains("check the source"), "\(outcome.errors)")
    }
}
