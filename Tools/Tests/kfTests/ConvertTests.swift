import Foundation
import Kingfisher
import Testing

/// `kf convert`.
@Suite(.timeLimit(.minutes(1)))
struct ConvertTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try add("in/a.jpg", TestPictures.jpeg())
        try add("in/b.png", TestPictures.png())
        try add("in/sub/a.jpg", TestPictures.jpeg(width: 100, height: 50))
        try add("in/notes.txt", Data("no image".utf8))
        try add("in/.hidden.png", TestPictures.png())
    }

    private func add(_ name: String, _ data: Data) throws {
        let url = folder.url.appending(path: name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try data.write(to: url)
    }

    private func convert(_ arguments: String...) async throws -> KFProgram.Outcome {
        try await KFProgram.run(["convert"] + arguments, in: folder)
    }

    /// The files below a folder, including hidden ones.
    private func files(_ name: String) -> [String] {
        (FileManager.default.enumerator(atPath: folder.path(name))?.compactMap { $0 as? String }
            ?? [])
            .filter { !($0 as NSString).pathExtension.isEmpty }
            .sorted()
    }

    private func size(_ name: String) throws -> [Int] {
        let image = try #require(KFCrossPlatformImage(data: try folder.data(name)))
        return [image.pixelWidth, image.pixelHeight]
    }

    @Test func `a folder is converted with its folders, each file in its own format`() async throws
    {
        let outcome = try await convert("in", "-o", "out", "-p", "resize:50x")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(files("out") == ["a.jpg", "b.png", "sub/a.jpg"])
        #expect(try size("out/a.jpg") == [50, 38])
        #expect(try size("out/sub/a.jpg") == [50, 25])
        #expect(try folder.data("out/b.png").kf.imageFormat == .PNG)
        #expect(outcome.text.hasPrefix("3 converted; "), "\(outcome.text)")
        #expect(outcome.errors.isEmpty)
    }

    @Test func `inputs that differ in their suffix keep it, and a read-only folder is one error`()
        async throws
    {
        try add("twins/a.jpg", TestPictures.jpeg())
        try add("twins/a.jpeg", TestPictures.jpeg())
        try add("twins/b.jpg", TestPictures.jpeg())
        let outcome = try await convert("twins", "-o", "out", "--format", "webp")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(files("out") == ["a-jpeg.webp", "a-jpg.webp", "b.webp"])
        let named = try await convert(
            "twins",
            "-o",
            "named",
            "--format",
            "webp",
            "--name",
            "{stem}.{ext}.{format}"
        )
        #expect(named.status == 0, "\(named.errors)")
        #expect(files("named") == ["a.jpeg.webp", "a.jpg.webp", "b.jpg.webp"])
        // Nobody can make files there.
        let refused = try await convert("twins", "-o", "/proc/self/fdinfo")
        #expect(refused.status == 1)
        #expect(refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
    }

    @Test func `names follow the template, the size of the result included`() async throws {
        let name = "{format}/{dir}-{stem}-{width}x{height}"
        let outcome = try await convert(
            "in",
            "-o",
            "out",
            "--name",
            name,
            "--format",
            "webp",
            "-p",
            "downsample:40x40"
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            files("out") == [
                "webp/-a-40x30.webp", "webp/-b-40x30.webp", "webp/sub-a-40x20.webp",
            ]
        )
    }

    @Test(arguments: [
        ("in/*.jpg", ["a.jpg"]), ("in/**/*.jpg", ["a.jpg", "sub/a.jpg"]), ("in/*/*", ["sub/a.jpg"]),
        ("in/?.p[mn]g", ["b.png"]),
    ])
    func `quoted patterns are understood`(pattern: String, wanted: [String]) async throws {
        let outcome = try await convert(pattern, "-o", "out")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(files("out") == wanted)
    }

    @Test func `failures do not stop the others, and are listed at the end`() async throws {
        try add("in/bad.jpg", Data("<html>".utf8))
        let cut = try TestPictures.jpeg().prefix(900)
        try add("in/cut.jpg", Data(cut))
        let outcome = try await convert("in", "-o", "out", "-p", "resize:10x")
        #expect(outcome.status == 1)
        #expect(files("out") == ["a.jpg", "b.png", "sub/a.jpg"])
        let errors = outcome.errors.split(separator: "\n")
        #expect(errors.count == 2, "\(outcome.errors)")
        #expect(errors.allSatisfy { $0.hasPrefix("kf: error 4001: in/") }, "\(outcome.errors)")
        #expect(outcome.text.hasPrefix("3 converted, 2 failed"))
    }

    @Test(arguments: ["convert in -o out", "get in -o out/"])
    func `a folder in the place of an output is no output to skip`(line: String) async throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path("in"))
        let folders = names.map { folder.url.appending(path: "out/\($0)") }
        for url in folders where !url.pathExtension.isEmpty {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
        let words = line.split(separator: " ").map(String.init)
        let outcome = try await KFProgram.run(words + ["--skip-existing"], in: folder)
        #expect(outcome.status == 1, "\(outcome.text)")
        #expect(outcome.errors.contains("it is a folder; name a file"), "\(outcome.errors)")
    }

    @Test func `existing files can be skipped, and a dry run writes nothing`() async throws {
        let plan = try await convert("in", "-o", "out", "--dry-run")
        #expect(plan.status == 0)
        #expect(plan.text.contains("in/sub/a.jpg → out/sub/a.jpg"), "\(plan.text)")
        #expect(try folder.files() == ["in"])
        try add("out/a.jpg", Data("mine".utf8))
        let outcome = try await convert("in", "-o", "out", "--skip-existing")
        #expect(outcome.text.hasPrefix("2 converted, 1 skipped"), "\(outcome.text)")
        #expect(try folder.data("out/a.jpg") == Data("mine".utf8))
    }

    @Test func `json has a line for each file and one for all`() async throws {
        try add("in/bad.jpg", Data("<html>".utf8))
        let outcome = try await convert("in", "-o", "out", "--json")
        let lines = try outcome.text.split(separator: "\n").map {
            try #require(
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            )
        }
        #expect(lines.count == 5)
        #expect(lines.last?["converted"] as? Int == 3)
        #expect(lines.last?["failed"] as? Int == 1)
        let failed = try #require(lines.first { $0["status"] as? String == "failed" })
        #expect(failed["source"] as? String == "in/bad.jpg")
        #expect(failed["error"] is String)
    }

    @Test func `two inputs with one output are an error before any work`() async throws {
        let outcome = try await convert("in", "-o", "out", "--name", "{stem}")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("in/a.jpg and in/sub/a.jpg would both become a.jpg"))
        #expect(outcome.errors.contains("add {dir} to --name"), "\(outcome.errors)")
        #expect(try folder.files() == ["in"])
        try add("in/a.png", try TestPictures.png())
        let formats = try await convert(
            "in/a.jpg",
            "in/a.png",
            "-o",
            "out",
            "--format",
            "webp",
            "--name",
            "{stem}"
        )
        let advice = "would both become a.webp; add {ext} to --name"
        #expect(formats.errors.contains(advice), "\(formats.errors)")
        let same = try await convert("in", "-o", "out", "--name", "photo")
        #expect(same.errors.contains("add {stem} to --name"), "\(same.errors)")
    }

    @Test func `an input is never overwritten`() async throws {
        let before = try folder.data("in/a.jpg")
        for arguments in [
            ["in/a.jpg", "-o", "in"], ["in", "-o", "in"], ["in/a.jpg", "-o", "in/."],
        ] {
            let outcome = try await KFProgram.run(
                ["convert"] + arguments + ["-p", "bw"],
                in: folder
            )
            #expect(outcome.status == 1, "\(outcome.text)")
        }
        #expect(try folder.data("in/a.jpg") == before)
    }

    @Test(arguments: ["../{stem}", "/tmp/{stem}", "{stem}/../../x", "{name}", "{stem", "a/", ""])
    func `a template that leaves the folder or cannot be read is refused`(
        template: String
    ) async throws {
        let outcome = try await convert("in", "-o", "out", "--name", template)
        #expect(outcome.status == 64)
        #expect(try folder.files() == ["in"])
    }

    @Test func `a link in the output folder leads nowhere`() async throws {
        let elsewhere = folder.url.appending(path: "elsewhere")
        let out = folder.url.appending(path: "out")
        for made in [elsewhere, out] {
            try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(
            at: out.appending(path: "sub"),
            withDestinationURL: elsewhere
        )
        let outcome = try await convert("in", "-o", "out")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("leaves the output folder"), "\(outcome.errors)")
        #expect(files("elsewhere").isEmpty)
    }

    @Test func `the output folder is not searched when it lies in an input`() async throws {
        for _ in 0..<2 {
            let outcome = try await convert("in", "-o", "in/out")
            #expect(outcome.text.hasPrefix("3 converted"), "\(outcome.text)")
        }
    }

    @Test func `the name of an image as the output is refused, unless it is a folder`() async throws
    {
        let refused = try await convert("in", "-o", "small.jpg")
        #expect(refused.status == 64)
        #expect(refused.errors.contains("kf get writes one file"), "\(refused.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("small.jpg")))
        for output in ["small.jpg/", "small.jpg"] {
            let outcome = try await convert("in", "-o", output)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
    }

    @Test func `a URL is no input, and the message says which command takes it`() async throws {
        let outcome = try await convert("https://example.com/a.jpg", "-o", "out")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("is a URL, not a file"), "\(outcome.errors)")
    }

    @Test func `an input that is not there is listed, and does not stop the rest`() async throws {
        for extra in [[], ["--dry-run"]] {
            let outcome = try await KFProgram.run(
                ["convert", "in/a.jpg", "gone.jpg", "no/*.png", "-o", "out"] + extra,
                in: folder
            )
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("gone.jpg") && outcome.errors.contains("no/*.png"))
            let text = extra.isEmpty ? "1 converted, 2 failed" : "in/a.jpg → out/a.jpg"
            #expect(outcome.text.contains(text), "\(outcome.text)")
        }
        #expect(files("out") == ["a.jpg"])
    }

    @Test func `a link to a file has an output of its own`() async throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("in/0.jpg"),
            withDestinationPath: "a.jpg"
        )
        let outcome = try await convert("in", "./in/a.jpg", "-o", "out")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(files("out") == ["0.jpg", "a.jpg", "b.png", "sub/a.jpg"])
    }

    @Test func `names that are not UTF-8 are listed as failures`() async throws {
        let name = Array(folder.path("in/bad").utf8) + [0xFF] + Array(".jpg\0".utf8)
        let bytes = Array(try TestPictures.jpeg())
        let file = name.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer {
            open($0.baseAddress!, O_WRONLY | O_CREAT, 0o600)
        }
        #expect(write(file, bytes, bytes.count) == bytes.count)
        close(file)
        for input in ["in", "in/bad\u{FFFD}.jpg"] {
            let outcome = try await convert(input, "-o", "out")
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("the name is not UTF-8"), "\(outcome.errors)")
        }
        #expect(files("out") == ["a.jpg", "b.png", "sub/a.jpg"])
    }

    @Test func `a folder that cannot be made is named`() async throws {
        for arguments in [["convert", "in"], ["man"], ["get", "in/a.jpg"]] {
            let output = "in/b.png/small/"
            let outcome = try await KFProgram.run(arguments + ["-o", output], in: folder)
            #expect(outcome.status == 1)
            let message = "cannot make the folder \(output): Not a directory"
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
        }
    }

    @Test func `braces stand for several names, in every command that takes patterns`()
        async throws
    {
        let outcome = try await convert("in/{a.jpg,b.*}", "-o", "out", "--format", "webp")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.hasPrefix("2 converted"), "\(outcome.text)")
        // As in a shell, each name has a folder of its own.
        let equal = try await convert("in/{a.jpg,sub/*}", "-o", "equal")
        #expect(equal.errors.contains("would both become"), "\(equal.errors)")
        let some = try await convert("in/{a,gone}.jpg", "-o", "some")
        #expect(some.status == 1)
        #expect(some.errors.contains("in/gone.jpg"), "\(some.errors)")
        #expect(files("some") == ["a.jpg"])
        try add("in/{odd}.png", TestPictures.png())
        let odd = try await convert("in/{odd}.png", "-o", "odd")
        #expect(odd.status == 0, "\(odd.errors)")
    }

    @Test func `a truncated file is converted on request alone, and named`() async throws {
        let file = try TestPictures.jpeg()
        try add("half/half.jpg", file.prefix(file.count * 3 / 4))
        let refused = try await convert("half", "-o", "out")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("--accept-truncated"), "\(refused.errors)")
        let outcome = try await convert("half", "-o", "out", "--accept-truncated", "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("1 file ends early"), "\(outcome.errors)")
        #expect(outcome.text.contains("\"truncated\":true"), "\(outcome.text)")
        // Not a copy of the source, whose end is missing.
        #expect(KFCrossPlatformImage(data: try folder.data("out/half.jpg")) != nil)
    }
}
