import Foundation
import KFPixels
import TestSupport
import Testing

@testable import KFCodecs
@testable import Kingfisher

/// Text of drawings, in fonts that a worker maps before it may open no file.
@Suite(
    .enabled(if: WorkerBench.isPossible && OptionalFormat(.svg)?.isAvailable == true),
    .serialized,
    .timeLimit(.minutes(5))
)
struct IsolatedTextTests {
    private static func drawing(_ name: String) throws -> Data {
        let tests = DocumentBench.folder.deletingLastPathComponent()
        return try Data(contentsOf: tests.appending(path: "Isolation/\(name)"))
    }

    @Test(arguments: ["badge.svg", "many.svg"])
    func `text of a drawing comes out as in this process`(_ name: String) async throws {
        let pool = WorkerBench.pool()
        let file = try Self.drawing(name)
        let text = String(decoding: file, as: UTF8.self)
        let blank = text.replacing(/<text.*<\/text>/, with: "")
        let expected = try file.withUnsafeBytes { bytes in
            try OptionalDecoder(bytes: bytes, options: DecodeOptions()).decode().bitmap
        }
        // A new worker and one that has drawn text draw the same.
        for _ in 1...2 {
            let bitmap = try await WorkerBench.image(of: file, on: pool).bitmap
            #expect(bitmap == expected)
        }
        #expect(try await WorkerBench.image(of: Data(blank.utf8), on: pool).bitmap != expected)
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test func `text of any size and number is drawn by one worker`() async throws {
        let pool = WorkerBench.pool()
        let families = [
            "serif", "sans-serif", "monospace", "cursive", "None \u{1F600}", "/etc/passwd",
        ]
        for (index, family) in families.enumerated() {
            let lines = (1...40).map {
                """
                <text x="\($0)" y="\($0 * 5)" font-size="\($0 * index)" font-weight="\($0 * 25)" \
                font-family="\(family)">Text \($0) أب 文</text>
                """
            }
            let file = """
                <svg xmlns="http://www.w3.org/2000/svg" width="200" height="200">\
                \(lines.joined())</svg>
                """
            _ = try await WorkerBench.image(of: Data(file.utf8), on: pool)
        }
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test func `a worker with fonts can open no file`() async throws {
        let pool = WorkerBench.pool()
        let badge = try Self.drawing("badge.svg")
        for fault in ["nothing", "openFile", "opens"] {
            let file = Data("<!-- fault \(fault) -->".utf8) + badge
            #expect(try await WorkerBench.failure(of: file, on: pool) == nil)
        }
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test(arguments: ["connect", "execute", "threads"])
    func `a worker with fonts can do no more than another`(fault: String) async throws {
        let pool = WorkerBench.pool()
        let badge = try Self.drawing("badge.svg")
        #expect(try await WorkerBench.failure(of: badge, on: pool) == nil)
        let file = Data("<!-- fault \(fault) -->".utf8) + badge
        guard case .forbiddenSystemCall = try await WorkerBench.failure(of: file, on: pool) else {
            Issue.record("\(fault) was not refused")
            return
        }
        pool.stop()
    }
}
