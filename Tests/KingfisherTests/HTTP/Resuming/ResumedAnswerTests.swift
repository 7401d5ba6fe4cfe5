import Foundation
import Testing

@testable import Kingfisher

struct ResumedAnswerTests {
    private func response(_ status: Int, _ fields: [String: String]) throws -> TransferResponse {
        let url = try #require(URL(string: "http://host/a"))
        return TransferResponse(
            url: url,
            statusCode: status,
            fields: fields.map { (name: $0.key, value: $0.value) }
        )
    }

    // MARK: What may be continued (RFC 9110, 8.8)

    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test(
        arguments: [
            (["ETag": "\"a\""], "\"a\""),
            (["ETag": "\"a\"", "Last-Modified": date], "\"a\""),
            // A date with a resolution of a second does not identify the bytes.
            (["Last-Modified": "Sun, 06 Nov 1994 08:48:37 GMT", "Date": date], nil),
            (["ETag": "\"a\"b\""], nil), (["ETag": "\"a b\""], nil),
            (["ETag": "\"a\", \"b\""], nil), (["ETag": "w/\"a\""], nil),
            (["ETag": "W/\"a\""], nil),
            (
                [
                    "ETag": "W/\"a\"", "Last-Modified": "Sun, 06 Nov 1994 08:00:00 GMT",
                    "Date": date,
                ], nil
            ),
            (["ETag": "a"], nil),
            (["ETag": "\"\""], nil),
            ([:], nil),
        ] as [([String: String], String?)]
    )
    func `only a strong validator will do`(fields: [String: String], validator: String?) throws {
        #expect(try PartialHead(response(200, fields), received: 5)?.validator == validator)
    }

    @Test(
        arguments: [
            (206, [:], 5), (404, [:], 5), (200, ["Content-Encoding": "gzip"], 5),
            (200, ["Accept-Ranges": "none"], 5), (200, ["Content-Length": "5"], 5),
        ] as [(Int, [String: String], Int)]
    )
    func `a body that cannot be continued is not kept`(
        status: Int,
        fields: [String: String],
        received: Int
    ) throws {
        let all = fields.merging(["ETag": "\"a\""]) { a, _ in a }
        #expect(try PartialHead(response(status, all), received: received) == nil)
    }

    // MARK: The answer to a range request

    private func head() throws -> PartialHead {
        let fields = [
            "ETag": "\"a\"", "Content-Length": "10", "Content-Type": "image/png", "X": "old",
            "Last-Modified": Self.date,
        ]
        return try #require(PartialHead(response(200, fields), received: 4))
    }

    @Test func `the rest is announced as if it were the whole`() throws {
        let part = try response(
            206,
            ["Content-Range": "bytes 4-9/10", "Content-Length": "6", "ETag": "\"a\"", "X": "new"]
        )
        guard case .rest(let whole) = ResumedAnswer(part, after: try head()) else {
            Issue.record("refused")
            return
        }
        #expect(whole.statusCode == 200)
        #expect(whole.expectedLength == 10)
        #expect(whole.value(for: "X") == "new")
        #expect(whole.value(for: "Content-Type") == "image/png")
        #expect(whole.value(for: "Content-Range") == nil)
    }

    @Test(arguments: [
        "bytes 0-9/10", "bytes 5-9/10", "bytes 4-8/10", "bytes 4-9/11", "bytes 4-10/11",
        "bytes */10", "bytes 4-9", "bytes 9-4/10", "chunks 4-9/10", "", "bytes 4-9/5",
        "bytes 4-99999999999999999999/*", "bytes 4-9/*", "bytes 4-9223372036854775807/*",
        "bytes 4-9223372036854775807/9223372036854775807", "bytes -4-9/10", "bytes +4-9/10",
        "bytes 4-9/10, bytes 0-3/10", "bytes 4-9/10/11", "bytes 4--9/10",
    ])
    func `a part that does not fit is not joined`(range: String) throws {
        let part = try response(206, ["Content-Range": range, "ETag": "\"a\""])
        guard case .useless = ResumedAnswer(part, after: try head()) else {
            Issue.record("joined")
            return
        }
    }

    @Test(
        arguments: [
            ["ETag": "\"b\""], ["ETag": "W/\"a\""], [:], ["Last-Modified": date],
            ["ETag": "\"a\"", "Content-Encoding": "gzip"],
            ["ETag": "\"a\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT"],
            ["ETag": "\"a\"", "Content-Length": "5"], ["ETag": "\"a\"", "Content-Length": "-6"],
        ] as [[String: String]]
    )
    func `a part of something else is not joined`(fields: [String: String]) throws {
        let all = fields.merging(["Content-Range": "bytes 4-9/10"]) { a, _ in a }
        guard case .useless = try ResumedAnswer(response(206, all), after: head()) else {
            Issue.record("joined")
            return
        }
    }

    @Test(arguments: [(200, true), (404, false), (503, false), (304, false), (416, false)])
    func `of other responses only a success counts as it is`(
        status: Int,
        isIndependent: Bool
    ) throws {
        switch ResumedAnswer(try response(status, [:]), after: try head()) {
        case .independent: #expect(isIndependent)
        case .useless: #expect(!isIndependent)
        case .rest: Issue.record("joined")
        }
    }
}
