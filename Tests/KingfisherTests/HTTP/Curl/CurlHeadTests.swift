import Testing

@testable import Kingfisher

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The lines of a response head.
struct CurlHeadTests {
    /// A head whose only field continues over `count` lines.
    private func folded(_ count: Int) -> CurlHead {
        var head = CurlHead()
        for line in ["HTTP/1.1 200 OK\r\n", "A: b\r\n"] { take(line, &head) }
        for _ in 0..<count { take(" x\n", &head) }
        return head
    }

    private func take(_ line: String, _ head: inout CurlHead) {
        _ = Array(line.utf8).withUnsafeBufferPointer { head.take($0) }
    }

    /// The processor time of this thread, which other tests do not change.
    private func seconds(_ body: () -> Void) -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
        }
        let start = now()
        body()
        return now() - start
    }

    @Test func `folded lines continue the value of their field`() {
        #expect(folded(3).fields.map(\.name) == ["A"])
        #expect(folded(3).fields.map(\.value) == ["b x x x"])
    }

    @Test func `the time of folded lines is proportional to their number`() {
        func fastest(_ count: Int) -> Double {
            (0..<5).map { _ in seconds { _ = folded(count) } }.min() ?? 0
        }
        // Eight times as many; copying the value for each took 29 times as long.
        #expect(fastest(80_000) < 18 * fastest(10_000))
    }
}
