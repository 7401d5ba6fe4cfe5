import Foundation
import Testing

/// The lines of `--json` agree with `kf.schema.json`.
@Suite(.timeLimit(.minutes(1)))
struct SchemaTests {
    let folder: TemporaryFolder
    private let properties: [String: [String: Any]]

    init() throws {
        folder = try TemporaryFolder()
        try TestPictures.png().write(to: folder.url.appending(path: "in.png"))
        try TestPictures.jpeg().write(to: folder.url.appending(path: "in.jpg"))
        for name in ["two.pdf", "film.mp4"] {
            try TestPictures.document(name).write(to: folder.url.appending(path: name))
        }
        try Data("no image".utf8).write(to: folder.url.appending(path: "bad.jpg"))
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../kf.schema.json").standardizedFileURL
        let schema = try JSONSerialization.jsonObject(with: try Data(contentsOf: file))
        properties = try #require(
            (schema as? [String: Any])?["properties"] as? [String: [String: Any]]
        )
    }

    private static let commands = [
        "get in.jpg", "get in.jpg bad.jpg -o many/", "info in.jpg bad.jpg",
        "convert in.jpg bad.jpg -o out --format webp", "convert in.jpg -o dry --dry-run",
        "convert in.jpg -o out2 --frame 2", "optimize in.jpg bad.jpg -o small/",
        "show in.png", "show bad.jpg", "srcset in.jpg bad.jpg -o web --widths 10 --formats png",
        "sheet in.jpg bad.jpg -o sheet.png", "animate in.jpg in.png -o a.gif",
        "animate bad.jpg -o b.gif", "icon in.png -o i.ico", "icon bad.jpg -o i.ico",
        "diff in.png in.png", "diff in.png bad.jpg", "compare in.png --formats png,jpeg",
        "compare bad.jpg", "placeholder in.jpg", "placeholder bad.jpg", "explain in.jpg",
        "trace in.jpg bad.jpg -o t.json", "watch none -o out", "cache stats --cache none",
        "cache list --cache none", "cache path in.jpg --cache none", "cache clean --cache none",
        "cache clear --cache none", "cache verify --cache none",
        "prefetch http://127.0.0.1:1/a.jpg --cache c", "info two.pdf", "get two.pdf --page 3",
        "info film.mp4", "get film.mp4 --at 1s", "sheet film.mp4 --frames 2 -o film.png",
    ]

    @Test func `every command that reports is in these tests`() async throws {
        for command in try await CommandHelp.reporting() {
            let isTested = Self.commands.contains { $0.hasPrefix(command + " ") }
            #expect(isTested, "\(command)")
        }
    }

    @Test(arguments: SchemaTests.commands)
    func `every line has a status and described fields only`(command: String) async throws {
        let words = command.split(separator: " ").map(String.init)
        let outcome = try await KFProgram.run(words + ["--json"], in: folder)
        // Wrong usage is no report.
        try #require(outcome.status != 64, "\(outcome.errors)")
        let lines = outcome.text.split(separator: "\n")
        #expect(!lines.isEmpty, "\(outcome.errors)")
        var failures = 0
        for line in lines {
            let fields = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                "\(line)"
            )
            #expect(fields["status"] is String, "\(line)")
            if fields["status"] as? String == "failed" {
                failures += 1
                #expect(fields["error"] is String, "\(line)")
            }
            for (name, value) in fields {
                let property = try #require(properties[name], "\(name) in \(line)")
                #expect(Self.agrees(value, with: property), "\(name) in \(line)")
            }
        }
        #expect((outcome.status == 0) == (failures == 0), "\(outcome.text)")
        let name = command.prefix { $0 != " " }
        if ["get", "info", "optimize", "show", "srcset", "placeholder", "compare"].contains(name) {
            #expect(lines.first?.contains("\"source\":") == true, "\(outcome.text)")
        }
    }

    /// Commands that take several inputs, with the fields of their sums.
    private static let sums: [(command: String, options: String, fields: [String])] = [
        ("get", "-o small/", ["images", "skipped", "failed"]),
        ("info", "", ["images", "skipped", "failed"]),
        ("optimize", "-o small/", ["images", "skipped", "failed"]),
        ("srcset", "-o web/ --widths 10 --formats png", ["images", "skipped", "failed"]),
        ("convert", "-o out", ["converted", "failed", "bytes"]),
        ("convert", "-o out --dry-run", ["images", "skipped", "failed"]),
        ("prefetch", "--cache c", ["loaded", "cached", "failed"]),
    ]

    @Test func `every command that takes several inputs has a sum`() async throws {
        // They make one file of all inputs.
        let tested = Self.sums.map(\.command) + ["sheet", "animate"]
        #expect(try await Set(CommandHelp.having("from-file")) == Set(tested))
    }

    @Test(arguments: SchemaTests.sums)
    func `the last line of several inputs is their sum, and one input has one line`(
        command: String,
        options: String,
        fields: [String]
    ) async throws {
        try FileManager.default.createDirectory(
            atPath: folder.path("one"),
            withIntermediateDirectories: true
        )
        try TestPictures.jpeg().write(to: folder.url.appending(path: "one/in.jpg"))
        try Data("in.jpg\nin.png\n".utf8).write(to: folder.url.appending(path: "list"))
        func lines(_ inputs: String) async throws -> [[String: Any]] {
            let words = "\(command) \(inputs) \(options) --json".split(separator: " ")
            let outcome = try await KFProgram.run(words.map(String.init), in: folder)
            return try outcome.text.split(separator: "\n").map {
                try #require(
                    try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
                )
            }
        }
        if command != "prefetch" {
            let alone = try await lines("in.jpg")
            #expect(alone.count == 1 && alone[0]["source"] as? String == "in.jpg")
            for inputs in ["one", "one/*.jpg", "in.jpg bad.jpg", "none/*.jpg in.jpg"] {
                let some = try await lines(inputs)
                #expect(some.last?["source"] == nil, "\(inputs)")
                #expect(some.dropLast().allSatisfy { $0["source"] is String }, "\(inputs)")
                #expect(Set((some.last ?? [:]).keys).isSuperset(of: fields), "\(inputs)")
            }
        }
        let server = "http://127.0.0.1:9/in.jpg"
        let listed = try await lines(
            command == "prefetch" ? "\(server) \(server)?a" : "--from-file list"
        )
        #expect(listed.count == 3)
        #expect(listed.last?["source"] == nil && listed.last?["status"] as? String == "done")
        #expect(Set((listed.last ?? [:]).keys).isSuperset(of: fields))
        if command == "prefetch" { #expect(try await lines(server).count == 1) }
    }

    private static func agrees(_ value: Any, with property: [String: Any]) -> Bool {
        if let values = property["enum"] as? [String] {
            return (value as? String).map(values.contains) ?? false
        }
        let types = property["type"] as? [String] ?? [property["type"] as? String ?? ""]
        return types.contains { type in
            switch type {
            case "string": value is String
            case "integer": value is Int
            case "number": value is Double
            case "boolean": value is Bool
            case "array": value is [Any]
            case "object": value is [String: Any]
            case "null": value is NSNull
            default: false
            }
        }
    }
}
