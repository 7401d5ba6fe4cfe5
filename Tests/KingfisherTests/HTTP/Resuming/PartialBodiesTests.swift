import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Kingfisher

@Suite(.timeLimit(.minutes(1)))
struct PartialBodiesTests {
    let folder: TemporaryDirectory
    let policy: DownloadResumption

    init() throws {
        folder = try TemporaryDirectory()
        var policy = DownloadResumption(folder: folder.file("partial"))
        policy.minBytes = 10
        policy.maxBytes = 1000
        policy.maxCount = 3
        self.policy = policy
    }

    private func keep(_ key: String, _ count: Int, in bodies: PartialBodies) throws {
        var body = BodyBuffer(threshold: 100)
        let data = Data(repeating: 1, count: count)
        try body.append(data.bytes)
        let url = try #require(URL(string: "http://host/a"))
        let response = TransferResponse(
            url: url,
            statusCode: 200,
            fields: [(name: "ETag", value: "\"a\"")]
        )
        let head = try #require(PartialHead(response, received: count))
        bodies.keep(body, head, for: key)
    }

    private func find(_ key: String, in bodies: PartialBodies) async -> Data? {
        await withCheckedContinuation { continuation in
            bodies.find(key, threshold: 100) { found in
                continuation.resume(returning: found?.body.copy())
            }
        }
    }

    private var files: Set<String> {
        let path = policy.folder.path
        return Set((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
    }

    @Test(arguments: [50, 500])
    func `kept bytes are found, by the next process too`(count: Int) async throws {
        let first = PartialBodies(policy)
        #expect(first.isEmpty)
        try keep("k", count, in: first)
        #expect(await find("k", in: first) == Data(repeating: 1, count: count))
        // Until the first has let the file go, no other may remove it.
        await first.flush()
        let second = PartialBodies(policy)
        #expect(second.contains("k"))
        #expect(await find("k", in: second) == Data(repeating: 1, count: count))
        second.forget("k")
        await second.flush()
        #expect(files == [])
        #expect(await find("k", in: first) == nil)
    }

    @Test(arguments: [
        (9, 3, false), (10, 3, true), (1_000, 1, true), (1_001, 3, false), (10, 0, false),
    ])
    func `a body is kept within the limits of its size`(
        count: Int,
        maxCount: Int,
        isKept: Bool
    ) {
        var policy = policy
        policy.maxCount = maxCount
        #expect(PartialBodies(policy).accepts(count) == isKept)
    }

    @Test func `an empty body is not kept, and a byte is if no size is asked for`() {
        var policy = policy
        policy.minBytes = 0
        #expect(!PartialBodies(policy).accepts(0))
        #expect(PartialBodies(policy).accepts(1))
    }

    @Test func `limits are as documented unless they are set`() {
        let policy = DownloadResumption(folder: folder.file("partial"))
        #expect(policy.maxBytes == 256 * 1_048_576)
        #expect(policy.maxCount == 32)
        #expect(policy.maxAge == .seconds(3 * 24 * 3_600))
        #expect(policy.minBytes == 128 * 1_024)
    }

    @Test func `a file without room for the head is not taken over`() throws {
        let url = try #require(URL(string: "http://host/a"))
        func head(_ padding: Int) throws -> PartialHead {
            let fields = [
                (name: "ETag", value: "\"a\""),
                (name: "X", value: String(repeating: "x", count: padding)),
            ]
            let response = TransferResponse(url: url, statusCode: 200, fields: fields)
            return try #require(PartialHead(response, received: 4))
        }
        let body = Data("body".utf8)
        for (padding, hasRoom) in [(0, true), (60 << 10, true), (64 << 10, false)] {
            let path = folder.file("\(padding).running")
            let target = folder.file("\(padding).partial")
            let file = try #require(RunningFile.make(head(0), at: path))
            try file.write(body.bytes, at: 0)
            #expect(try PartialFile.adopt(file, body, head(padding), to: target) == hasRoom)
            #expect(FileManager.default.fileExists(atPath: target.path) == hasRoom)
        }
    }

    @Test func `a part that an earlier version kept is read`() throws {
        let json = #"""
            {"head":{"url":"http:\/\/host\/a","validator":"\"a\"","total":9,"received":4,\#
            "fields":[{"name":"ETag","value":"\"a\""}]},\#
            "digest":"Iw2DWNyOiJC0xY3utikS7i8gNXrpKlzIYbmOaP4xrLU="}
            """#
        let path = folder.file("kept.partial")
        let kept = "Kingfisher partial body 1\n\(json.utf8.count)\n\(json)body"
        try Data(kept.utf8).write(to: path)
        let (head, body) = try #require(PartialFile.read(path))
        #expect(body == Data("body".utf8))
        #expect(head.url.absoluteString == "http://host/a")
        #expect(head.validator == "\"a\"")
        #expect(head.total == 9)
        #expect(head.received == 4)
        #expect(head.fields == [.init(name: "ETag", value: "\"a\"")])
    }

    @Test func `only the user may read it`() async throws {
        let bodies = PartialBodies(policy)
        try keep("k", 50, in: bodies)
        await bodies.flush()
        for path in [policy.folder.path, "\(policy.folder.path)/k.partial"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            let mode = try #require(attributes[.posixPermissions] as? Int)
            #expect(mode & 0o077 == 0)
        }
    }

    @Test func `the oldest go when there are too many, or too many bytes`() async throws {
        let time = Locked(Date())
        let bodies = PartialBodies(policy) { time.value }
        for key in ["a", "b", "c", "d"] {
            time.change { $0 += 1 }
            try keep(key, 100, in: bodies)
        }
        await bodies.flush()
        #expect(files == ["b.partial", "c.partial", "d.partial"])
        time.change { $0 += 1 }
        try keep("e", 850, in: bodies)
        await bodies.flush()
        #expect(files == ["d.partial", "e.partial"])
    }

    @Test func `files of earlier processes count too, and leftovers go`() async throws {
        try FileManager.default.createDirectory(
            at: policy.folder,
            withIntermediateDirectories: true
        )
        let names = ["a.partial", "b.running", "c.partial", "d.partial", "e.partial.1.new"]
        for (index, name) in (names + ["f.partial.2.new"]).enumerated() {
            let file = policy.folder.appendingPathComponent(name)
            try Data(repeating: 1, count: 100).write(to: file)
            let age = name.hasPrefix("f") ? 0 : 86_400 - Double(index)
            try FileManager.default.setAttributes(
                [.modificationDate: Date().addingTimeInterval(-age)],
                ofItemAtPath: file.path
            )
        }
        let bodies = PartialBodies(policy)
        #expect(!bodies.contains("a"))
        #expect(bodies.contains("b"))
        await bodies.flush()
        // The last may still be written by another process.
        #expect(files == ["b.running", "c.partial", "d.partial", "f.partial.2.new"])
    }

    @Test func `the file of a running download is kept as it is`() async throws {
        let bodies = PartialBodies(policy)
        let url = try #require(URL(string: "http://host/a"))
        let response = TransferResponse(
            url: url,
            statusCode: 200,
            fields: [(name: "ETag", value: "\"a\"")]
        )
        let bytes = Data((0..<500).map { UInt8(truncatingIfNeeded: $0) })
        let head = try #require(PartialHead(response, received: 0))
        var number: Any?
        do {
            var body = BodyBuffer(threshold: 10)
            let running = try #require(bodies.running(head, for: "k"))
            try body.append(bytes.bytes) { () throws(Errno) in running }
            number = try fileNumber("k.running")
            var received = head
            received.received = bytes.count
            bodies.keep(body, received, for: "k")
            await bodies.flush()
            #expect(files == ["k.partial"])
        }
        #expect(try fileNumber("k.partial") == number as? Int)
        #expect(await find("k", in: PartialBodies(policy)) == bytes)
    }

    private func fileNumber(_ name: String) throws -> Int? {
        let path = policy.folder.appendingPathComponent(name).path
        return try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    }

    @Test(arguments: [9, 1001])
    func `bodies too small or too large are not kept`(count: Int) async throws {
        let bodies = PartialBodies(policy)
        try keep("k", count, in: bodies)
        await bodies.flush()
        #expect(bodies.isEmpty)
        #expect(files == [])
    }

    @Test func `a body that is too old is not found, and is removed`() async throws {
        let time = Locked(Date())
        let bodies = PartialBodies(policy) { time.value }
        try keep("k", 50, in: bodies)
        time.change { $0 += 3 * 86_400 }
        #expect(!bodies.contains("k"))
        #expect(await find("k", in: bodies) == nil)
        #expect(files == [])
    }

    @Test(
        arguments: [
            { $0.dropLast() }, { $0.dropLast(40) }, { _ in Data() }, { Data($0.map { _ in 0 }) },
            { $0.prefix(30) },
            { data in
                var copy = data
                copy[copy.count - 1] ^= 1
                return copy
            },
        ] as [@Sendable (Data) -> Data]
    )
    func `a damaged file is no body, and goes`(damage: @Sendable (Data) -> Data) async throws {
        let bodies = PartialBodies(policy)
        try keep("k", 50, in: bodies)
        await bodies.flush()
        let url = policy.folder.appendingPathComponent("k.partial")
        try damage(Data(contentsOf: url)).write(to: url)
        #expect(await find("k", in: bodies) == nil)
        #expect(files == [])
    }

    @Test func `a folder that cannot be made keeps nothing and breaks nothing`() async throws {
        try Data().write(to: policy.folder)
        let bodies = PartialBodies(policy)
        try keep("k", 50, in: bodies)
        #expect(await find("k", in: bodies) == nil)
        #expect(bodies.isEmpty)
    }
}
