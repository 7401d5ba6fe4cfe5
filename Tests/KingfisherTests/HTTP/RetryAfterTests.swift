import Foundation
import Kingfisher
import Testing

struct RetryAfterTests {
    // Sun, 06 Nov 1994 08:49:37 GMT is the RFC's example.
    let now = Date(timeIntervalSince1970: 784_111_777 - 90)

    @Test(arguments: [("0", 0), ("120", 120), (" 7 ", 7), ("99999999999999999999999", 86_400)])
    func `seconds are seconds, a day at most`(value: String, seconds: Int) {
        #expect(RetryAfter.delay(value, now: now) == .seconds(seconds))
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
    ])
    func `each format of a date is understood`(value: String) {
        #expect(RetryAfter.delay(value, now: now) == .seconds(90))
    }

    @Test func `a date in the past is no wait`() {
        let later = now.addingTimeInterval(1000)
        #expect(RetryAfter.delay("Sun, 06 Nov 1994 08:49:37 GMT", now: later) == .zero)
    }

    @Test(arguments: ["", "soon", "-5", "1.5", "Sun, 99 Nov 1994"])
    func `anything else is nothing`(value: String) {
        #expect(RetryAfter.delay(value, now: now) == nil)
    }

    @Test func `a response contains its wait`() throws {
        let url = try #require(URL(string: "http://host/a"))
        let fields = [(name: "retry-after", value: "3")]
        let response = TransferResponse(url: url, statusCode: 429, fields: fields)
        #expect(response.retryAfter(now: now) == .seconds(3))
    }
}
