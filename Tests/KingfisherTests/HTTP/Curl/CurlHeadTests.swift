import Testing

@testable import Kingfisher

/// The lines of a response head.
struct CurlHeadTests {
    /// A head made of lines.
    private func head(_ lines: [String]) -> CurlHead {
        var head = CurlHead()
        for line in lines { take(line, &head) }
        return head
    }

    @discardableResult
    private func take(_ line: String, _ head: inout CurlHead) -> CurlHead.Step {
        Array(line.utf8).withUnsafeBufferPointer { head.take($0) }
    }

    @Test func `folded lines continue the value of their field`() {
        let head = head(["HTTP/1.1 200 OK\r\n", "A: b\r\n", " x\n", " x\n", " x\n"])
        #expect(head.fields.map(\.name) == ["A"])
        #expect(head.fields.map(\.value) == ["b x x x"])
    }

    @Test(arguments: [("ETag", true), ("etag", true), ("Tag", false)])
    func `bytes that are not UTF-8 stay what they are in an entity tag`(name: String, isTag: Bool) {
        var head = CurlHead()
        take("HTTP/1.1 200 OK\r\n", &head)
        let bytes: [UInt8] = Array("\(name): \"".utf8) + [0xE9] + Array("\"\r\n".utf8)
        _ = bytes.withUnsafeBufferPointer { head.take($0) }
        let value = head.fields.last?.value
        #expect(value == (isTag ? HTTPSyntax.opaqueText([0x22, 0xE9, 0x22]) : "\"\u{E9}\""))
        #expect(value.map(HTTPSyntax.bytes(ofOpaque:)) == [0x22, 0xE9, 0x22] || !isTag)
    }

    @Test func `a status line stands at the beginning or after the end of a head`() {
        let lines = ["HTTP/1.1 103 Early\r\n", "A: b\r\n", "\r\n"]
        let head = head(
            lines + ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 404 Not: there\r\n", "C: d\r\n", "\r\n"]
        )
        #expect(head.statusCode == 200)
        #expect(head.fields.map(\.value) == ["there", "d"])
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK", "HTTP/1.1 999", "HTTP/1.0 100 ", "HTTP/2 200 ", "HTTP/3 404 ",
    ])
    func `a status line has a version and three digits`(line: String) {
        var head = CurlHead()
        guard case .more = take("\(line)\r\n", &head) else {
            Issue.record("refused")
            return
        }
        #expect(head.isOpen)
    }

    @Test(arguments: [
        "HTTP/1.1 99999 ?", "HTTP/1.1 2000 OK", "HTTP/1.1 20 OK", "HTTP/1.1 099 OK",
        "HTTP/1.1 200OK",
        "HTTP/1.1  200 OK", "HTTP/1.1\t200 OK", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 +20 OK",
        "HTTP/9.9 200 OK",
        "HTTP/1.10 200 OK", "HTTP/0.9 200 OK", "HTTP/ 200 OK",
    ])
    func `another status line is refused and shown`(line: String) {
        var head = CurlHead()
        guard case .refused(let reason) = take("\(line)\r\n", &head) else {
            Issue.record("accepted")
            return
        }
        #expect(reason.contains("“\(line)”"))
    }
}
