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

    private func take(_ line: String, _ head: inout CurlHead) {
        _ = Array(line.utf8).withUnsafeBufferPointer { head.take($0) }
    }

    @Test func `folded lines continue the value of their field`() {
        let head = head(["HTTP/1.1 200 OK\r\n", "A: b\r\n", " x\n", " x\n", " x\n"])
        #expect(head.fields.map(\.name) == ["A"])
        #expect(head.fields.map(\.value) == ["b x x x"])
    }

    @Test func `a status line stands at the beginning or after the end of a head`() {
        let lines = ["HTTP/1.1 103 Early\r\n", "A: b\r\n", "\r\n"]
        let head = head(
            lines + ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 404 Not: there\r\n", "C: d\r\n", "\r\n"]
        )
        #expect(head.statusCode == 200)
        #expect(head.fields.map(\.value) == ["there", "d"])
    }
}
