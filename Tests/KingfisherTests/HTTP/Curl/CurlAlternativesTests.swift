import Foundation
import TestSupport
import Testing

@testable import Kingfisher

struct CurlAlternativesTests {
    private let folder: TemporaryDirectory
    private let alternatives: CurlAlternatives
    private let start = CurlTime.now
    private let url: URL

    init() throws {
        folder = try TemporaryDirectory()
        alternatives = CurlAlternatives(file: folder.file("alternatives").path)
        url = try #require(URL(string: "https://one.example/a.jpg"))
    }

    private func mayUse(_ origin: String = "one", after seconds: Int) -> Bool {
        alternatives.mayUse(origin, at: start + .seconds(seconds))
    }

    @Test func `an alternative that fails rests for five minutes, each time twice as long`() {
        #expect(mayUse(after: 0))
        alternatives.fail(url, of: "one", at: start)
        #expect(!mayUse(after: 299))
        #expect(mayUse(after: 300))
        #expect(mayUse("two", after: 0))
        alternatives.fail(url, of: "one", at: start)
        #expect(!mayUse(after: 599))
        #expect(mayUse(after: 600))
        for _ in 0..<20 { alternatives.fail(url, of: "one", at: start) }
        #expect(!mayUse(after: 86_399))
        #expect(mayUse(after: 86_400))
    }

    @Test func `of very many alternatives that rest the first are known, until they have rested`() {
        for number in 0..<1_024 { alternatives.fail(url, of: "\(number)", at: start) }
        alternatives.fail(url, of: "late", at: start + .seconds(1))
        #expect(mayUse("late", after: 1))
        #expect(!mayUse("0", after: 299))
        // One of those that are known rests longer nevertheless.
        alternatives.fail(url, of: "0", at: start + .seconds(1))
        #expect(!mayUse("0", after: 600))
        alternatives.fail(url, of: "late", at: start + .seconds(300))
        #expect(!mayUse("late", after: 599))
    }

    @Test func `only alternatives of the server that failed are removed from the file`() throws {
        let lines = [
            "h2 one.example 443 h3 one.example 443 \"20300101\" 0 0", "# a comment of libcurl",
            "h1 ONE.example 443 h3 other.example 443 \"20300101\" 0 0",
            "h2 one.example 8443 h3 one.example 8443 \"20300101\" 0 0",
            "h2 two.example 443 h3 one.example 443 \"20300101\" 0 0", "h2 one.example 443",
        ]
        let file = folder.file("alternatives")
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: file)
        #expect(alternatives.contains(url))
        alternatives.fail(url, of: "one", at: start)
        let kept = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(kept.map(String.init) == [lines[1], lines[3], lines[4], lines[5]])
        #expect(!alternatives.contains(url))
    }
}
