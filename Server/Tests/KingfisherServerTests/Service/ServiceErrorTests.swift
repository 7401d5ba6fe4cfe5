import Foundation
import Testing

@testable import KingfisherServer

/// The texts of errors: the problem and the remedy, in a sentence each.
struct ServiceErrorTests {
    @Test("The sources write each error as two clauses without punctuation at the end")
    func clauses() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/KingfisherServer").standardizedFileURL
        let pattern =
            #/(?:ServiceError|self\.init)\(\s*\d{3},\s*"(?<problem>(?:[^"\\]|\\.)*)",\s*"(?<action>(?:[^"\\]|\\.)*)"/#
        var count = 0
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        for case let file as URL in try #require(files) where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: pattern) {
                count += 1
                for clause in [match.problem, match.action] {
                    #expect(clause.last.map { !".!,;: ".contains($0) } == true, "\(clause)")
                    #expect(clause.first?.isUppercase == true, "\(clause)")
                }
            }
        }
        #expect(count >= 40)
    }

    @Test(
        "A client reads what is wrong and what to do",
        arguments: [
            "/", "/_/", "/_/nonsense:1/plain/http://a", "/_/w:x/plain/http://a", "/_/plain/",
            "/_/w:1:2:3/plain/http://a", "/_/plain/ftp://a", "/_/plain/http://a@b@c",
            "/_/el:maybe/plain/http://a", "/_/fq:1/plain/http://a", "/_/bg:1:2/plain/http://a",
            "/_/zz", "/_/enc/abc", "/_/exp:1/plain/http://a", "/_/pr:none/plain/http://a",
            "/_/plain/http://a%0a", "/_/plain/s3://a/b", "/_/plain/local:///a",
        ]
    )
    func grammar(path: String) throws {
        let error = try #require(throws: ServiceError.self) {
            try ImageRequest.parse(path, with: GrammarSettings())
        }
        #expect(error.message.wholeMatch(of: #/[A-Z'].*[^.]\. Correct the URL\./#) != nil)
    }
}
