import Foundation
import Kingfisher
import Testing

/// `kf cache`.
@Suite(.timeLimit(.minutes(1)))
struct CacheTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try TestPictures.jpeg(width: 64, height: 48).write(to: folder.url.appending(path: "a.jpg"))
        try TestPictures.png(width: 32, height: 32).write(to: folder.url.appending(path: "b.png"))
    }

    private func run(_ arguments: String...) async throws -> KFProgram.Outcome {
        try await KFProgram.run(["cache"] + arguments + ["--cache", "cache"], in: folder)
    }

    /// Caches two images, one of them also with a processor.
    private func fill() async throws {
        for arguments in [["a.jpg"], ["b.png"], ["a.jpg", "--processor", "resize:10x10"]] {
            let outcome = try await KFProgram.run(
                ["get"] + arguments + ["--cache", "cache"],
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
    }

    private func entries(_ outcome: KFProgram.Outcome) throws -> [[String: Any]] {
        try #require(try GetTests.fields(outcome)["entries"] as? [[String: Any]])
    }

    private func damage(_ key: String) async throws {
        let outcome = try await run("path", key)
        let path = outcome.text.trimmingCharacters(in: .newlines)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    /// The key of an unprocessed image.
    private func key(_ name: String) async throws -> String {
        let all = try entries(try await run("list", "--json")).compactMap { $0["key"] as? String }
        return try #require(all.first { $0.contains("/\(name)") && !$0.contains("@") }, "\(all)")
    }

    @Test func `the key of a file is that of the library`() async throws {
        let path = folder.path("a.jpg")
        let arguments = ["get", path, "--cache", "cache", "--json"]
        let outcome = try await KFProgram.run(arguments, in: folder)
        let key = try GetTests.fields(outcome)["key"] as? String
        #expect(key == URL(fileURLWithPath: path).cacheKey)
    }

    @Test func `stats print folder, entries and bytes`() async throws {
        try await fill()
        let fields = try GetTests.fields(try await run("stats", "--json"))
        let wanted: Set = [
            "folder", "entries", "bytes", "expired", "expiredBytes", "oldestAccess", "newestAccess",
            "status",
        ]
        #expect(Set(fields.keys) == wanted)
        let count = try #require(fields["entries"] as? Int)
        #expect(count == folder.cacheEntries().count)
        #expect(count >= 3)
        #expect(fields["expired"] as? Int == 0)
        let path = try #require(fields["folder"] as? String)
        // The folder of the cache itself is accepted, too.
        let direct = try await KFProgram.run(["cache", "stats", "--cache", path], in: folder)
        #expect(direct.status == 0, "\(direct.errors)")
        #expect(direct.text.contains("entries  \(count), "), "\(direct.text)")
        #expect(direct.text.split(separator: "\n").count == 4)
    }

    @Test func `the list begins with the last used entry, and has all fields for scripts`()
        async throws
    {
        try await fill()
        let all = try entries(try await run("list", "--json"))
        #expect(all.count >= 3)
        for entry in all {
            #expect(
                Set(entry.keys)
                    == ["key", "path", "bytes", "lastAccess", "expiration", "isExpired"]
            )
            let path = try #require(entry["path"] as? String)
            let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
            #expect(entry["bytes"] as? Int == size)
        }
        let dates = all.compactMap { $0["lastAccess"] as? String }
        #expect(dates == dates.sorted(by: >))
        let text = try await run("list").text
        let lines = text.split(separator: "\n")
        #expect(lines.count == all.count + 1)
        #expect(lines.first?.contains("last used") == true)
        #expect(lines.dropFirst().allSatisfy { $0.contains(".jpg") || $0.contains(".png") })
        // A week, less the time since then.
        #expect(lines.dropFirst().allSatisfy { $0.contains("in 7 d") }, "\(text)")
    }

    @Test func `path finds the file of a key, and says when there is none`() async throws {
        try await fill()
        let outcome = try await run("path", try await key("b.png"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        let path = outcome.text.trimmingCharacters(in: .newlines)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == folder.data("b.png"))
        let missing = try await run("path", "https://example.com/none.png")
        #expect(missing.status == 1)
        #expect(missing.output.isEmpty)
        #expect(missing.errors.contains("nothing valid is cached for https://example.com/none.png"))
    }

    @Test func `verify finds a changed byte, and removes the file on request`() async throws {
        try await fill()
        let intact = try await run("verify")
        #expect(intact.status == 0)
        #expect(intact.text.hasSuffix("all are intact.\n"), "\(intact.text)")
        let key = try await key("b.png")
        try await damage(key)
        let found = try await run("verify")
        #expect(found.status == 1)
        #expect(found.text.contains("damaged  \(key)\n"), "\(found.text)")
        #expect(found.errors.isEmpty)
        let count = folder.cacheEntries().count
        let fields = try GetTests.fields(try await run("verify", "--repair", "--json"))
        #expect(fields["checked"] as? Int == count)
        #expect(fields["repaired"] as? Bool == true)
        #expect((fields["damaged"] as? [Any])?.count == 1)
        #expect(folder.cacheEntries().count == count - 1)
        #expect(try await run("verify").status == 0)
    }

    @Test func `clean keeps valid entries, and trims to half of a limit`() async throws {
        try await fill()
        let count = folder.cacheEntries().count
        let nothing = try GetTests.fields(try await run("clean", "--json"))
        #expect(nothing["expired"] as? Int == 0)
        #expect(nothing["bytes"] as? Int == 0)
        #expect(folder.cacheEntries().count == count)
        let bytes = try #require(nothing["bytesLeft"] as? Int)
        let trimmed = try GetTests.fields(
            try await run("clean", "--limit", "\(bytes)", "--json")
        )
        let left = try #require(trimmed["bytesLeft"] as? Int)
        #expect(left <= bytes / 2)
        #expect(trimmed["bytes"] as? Int == bytes - left)
        #expect(folder.cacheEntries().count < count)
    }

    @Test func `clear removes everything`() async throws {
        try await fill()
        let outcome = try await run("clear")
        #expect(outcome.status == 0)
        #expect(outcome.text.hasPrefix("Removed "), "\(outcome.text)")
        #expect(folder.cacheEntries().isEmpty)
        #expect(try await run("list").text == "The cache is empty.\n")
        #expect(try await run("clear").text == "Removed 0 entries, 0 bytes.\n")
    }

    @Test(arguments: [[".kingfisher.log"], [".kingfisher.log", ".kingfisher.lock"]])
    func `a cache that has lost its index is still a cache`(lost: [String]) async throws {
        try await fill()
        let count = folder.cacheEntries().count
        let fields = try GetTests.fields(try await run("stats", "--json"))
        let path = try #require(fields["folder"] as? String)
        for cache in ["cache", path] {
            for name in lost { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }
            let outcome = try await KFProgram.run(["cache", "stats", "--cache", cache], in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.text.contains("entries  \(count),"), "\(outcome.text)")
        }
    }

    @Test(arguments: ["stats", "list", "clean", "clear", "verify"])
    func `where there is no cache none is made`(command: String) async throws {
        for name in ["cache", "empty", "a.jpg"] {
            if name == "empty" {
                let empty = folder.url.appending(path: name)
                try FileManager.default.createDirectory(
                    at: empty,
                    withIntermediateDirectories: true
                )
            }
            let outcome = try await KFProgram.run(["cache", command, "--cache", name], in: folder)
            #expect(outcome.status == 1)
            #expect(outcome.output.isEmpty)
            let isNamed = outcome.errors.contains("there is no cache in")
            #expect(isNamed && outcome.errors.contains(name), "\(outcome.errors)")
            #expect(outcome.errors.contains("--cache"), "\(outcome.errors)")
        }
        #expect(try folder.files() == ["a.jpg", "b.png", "empty"])
        let inside = try FileManager.default.contentsOfDirectory(atPath: folder.path("empty"))
        #expect(inside.isEmpty)
    }

    @Test func `wrong usage is reported as such`() async throws {
        for arguments in [["path"], ["clean", "--limit", "0"], ["clean", "--limit", "-5"], ["x"]] {
            let outcome = try await KFProgram.run(["cache"] + arguments, in: folder)
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("Usage: kf cache"), "\(outcome.errors)")
        }
    }
}
