import Foundation
import Kingfisher
import KingfisherTesting
import Testing

/// The names of outputs in a folder, by one rule in every command that writes several.
@Suite(.timeLimit(.minutes(1)))
struct NameTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let (photo, drawing) = (
            try TestPictures.jpeg(width: 64, height: 48), try TestPictures.png()
        )
        for (name, bytes) in [
            ("in/a.jpg", photo), ("in/a.png", drawing), ("in/one/a.jpg", photo),
            ("in/one/two/a.jpg", photo), ("in/_b.jpg", photo),
        ] {
            let file = folder.url.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try bytes.write(to: file)
        }
    }

    private func kf(_ line: String) async throws -> KFProgram.Outcome {
        try await KFProgram.run(line.split(separator: " ").map(String.init), in: folder)
    }

    private func files(in name: String = "out") throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path(name))
            .filter { ($0 as NSString).pathExtension != "" }.sorted()
    }

    @Test(arguments: ["convert in", "get in", "optimize in", "get in/**/*.*", "optimize in/**/*"])
    func `folders are kept below the searched one`(command: String) async throws {
        let outcome = try await kf("\(command) -o out/")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            try files() == ["_b.jpg", "a.jpg", "a.png", "one/a.jpg", "one/two/a.jpg"],
            "\(outcome.text)"
        )
    }

    @Test(arguments: [
        ("convert in -o out/ --format webp", ""), ("get in -o out/ --format webp", ""),
        ("srcset in -o out/ --formats webp --widths 16", "-16"),
    ])
    func `names that differ in their suffix alone keep it`(
        line: String,
        width: String
    )
        async throws
    {
        let outcome = try await kf(line)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let names = ["_b", "a-jpg", "a-png", "one/a", "one/two/a"]
        #expect(try files() == names.map { "\($0)\(width).webp" })
        if !width.isEmpty {
            #expect(outcome.text.contains("src=\"one/two/a-16.webp\""), "\(outcome.text)")
        }
    }

    @Test(arguments: ["get", "optimize", "srcset --formats jpeg --widths 16"])
    func `equal names are numbered, and the output is named`(command: String) async throws {
        let outcome = try await kf("\(command) in/one/a.jpg in/one/two/a.jpg in/a.jpg -o out/")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let end = command.hasPrefix("srcset") ? "-16.jpg" : ".jpg"
        #expect(try files() == ["a-2\(end)", "a-3\(end)", "a\(end)"].sorted())
        #expect(outcome.text.contains("a-2\(end)"), "\(outcome.text)")
    }

    @Test(arguments: ["convert", "get"])
    func `a file without a suffix has a plain name beside others`(command: String) async throws {
        try folder.data("in/a.jpg").write(to: folder.url.appending(path: "a"))
        let outcome = try await kf("\(command) a in/a.png -o out/ --format webp")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try files() == ["a-png.webp", "a.webp"])
    }

    @Test(arguments: ["get", "optimize"])
    func `a file whose suffix is not its format takes no name of another`(
        command: String
    )
        async throws
    {
        try folder.data("in/a.jpg").write(to: folder.url.appending(path: "in/a.png"))
        let outcome = try await kf("\(command) in -o out/")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            try files() == ["_b.jpg", "a-png.jpg", "a.jpg", "one/a.jpg", "one/two/a.jpg"],
            "\(outcome.text)"
        )
    }

    @Test func `a link in the output folder leads nowhere else`() async throws {
        let files = FileManager.default
        for name in ["out", "elsewhere"] {
            try files.createDirectory(
                atPath: folder.path(name),
                withIntermediateDirectories: false
            )
        }
        try files.createSymbolicLink(
            atPath: folder.path("out/one"),
            withDestinationPath: folder.path("elsewhere")
        )
        for command in ["get", "optimize", "srcset --formats jpeg --widths 16"] {
            let outcome = try await kf("\(command) in/one/../../in -o out/")
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("leaves the output folder"), "\(outcome.errors)")
            #expect(try self.files(in: "elsewhere").isEmpty)
        }
    }

    @Test(arguments: ["convert", "get", "optimize", "srcset"])
    func `the help states the rule`(command: String) async throws {
        let help = try await KFProgram.run(
            [command, "--help"],
            in: folder,
            environment: ["COLUMNS": "1000"]
        )
        let rule = "files of folders and patterns keep their folders below the searched one"
        #expect(help.text.contains(rule), "\(help.text)")
        #expect(help.text.contains("{dir}/{stem}.{format}") && help.text.contains("a-jpg.webp"))
        let equal = command == "convert" ? "equal names are refused" : "equal names are numbered"
        #expect(help.text.contains(equal), "\(help.text)")
    }

    /// Names that follow from the size of an image, or from the number of a frame.
    @Test(arguments: [
        ("--name {stem}-{width}", "a.png", "a-64.png", "is also an input"),
        ("--name x{stem} --all-frames --format png", "a.gif", "xa-1.png", "is also an input"),
    ])
    func `no input is replaced, whatever the name of an output follows from`(
        options: String,
        first: String,
        second: String,
        reason: String
    ) async throws {
        let moving = folder.url.appending(path: "moving")
        try FileManager.default.createDirectory(at: moving, withIntermediateDirectories: true)
        let gif = try await kf("animate in/a.png in/a.jpg -o moving/a.gif")
        #expect(gif.status == 0, "\(gif.errors)")
        let input = try TestPictures.png(width: 20, height: 10)
        try TestPictures.png().write(to: moving.appending(path: "a.png"))
        try input.write(to: moving.appending(path: second))
        let outcome = try await kf("convert moving/\(first) moving/\(second) -o moving \(options)")
        #expect(outcome.status == 1, "\(outcome.text)")
        #expect(outcome.errors.contains("moving/\(second) \(reason)"), "\(outcome.errors)")
        #expect(try folder.data("moving/\(second)") == input)
    }

    @Test(arguments: ["--name {stem}{width}", "--all-frames --format png"])
    func `two images that would become one file are not both converted`(
        options: String
    ) async throws {
        let input = folder.url.appending(path: "pair")
        try FileManager.default.createDirectory(at: input, withIntermediateDirectories: true)
        if options.contains("frames") {
            let gif = try await kf("animate in/a.png in/a.jpg -o pair/a.gif")
            #expect(gif.status == 0, "\(gif.errors)")
            try TestPictures.png().write(to: input.appending(path: "a-1.png"))
        } else {
            try TestPictures.png(width: 164).write(to: input.appending(path: "a.png"))
            try TestPictures.png(width: 64).write(to: input.appending(path: "a1.png"))
        }
        let outcome = try await kf("convert pair -o out \(options)")
        #expect(outcome.status == 1, "\(outcome.text)")
        #expect(outcome.errors.contains(", too; use another --name"), "\(outcome.errors)")
    }

    @Test func `outputs that are there are skipped, also as inputs of the next run`() async throws {
        // As a shell expands in/*.png.
        for inputs in ["in/a.png", "in/a-64.png in/a.png"] {
            let line = "convert \(inputs) -o in --name {stem}-{width} --skip-existing"
            let outcome = try await kf(line)
            #expect(outcome.status == 0, "\(inputs): \(outcome.errors)")
        }
        #expect(try files(in: "in").contains("a-64.png"))
    }

    @Test(arguments: [".jpg", ""])
    func `many thousand equal names are numbered at once`(suffix: String) async throws {
        // None is there, so that nothing is loaded.
        let list = (1...20_000).map { "\($0)/photo\(suffix)\n" }.joined()
        let outcome = try await KFProgram.run(
            ["get", "--from-file", "-", "-o", "out/"],
            in: folder,
            input: Data(list.utf8)
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.split(separator: "\n").count == 20_000)
    }

    @Test func `a name may be as long as the system allows`() async throws {
        // Ten characters of 25 bytes.
        let name = String(repeating: "👨‍👩‍👧‍👦", count: 10) + ".jpg"
        #expect(name.utf8.count == 254)
        for name in [name, String(repeating: "x", count: 251) + ".jpg"] {
            let outcome = try await KFProgram.run(["get", "in/a.png", "-o", name], in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(FileManager.default.fileExists(atPath: folder.path(name)))
        }
    }

    @Test func `names keep their white space in a list, and zero bytes are named`() async throws {
        try TestPictures.png(width: 20, height: 10)
            .write(to: folder.url.appending(path: "x  y.png"))
        try TestPictures.png().write(to: folder.url.appending(path: "x y.png"))
        let list = "\t x  y.png \t# the first\n"
        let outcome = try await KFProgram.run(
            ["info", "--from-file", "-", "--json"],
            in: folder,
            input: Data(list.utf8)
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("\"source\":\"x  y.png\""), "\(outcome.text)")
        let zeros = try await KFProgram.run(
            ["info", "--from-file", "-"],
            in: folder,
            input: Data("x y.png\0x  y.png\0".utf8)
        )
        #expect(zeros.status == 1)
        #expect(zeros.errors.contains("with a line for each name"), "\(zeros.errors)")
    }
}
