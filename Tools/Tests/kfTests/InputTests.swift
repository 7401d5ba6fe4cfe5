import Foundation
import Kingfisher
import KingfisherTesting
import Synchronization
import Testing

/// Commands that take several inputs read files, folders, patterns and lists in the same way.
@Suite(.timeLimit(.minutes(1)))
struct InputTests {
    let folder: TemporaryFolder
    let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        let photo = try TestPictures.jpeg(width: 64, height: 48)
        server = try LoopbackServer { path, _ in
            path.contains("missing") ? nil : .init(body: photo)
        }
        for name in ["in/a.jpg", "in/draft-b.jpg", "in/old/c.jpg", "in/old/deep/d.jpg"] {
            let file = folder.url.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try photo.write(to: file)
        }
    }

    /// The commands of several files, with an output.
    private static let everyCommand = [
        "convert -o out", "sheet -o s.png", "animate -o a.gif", "get -o out/", "info",
        "optimize --in-place", "srcset -o out",
    ]

    @Test func `every command that takes folders is in these tests`() async throws {
        let tested = Set(Self.everyCommand.map { String($0.prefix { $0 != " " }) })
        // The first takes URLs, the second one folder.
        let others: Set = ["prefetch", "watch"]
        #expect(try await Set(CommandHelp.having("exclude")) == tested.union(others))
    }

    private func kf(_ arguments: [String], input: String = "") async throws -> KFProgram.Outcome {
        try await KFProgram.run(arguments, in: folder, input: Data(input.utf8))
    }

    /// The files in a folder and below, relative to it.
    private func files(in name: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path(name))
            .filter { ($0 as NSString).pathExtension != "" }.sorted()
    }

    // MARK: --exclude

    @Test(arguments: [
        (["draft-*"], ["a.jpg", "old/c.jpg", "old/deep/d.jpg"]),
        (["draft-*", "old"], ["a.jpg"]),
        (["old/*.jpg"], ["a.jpg", "draft-b.jpg", "old/deep/d.jpg"]),
        (["old/"], ["a.jpg", "draft-b.jpg"]),
        (["./a.jpg"], ["draft-b.jpg", "old/c.jpg", "old/deep/d.jpg"]),
        (["old/**/*.jpg"], ["a.jpg", "draft-b.jpg"]),
        (["c"], ["a.jpg", "draft-b.jpg", "old/c.jpg", "old/deep/d.jpg"]),
    ])
    func `names, folders and ends of paths are left out`(
        patterns: [String],
        left: [String]
    ) async throws {
        let excluding = patterns.flatMap { ["--exclude", $0] }
        for command in [["convert"], ["get", "--name", "{dir}/{stem}.{format}"]] {
            let outcome = try await kf(command + ["in", "-o", "out/"] + excluding)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try files(in: "out") == left, "\(command)")
            try FileManager.default.removeItem(atPath: folder.path("out"))
        }
    }

    @Test func `folders above a searched one do not count`() async throws {
        for input in ["in/old", "in/old/**/*.jpg", folder.path("in/old")] {
            let outcome = try await kf([
                "convert", input, "-o", "out/", "--exclude", "in", "--exclude", "old",
            ])
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try files(in: "out") == ["c.jpg", "deep/d.jpg"], "\(input)")
            try FileManager.default.removeItem(atPath: folder.path("out"))
        }
    }

    @Test func `info and srcset take folders, patterns and lists`() async throws {
        let list = "# these\nin\nin/*.jpg\n"
        for inputs in [["in"], ["in/**/*.jpg"], ["--from-file", "-"]] {
            let arguments = inputs + ["--exclude", "old", "--json"]
            let info = try await kf(["info"] + arguments, input: list)
            #expect(info.status == 0, "\(info.errors)")
            for name in ["in/a.jpg", "in/draft-b.jpg"] {
                #expect(info.text.components(separatedBy: "\"\(name)\"").count == 2, "\(info.text)")
            }
            #expect(!info.text.contains("c.jpg"))
            let srcset = try await kf(
                ["srcset", "-o", "out", "--widths", "16", "--formats", "png"] + arguments,
                input: list
            )
            #expect(srcset.status == 0, "\(srcset.errors)")
            #expect(try files(in: "out") == ["a-16.png", "draft-b-16.png"])
            try FileManager.default.removeItem(atPath: folder.path("out"))
        }
    }

    @Test func `info still refuses URLs of the network, in a list, too`() async throws {
        let named = try await kf(["info", server.url("/a.jpg")])
        #expect(named.status == 64)
        let listed = try await kf(["info", "--from-file", "-"], input: server.url("/a.jpg"))
        #expect(listed.status == 1)
        #expect(listed.errors.contains("download it with kf get"), "\(listed.errors)")
    }

    @Test(arguments: ["convert", "sheet", "animate", "get", "optimize", "info", "srcset"])
    func `nothing that is left is an error`(command: String) async throws {
        let output = ["sheet": "out.png", "animate": "out.gif"][command] ?? "out/"
        let target = command == "info" ? [] : ["-o", output]
        let outcome = try await kf([command, "in", "--exclude", "*.jpg"] + target)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("--exclude leaves no image"), "\(outcome.errors)")
    }

    @Test(arguments: everyCommand)
    func `a folder of which nothing is left is no error beside another input`(
        line: String
    ) async throws {
        let words = line.split(separator: " ").map(String.init)
        let outcome = try await kf(words + ["in/old", "in/a.jpg", "--exclude", "[cd].jpg"])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func `a URL is left out by its path`() async throws {
        let urls = ["/a.jpg", "/old/b.jpg", "/c-draft.jpg"].map { server.url($0) }
        let outcome = try await kf(
            ["prefetch", "--exclude", "old", "--exclude", "*-draft.*", "--cache", "c"] + urls
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(server.requests == ["/a.jpg"])
    }

    // MARK: Inputs that are none

    @Test(arguments: everyCommand)
    func `a folder without images is a failure that names it, alone or not`(
        line: String
    ) async throws {
        let words = line.split(separator: " ").map(String.init)
        for name in ["bare", "void"] {
            try FileManager.default.createDirectory(
                atPath: folder.path(name),
                withIntermediateDirectories: false
            )
        }
        for inputs in [["bare"], ["in/a.jpg", "bare"], ["bare", "void"]] {
            let outcome = try await kf(words + inputs)
            #expect(outcome.status == 1)
            for name in inputs where name != "in/a.jpg" {
                let kind = line.hasPrefix("optimize") ? "PNG, JPEG or GIF files" : "images"
                let message = "\(name): there are no \(kind) in this folder"
                #expect(outcome.errors.contains(message), "\(outcome.errors)")
            }
        }
    }

    @Test(
        arguments: ["get", "info", "optimize --in-place", "srcset -o out"],
        ["ftp://h/a", "ftp://h/a?x", "ftp://h/{a,b}", "http:///a?x"]
    )
    func `a URL of another kind is wrong usage, also if it looks like a pattern`(
        line: String,
        url: String
    ) async throws {
        let words = line.split(separator: " ").map(String.init)
        for inputs in [[url], ["in", url]] {
            let outcome = try await kf(words + inputs)
            #expect(outcome.status == 64, "\(outcome.errors)")
        }
    }

    // MARK: Lists

    /// A list as an editor of another system writes it.
    private let list = "\u{FEFF}in/a.jpg\r\n\r\n# a comment\r\nin/old # all of it\r\n"

    @Test(arguments: [
        (["convert"], ["a.jpg", "c.jpg", "deep/d.jpg"]),
        (["optimize"], ["a.jpg", "c.jpg", "deep/d.jpg"]),
        (["get"], ["a.jpg", "c.jpg", "deep/d.jpg"]),
    ])
    func `a file lists inputs`(command: [String], written: [String]) async throws {
        try Data(list.utf8).write(to: folder.url.appendingPathComponent("list"))
        for (name, input) in [("list", ""), ("-", list)] {
            let outcome = try await kf(
                command + ["--from-file", name, "-o", "out/"],
                input: input
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try files(in: "out") == written)
            try FileManager.default.removeItem(atPath: folder.path("out"))
        }
    }

    @Test(arguments: ["convert", "optimize", "get", "sheet", "animate", "prefetch"])
    func `a command without inputs names both ways to give them`(command: String) async throws {
        let output = ["sheet": "out.png", "animate": "out.gif"][command] ?? "out/"
        let outcome = try await kf([command] + (command == "prefetch" ? [] : ["-o", output]))
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("--from-file"), "\(outcome.errors)")
    }

    @Test(arguments: ["get", "info", "optimize --in-place", "srcset -o out"])
    func `what a list has wrong is an error of its line, with the reason`(
        line: String
    )
        async throws
    {
        let words = line.split(separator: " ").map(String.init)
        let outcome = try await kf(words + ["--from-file", "-"], input: "ftp://h/a\nin/a.jpg\n")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("ftp://h/a: 'ftp' is not supported"), "\(outcome.errors)")
        let alone = try await kf(words + ["--from-file", "-", "--json"], input: "ftp://h/a\n")
        #expect(alone.status == 1)
        #expect(alone.text.contains(#""source":"ftp://h/a","status":"failed""#), "\(alone.text)")
    }

    @Test(arguments: [
        "get", "convert -o out", "info", "optimize --in-place", "srcset -o out", "sheet -o s.png",
        "animate -o a.gif", "prefetch",
    ])
    func `an input without a name is wrong usage, and so is a list`(line: String) async throws {
        let words = line.split(separator: " ").map(String.init)
        for (arguments, message) in [
            ([""], "the source is empty"),
            (["--from-file", ""], "the file of --from-file has no name"),
        ] {
            let outcome = try await kf(words + arguments)
            #expect(outcome.status == 64)
            #expect(outcome.errors.hasPrefix("Error: \(message)"), "\(outcome.errors)")
        }
    }

    @Test(arguments: [
        "get", "convert -o out", "info", "info --json", "optimize --in-place", "srcset -o out",
        "sheet -o s.png", "animate -o a.gif",
    ])
    func `an empty list is a failure`(line: String) async throws {
        let words = line.split(separator: " ").map(String.init)
        let outcome = try await kf(words + ["--from-file", "-"], input: "# nothing yet\n")
        #expect(outcome.status == 1)
        #expect(outcome.errors == "kf: error: there are no images\n", "\(outcome.errors)")
    }

    @Test(arguments: ["convert -o out", "sheet -o s.png", "animate -o a.gif"])
    func `a command of files says which one reads standard input`(line: String) async throws {
        let words = line.split(separator: " ").map(String.init)
        let outcome = try await kf(words + ["-"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("kf get reads an image from it"), "\(outcome.errors)")
    }

    @Test(arguments: [
        ("get -o out/", 1), ("convert -o out/", 1), ("info --json", 0), ("optimize -o out/", 1),
        ("srcset --formats png --widths 16 -o out", 1),
    ])
    func `one file by two paths is one input`(line: String, written: Int) async throws {
        let words = line.split(separator: " ").map(String.init)
        let outcome = try await kf(words + ["in/a.jpg", "./in/a.jpg", "in/../in/a.jpg"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        if written > 0 {
            #expect(try files(in: "out").count == written)
        } else {
            #expect(outcome.text.contains(#""images":1"#), "\(outcome.text)")
        }
    }

    @Test func `standard input is not a list and an image at once`() async throws {
        let outcome = try await kf(["get", "-", "--from-file", "-"])
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("standard input can be read once only"))
    }

    // MARK: Names and repeated runs

    @Test func `names follow a template`() async throws {
        let outcome = try await kf([
            "get", server.url("/x/y/a.jpg?token=1"), "in", "--exclude", "draft-*", "-o", "out/",
            "--output-template", "{dir}/{stem}-{width}x{height}",
        ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            try files(in: "out") == [
                "a-64x48.jpg", "old/c-64x48.jpg", "old/deep/d-64x48.jpg", "x/y/a-64x48.jpg",
            ]
        )
    }

    @Test func `two images never get one name`() async throws {
        let outcome = try await kf([
            "get", server.url("/x/a.jpg"), server.url("/y/a.jpg"), "-o", "out/", "--name", "{stem}",
        ])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("a.jpg is also the name of"), "\(outcome.errors)")
        #expect(try files(in: "out") == ["a.jpg"])
    }

    @Test func `a server cannot choose a folder outside or a hidden one`() async throws {
        let outcome = try await kf([
            "get", server.url("/..%2F..%2Fup/%2E%2E/.hidden/a.jpg"), "-o", "out/", "--name",
            "{dir}/{stem}",
        ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let written = try files(in: "out")
        #expect(written.count == 1 && !written[0].contains("/."), "\(written)")
    }

    @Test func `a link in the output folder leads a server nowhere else`() async throws {
        for name in ["out", "elsewhere"] {
            try FileManager.default.createDirectory(
                atPath: folder.path(name),
                withIntermediateDirectories: true
            )
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("out/x"),
            withDestinationPath: folder.path("elsewhere")
        )
        let outcome = try await kf([
            "get", server.url("/x/a.jpg"), "-o", "out/", "--name", "{dir}/{stem}",
        ])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("leaves the output folder"), "\(outcome.errors)")
        #expect(try files(in: "elsewhere").isEmpty)
    }

    @Test(arguments: [["--name", "{stem}"], ["--skip-existing"]])
    func `what concerns a folder needs one`(option: [String]) async throws {
        let outcome = try await kf(["get", server.url("/a.jpg")] + option)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("need an output"), "\(outcome.errors)")
    }

    @Test func `images that are there are not loaded again`() async throws {
        let command = ["get", server.url("/a.jpg"), server.url("/without"), "-o", "out/"]
        let first = try await kf(command + ["--skip-existing"])
        #expect(first.status == 0, "\(first.errors)")
        let old = Data("mine".utf8)
        for name in ["out/a.jpg", "out/without.jpg"] {
            try old.write(to: folder.url.appendingPathComponent(name))
        }
        let second = try await kf(command + ["--skip-existing", "--no-cache"])
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.text.components(separatedBy: "already there").count == 3)
        #expect(try folder.data("out/a.jpg") == old)
        #expect(try folder.data("out/without.jpg") == old)
        // Without a suffix the name is known after the load alone.
        #expect(server.requests.filter { $0 == "/a.jpg" }.count == 1)
    }

    // MARK: Repeated downloads

    @Test func `a failure that may pass is tried again`() async throws {
        let photo = try TestPictures.jpeg(width: 8, height: 8)
        let count = Atomic(0)
        let server = try LoopbackServer { _, _ in
            count.wrappingAdd(1, ordering: .relaxed).oldValue == 0
                ? .init(status: 503) : .init(body: photo)
        }
        let url = server.url("/a.jpg")
        for command in [["get", url, "-o", "a.jpg"], ["prefetch", url, "--cache", "c"]] {
            count.store(0, ordering: .relaxed)
            let refused = try await kf(command)
            #expect(refused.status == 1)
            count.store(0, ordering: .relaxed)
            let outcome = try await kf(command + ["--retry", "1"])
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(count.load(ordering: .relaxed) == 2)
        }
    }

    @Test func `a refusal is not tried again`() async throws {
        let outcome = try await kf(["get", server.url("/missing.jpg"), "--retry", "5"])
        #expect(outcome.status == 1)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["-1", "101"])
    func `the number of attempts has limits`(count: String) async throws {
        let outcome = try await kf(["get", server.url("/a.jpg"), "--retry=\(count)"])
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("from 0 to 100"), "\(outcome.errors)")
    }
}
