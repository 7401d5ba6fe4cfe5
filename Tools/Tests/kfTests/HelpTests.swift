import Foundation
import Testing

/// The help of all commands, read from their manual pages.
@Suite(.timeLimit(.minutes(1)))
struct HelpTests {
    /// Commands that have no report: they print scripts, write pages, have commands below them, or
    /// become another program.
    private static let withoutReport: Set = [
        "kf", "kf-cache", "kf-completions", "kf-man", "kf-serve",
    ]

    @Test func `every command has two examples, and JSON if it reports anything`() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await KFProgram.run(["man", "-o", "man"], in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path("man"))
        #expect(pages.count >= 20)
        for page in pages {
            let name = String(page.dropLast(2))
            let text = String(decoding: try folder.data("man/\(page)"), as: UTF8.self)
            let examples = text.components(separatedBy: "Examples:").last ?? ""
            let lines = examples.split(separator: "\n").filter { $0.contains("kf ") }
            #expect(text.contains("Examples:") && lines.count >= 2, "\(name)")
            #expect(text.firstMatch(of: /(\(default: [^)]*\))\s+\1/) == nil, "\(name)")
            // Pages that speak of the reports of others.
            let mentions = ["kf", "kf-cache"].contains(name)
            let hasReport = !Self.withoutReport.contains(name)
            #expect(text.contains("\\-\\-json") == hasReport || mentions, "\(name)")
        }
    }

    @Test func `no command has an option twice`() async throws {
        for command in try await CommandHelp.all() {
            let twice = Dictionary(grouping: command.options) { $0 }.filter { $0.value.count > 1 }
            #expect(twice.isEmpty, "\(command.words)")
        }
    }

    @Test func `every command can be given`() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/kf").standardizedFileURL
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var text = ""
        for case let file as URL in try #require(files) where file.pathExtension == "swift" {
            text += try String(contentsOf: file, encoding: .utf8)
        }
        let names = text.matches(of: /struct (\w+Command): (?:Async)?ParsableCommand/).map { $0.1 }
        #expect(names.count > 20)
        for name in names where name != "KFCommand" {
            let isGiven = text.contains("\(name).self")
            #expect(isGiven, "\(name) is in no list of subcommands")
        }
    }

    @Test(arguments: ["get", "info", "placeholder", "compare", "convert"])
    func `a source that fails is a line of JSON, too`(command: String) async throws {
        let folder = try TemporaryFolder()
        try Data("no image".utf8).write(to: folder.url.appending(path: "bad.jpg"))
        let output = command == "convert" ? ["-o", "out"] : []
        let outcome = try await KFProgram.run([command, "bad.jpg", "--json"] + output, in: folder)
        #expect(outcome.status == 1)
        let line = try #require(outcome.text.split(separator: "\n").first)
        let fields =
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
        #expect(fields["source"] as? String == "bad.jpg", "\(outcome.text)")
        #expect(fields["status"] as? String == "failed")
        #expect((fields["error"] as? String)?.hasPrefix("error") == true)
    }

    @Test(arguments: [
        ["convert", "--bogus"], ["get", "--bogus", "3"], ["cache", "list", "--bogus"],
        ["info", "-v", "--bogus=3"],
    ])
    func `an unknown option is reported before anything else`(words: [String]) async throws {
        let outcome = try await KFProgram.run(words, in: try TemporaryFolder())
        #expect(outcome.status == 64)
        #expect(outcome.errors.hasPrefix("Error: Unknown option '--bogus"), "\(outcome.errors)")
    }

    @Test(arguments: ["info", "get", "show", "optimize --in-place", "placeholder"])
    func `a file whose name begins with a hyphen is no option, and the advice works`(
        line: String
    ) async throws {
        let folder = try TemporaryFolder()
        try TestPictures.png().write(to: folder.url.appending(path: "-dash.png"))
        let words = line.split(separator: " ").map(String.init)
        let outcome = try await KFProgram.run(words + ["-dash.png"], in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("write ./-dash.png for the file"), "\(outcome.errors)")
        for name in [["./-dash.png"], ["--", "-dash.png"]] {
            let advised = try await KFProgram.run(words + name, in: folder)
            #expect(advised.status == 0, "\(advised.errors)")
        }
    }

    @Test(arguments: [
        ("get in.png --retry", "-1", "--retry must be from 0 to 100"),
        ("get in.png --at", "-1", "'-1' is no time"),
        ("convert in.png -o out --quality", "-4", "the quality must be from 0 to 100, not -4"),
        ("animate in.png -o a.gif --fps", "-3", "--fps must be from 1 to 100"),
        ("get in.png -o", "-dash.png", ""), ("convert in.png --output", "-dash", ""),
    ])
    func `a value that begins with a hyphen gets advice, which works`(
        line: String,
        value: String,
        message: String
    ) async throws {
        let folder = try TemporaryFolder()
        try TestPictures.png().write(to: folder.url.appending(path: "in.png"))
        var words = line.split(separator: " ").map(String.init)
        let outcome = try await KFProgram.run(words + [value], in: folder)
        #expect(outcome.status == 64)
        let option = words.removeLast()
        let advice = "; write \(option)=VALUE for one that begins with a dash\n"
        #expect(outcome.errors.contains(advice), "\(outcome.errors)")
        let advised = try await KFProgram.run(words + [option + "=" + value], in: folder)
        #expect(advised.status == (message.isEmpty ? 0 : 64))
        #expect(message.isEmpty || advised.errors.contains(message), "\(advised.errors)")
    }

    @Test func `a missing value gets no advice about hyphens`() async throws {
        let outcome = try await KFProgram.run(["get", "a.png", "-o"], in: try TemporaryFolder())
        #expect(outcome.status == 64)
        #expect(outcome.errors.hasPrefix("Error: Missing value for '-o <file>'\n"))
    }

    @Test(arguments: [
        ("conver", "there is no command 'conver'; did you mean 'convert'?"),
        ("thumbnail", "there is no command 'thumbnail'; there are get, convert, watch, "),
        ("a.jpg", "there is no command 'a.jpg'; kf get a.jpg loads an image\n"),
    ])
    func `a command that does not exist is named`(word: String, message: String) async throws {
        let folder = try TemporaryFolder()
        try TestPictures.jpeg().write(to: folder.url.appending(path: "a.jpg"))
        let outcome = try await KFProgram.run([word, "photos"], in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.errors.hasPrefix("Error: " + message), "\(outcome.errors)")
    }

    @Test(arguments: [
        ("help thumbnail", "there is no command 'thumbnail'; there are get, convert, "),
        ("thumbnail --help", "there is no command 'thumbnail'; there are get, convert, "),
        ("help cache stat", "there is no command 'cache stat'; did you mean 'cache stats'?"),
        ("cache wash", "there is no command 'cache wash'; there are stats, list, path, "),
        ("help get a.jpg", "there is no command 'get a.jpg'\n"),
    ])
    func `help for a command that does not exist is wrong usage`(
        line: String,
        message: String
    )
        async throws
    {
        let words = line.split(separator: " ").map(String.init)
        let outcome = try await KFProgram.run(words, in: try TemporaryFolder())
        #expect(outcome.status == 64)
        #expect(outcome.text.isEmpty)
        #expect(outcome.errors.hasPrefix("Error: " + message), "\(outcome.errors)")
    }

    @Test(arguments: ["help", "help get", "help cache stats", "cache", "get --help", "help help"])
    func `help for a command that exists is no error`(line: String) async throws {
        let words = line.split(separator: " ").map(String.init)
        let outcome = try await KFProgram.run(words, in: try TemporaryFolder())
        #expect(outcome.status == 0)
        #expect(outcome.text.hasPrefix("OVERVIEW"), "\(outcome.text)\(outcome.errors)")
    }

    @Test(arguments: [
        ("get in -o one.jpg", "several images need a folder", "kf get"),
        ("get in --only-from-cache", "files are only cached with --cache", "kf get"),
        ("optimize in -o one.jpg", "several images need a folder", "kf optimize"),
        ("srcset in --header a:b -o web", "--header requires an http or https", "kf srcset"),
    ])
    func `wrong usage that is found while running names its command`(
        line: String,
        message: String,
        command: String
    ) async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path("in"),
            withIntermediateDirectories: true
        )
        for name in ["in/a.jpg", "in/b.jpg"] {
            try TestPictures.jpeg().write(to: folder.url.appending(path: name))
        }
        let words = line.split(separator: " ").map(String.init)
        let outcome = try await KFProgram.run(words, in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.errors.hasPrefix("Error: " + message), "\(outcome.errors)")
        #expect(outcome.errors.contains("\nUsage: \(command) ["), "\(outcome.errors)")
        #expect(outcome.errors.contains("  See '\(command) --help' for"), "\(outcome.errors)")
    }

    @Test func `examples fit a terminal of 80 columns`() async throws {
        let folder = try TemporaryFolder()
        _ = try await KFProgram.run(["man", "-o", "man"], in: folder)
        for page in try FileManager.default.contentsOfDirectory(atPath: folder.path("man")) {
            let text = String(decoding: try folder.data("man/\(page)"), as: UTF8.self)
            for line in text.replacingOccurrences(of: "\\", with: "").split(separator: "\n")
            where line.hasPrefix("  ") {
                #expect(line.count <= 80, "\(page)")
            }
        }
    }

    @Test(arguments: [
        ("kf-convert", "[\\fIoptions\\fR] [\\fIinput\\fR]... \\fB\\-\\-output\\fR \\fIdir\\fR"),
        ("kf-prefetch", "[\\fIoptions\\fR] [\\fIurl\\fR]..."),
    ])
    func `the synopsis has what a command requires`(page: String, synopsis: String) async throws {
        let folder = try TemporaryFolder()
        _ = try await KFProgram.run(["man", "-o", "man"], in: folder)
        let text = String(decoding: try folder.data("man/\(page).1"), as: UTF8.self)
        #expect(text.contains("\n\(synopsis)\n"))
    }

    @Test(arguments: [
        ("kf-get", "The time limit of a load. (default: 30.0)"),
        ("kf-prefetch", "The number of concurrent loads. (default: 5)"),
        ("kf-show", "(values: auto, kitty, iterm, sixel, blocks; default: auto)"),
        ("kf-compare", "(default: jpeg,webp,avif,png)"),
        ("kf-compare", "(default: 50,75,90)"),
        ("kf-placeholder", "(default: 4x3)"),
    ])
    func `manual and help name the defaults`(page: String, text: String) async throws {
        let folder = try TemporaryFolder()
        _ = try await KFProgram.run(["man", "-o", "man"], in: folder)
        let manual = String(decoding: try folder.data("man/\(page).1"), as: UTF8.self)
        #expect(manual.contains(text), "\(manual)")
        let command = String(page.dropFirst(3))
        let help = try await KFProgram.run(
            [command, "--help"],
            in: folder,
            environment: ["COLUMNS": "200"]
        )
        #expect(help.text.contains(text), "\(help.text)")
    }

    @Test(arguments: ["sheet", "animate", "convert", "watch", "optimize", "info"])
    func `a command without URLs has no options for the network`(command: String) async throws {
        let help = try await KFProgram.run([command, "--help"], in: TemporaryFolder()).text
        for option in ["--header", "--ignore-query", "--cache", "--no-cache", "--force-refresh"] {
            #expect(!help.contains(option), "\(help)")
        }
    }

    @Test(arguments: [
        ("srcset a.jpg -o out --widths 0", "'0' is no width; write numbers from 1 to 32767"),
        ("srcset a.jpg -o out --widths 9,99999", "'99999' is no width; write numbers from 1 to"),
        ("sheet a.jpg -o s.png --cell 4x100", "--cell is WIDTHxHEIGHT, each side 8 to 2048"),
        ("sheet a.jpg -o s.png --cell 4", "--cell is WIDTHxHEIGHT, each side 8 to 2048"),
        ("sheet a.jpg -o s.png --cell 10%", "--cell is WIDTHxHEIGHT, each side 8 to 2048"),
        ("animate a.jpg -o a.gif --size 0x9", "--size is WIDTHxHEIGHT, each side 1 to 16383"),
        ("get a.jpg --frame 100001", "frames are numbered from 1 to 100000"),
    ])
    func `an error about a number names its range`(line: String, message: String) async throws {
        let words = line.split(separator: " ").map(String.init)
        let outcome = try await KFProgram.run(words, in: try TemporaryFolder())
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test(arguments: ["get", "convert"])
    func `the help distinguishes steps with similar names`(command: String) async throws {
        let help = try await KFProgram.run(
            [command, "--help"],
            in: TemporaryFolder(),
            environment: ["COLUMNS": "1000"]
        )
        for words in ["downsample never enlarges", "fill covers it", "smartcrop scales first"] {
            #expect(help.text.contains(words), "\(help.text)")
        }
    }

    @Test(arguments: [
        ("get", "trim[:TOLERANCE]  (TOLERANCE 0 to 1)"),
        ("convert", "sharpen:AMOUNT[:RADIUS]  (AMOUNT 0 to 10, RADIUS 0 to 100)"),
        ("get", "round:RADIUS|PERCENT%[:COLOUR]  (RADIUS 0 to 65535, PERCENT 0 to 100)"),
        ("convert", "color:BRIGHTNESS,CONTRAST,SATURATION,EV  (each -100 to 100)"),
    ])
    func `the help names the ranges of numbers`(command: String, line: String) async throws {
        let outcome = try await KFProgram.run([command, "--help"], in: TemporaryFolder())
        #expect(outcome.text.contains("\n  \(line)\n"), "\(outcome.text)")
    }

    @Test func `every command that decodes can do it in another process`() async throws {
        // It reads headers; those of `cache` read no images.
        let exempt: Set = ["info"]
        let isolating = try await Set(CommandHelp.having("isolate"))
        let others = try await CommandHelp.reporting().filter {
            !isolating.contains($0) && !$0.hasPrefix("cache ")
        }
        #expect(Set(others) == exempt)
    }

    @Test func `every command that writes a file asks before it replaces a protected one`()
        async throws
    {
        // The one names an output and writes none, the other writes new pages.
        let others = ["explain", "man"]
        let writing = try await Set(CommandHelp.having("output")).subtracting(others)
        #expect(try await Set(CommandHelp.having("force")) == writing)
    }
}
