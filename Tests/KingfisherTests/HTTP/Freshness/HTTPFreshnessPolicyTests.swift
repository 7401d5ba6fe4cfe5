import Foundation
import Testing

@testable import Kingfisher

/// RFC 9111 and RFC 5861, as tables.
struct HTTPFreshnessPolicyTests {
    static let sent = HTTPDate.parse("Sun, 06 Nov 1994 08:49:37 GMT") ?? .distantPast
    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    let url = URL(filePath: "/a")

    private func made(
        _ fields: [String: String],
        status: Int = 200,
        request: [String: String] = [:]
    ) -> HTTPRecord? {
        let response = TransferResponse(
            url: url,
            statusCode: status,
            fields: fields.map { (name: $0.key, value: $0.value) }
        )
        return HTTPRecord(response, time: Self.sent) { request[$0] }
    }

    private func judge(
        _ record: HTTPRecord,
        after seconds: TimeInterval,
        request: [String: String] = [:]
    ) -> HTTPFreshnessPolicy {
        HTTPFreshnessPolicy(record, now: Self.sent + seconds) { request[$0] }
    }

    // MARK: Lifetime (4.2.1, 4.2.2)

    @Test(
        arguments: [
            ("max-age", ["Cache-Control": "max-age=60"], 60),
            (
                "max-age wins over Expires",
                ["Cache-Control": "max-age=60", "Expires": "Sun, 06 Nov 1994 09:49:37 GMT"], 60
            ),
            (
                "Expires from Date",
                [
                    "Expires": "Sun, 06 Nov 1994 08:50:37 GMT",
                    "Date": "Sun, 06 Nov 1994 08:49:07 GMT",
                ],
                90
            ),
            ("Expires without Date", ["Expires": "Sun, 06 Nov 1994 08:50:37 GMT"], 60),
            ("Expires in the past", ["Expires": "Sun, 06 Nov 1994 08:00:00 GMT"], 0),
            ("Expires: 0", ["Expires": "0"], 0),
            (
                "a tenth of its age",
                ["Last-Modified": "Sun, 06 Nov 1994 08:32:57 GMT", "Date": date], 100
            ),
            (
                "a day at most", ["Last-Modified": "Sun, 06 Nov 1904 08:32:57 GMT", "Date": date],
                86_400
            ),
            (
                "changed in the future",
                ["Last-Modified": "Mon, 07 Nov 1994 08:32:57 GMT", "Date": date], 0
            ),
            ("nothing said", [:], 0),
            ("a max-age for shared caches is not ours", ["Cache-Control": "s-maxage=600"], 0),
        ] as [(String, [String: String], TimeInterval)]
    )
    func `lifetime`(name: String, fields: [String: String], lifetime: TimeInterval) throws {
        #expect(try #require(made(fields)).answer.lifetime == lifetime)
    }

    @Test(
        arguments: [
            (404, [:], 60), (410, [:], 60), (404, ["Cache-Control": "max-age=5"], 5),
            (410, ["Expires": "0"], 0),
        ] as [(Int, [String: String], TimeInterval)]
    )
    func `a missing image is not requested again at once`(
        status: Int,
        fields: [String: String],
        lifetime: TimeInterval
    ) throws {
        #expect(try #require(made(fields, status: status)).answer.lifetime == lifetime)
    }

    // MARK: Age (4.2.3)

    /// The largest age, and the ten seconds since.
    static let longAgo = TimeInterval(1 << 31) + 10

    @Test(
        arguments: [
            ("from the request on", [:], 10, 10),
            ("with the age it came with", ["Age": "7"], 10, 17),
            ("with the time since its date", ["Date": "Sun, 06 Nov 1994 08:49:07 GMT"], 10, 40),
            ("the greater of both", ["Date": "Sun, 06 Nov 1994 08:49:07 GMT", "Age": "7"], 10, 40),
            ("a date in the future", ["Date": "Sun, 06 Nov 1994 09:49:07 GMT"], 10, 10),
            ("an age that is none is ignored", ["Age": "old"], 10, 10),
            ("a negative age", ["Age": "-5"], 10, 10),
            ("a fraction", ["Age": "7200.5"], 10, 10),
            ("more digits than fit", ["Age": "99999999999999999999"], 10, longAgo),
            ("two ages: the first", ["Age": "7200, 0"], 10, 7210),
            ("a clock that was set back", ["Age": "7"], -1000, 7),
        ] as [(String, [String: String], TimeInterval, TimeInterval)]
    )
    func `age`(
        name: String,
        fields: [String: String],
        seconds: TimeInterval,
        age: TimeInterval
    ) throws {
        #expect(try #require(made(fields)).answer.age(at: Self.sent + seconds) == age)
    }

    // MARK: What to do

    @Test(
        arguments: [
            ("fresh", "max-age=60", 59, .use, true),
            ("just stale", "max-age=60", 60, .revalidate, false),
            ("behind", "max-age=60, stale-while-revalidate=30", 60, .useAndRevalidate, false),
            ("too old for behind", "max-age=60, stale-while-revalidate=30", 90, .revalidate, false),
            (
                "must revalidate", "max-age=60, stale-while-revalidate=30, must-revalidate", 60,
                .revalidate, false
            ),
            ("must revalidate, fresh", "max-age=60, must-revalidate", 59, .use, false),
            ("no-cache", "max-age=60, no-cache, stale-if-error=99", 1, .revalidate, false),
            ("an error within the time", "max-age=60, stale-if-error=30", 89, .revalidate, true),
            ("an error after the time", "max-age=60, stale-if-error=30", 90, .revalidate, false),
            (
                "must revalidate in spite of errors",
                "max-age=60, stale-if-error=30, must-revalidate",
                70, .revalidate, false
            ),
            ("immutable and fresh", "max-age=60, immutable", 59, .use, true),
            ("no lifetime", "", 0, .revalidate, false),
        ] as [(String, String, TimeInterval, HTTPFreshnessPolicy.Step, Bool)]
    )
    func `steps`(
        name: String,
        control: String,
        seconds: TimeInterval,
        step: HTTPFreshnessPolicy.Step,
        mayStand: Bool
    ) throws {
        let record = try #require(made(["Cache-Control": control]))
        let policy = judge(record, after: seconds)
        #expect(policy.step == step)
        #expect(policy.mayStandForError == mayStand)
    }

    @Test func `a missing image is never used stale`() throws {
        let control = "max-age=5, stale-while-revalidate=60, stale-if-error=60"
        let record = try #require(made(["Cache-Control": control], status: 404))
        #expect(judge(record, after: 4).step == .use)
        #expect(judge(record, after: 6).step == .revalidate)
        #expect(!judge(record, after: 6).mayStandForError)
        #expect(judge(record, after: 6).condition == nil)
    }

    // MARK: Vary (4.1)

    @Test func `a response for the same selection replaces the record`() throws {
        let request = ["accept": "image/webp"]
        let record = try #require(made(["Vary": "Accept"], request: request))
        #expect(record.adding(record) { request[$0] } == nil)
        let other = ["accept": "image/png"]
        let variant = try #require(made(["Vary": "Accept"], request: other))
        let both = try #require(record.adding(variant) { other[$0] })
        #expect(both.number == 1)
        #expect(both.record.variant { other[$0] } == 1)
        #expect(both.record.variant { request[$0] } == 0)
    }

    @Test(
        arguments: [
            ("Accept", ["accept": "image/avif"], ["accept": "image/avif"], true),
            ("Accept", ["accept": "image/avif"], ["accept": "image/png"], false),
            ("Accept", ["accept": "image/avif"], [:], false),
            ("Accept", [:], [:], true),
            ("Accept, X-Theme", ["x-theme": "dark"], ["x-theme": "light"], false),
            ("Accept-Encoding", [:], ["accept-encoding": "br"], true),
            ("*", [:], [:], false),
        ] as [(String, [String: String], [String: String], Bool)]
    )
    func `a variant is used for requests that select it`(
        vary: String,
        first: [String: String],
        second: [String: String],
        isUsed: Bool
    ) throws {
        let fields = [
            "Vary": vary, "Cache-Control": "max-age=60, stale-if-error=60", "ETag": "\"a\"",
            "Last-Modified": Self.date,
        ]
        let record = try #require(made(fields, request: first))
        let policy = judge(record, after: 1, request: second)
        #expect(policy.step == (isUsed ? .use : .revalidate))
        #expect(policy.mayStandForError == isUsed)
        // A tag names the variant; a date could be another's.
        #expect(policy.condition?.fields["If-None-Match"] == "\"a\"")
        #expect((policy.condition?.fields["If-Modified-Since"] != nil) == isUsed)
    }

    // MARK: Storing and confirming

    @Test(arguments: [
        (200, "no-store", false), (200, "max-age=0", true), (200, "private", true),
        (206, "max-age=60", false), (302, "max-age=60", true), (500, "max-age=60", false),
        (404, "no-store", false), (304, "max-age=60", false),
    ])
    func `responses that may be remembered`(status: Int, control: String, isKept: Bool) {
        #expect((made(["Cache-Control": control], status: status) != nil) == isKept)
    }

    @Test func `secrets are not remembered`() throws {
        let fields = ["Set-Cookie": "secret", "Authorization": "secret", "ETag": "\"a\""]
        let record = try #require(made(fields))
        let text = String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
        #expect(!text.contains("secret"))
    }

    @Test func `a 304 brings new times, and keeps fields that it does not have`() throws {
        let old = ["Cache-Control": "max-age=60", "ETag": "\"a\"", "Age": "50", "Date": Self.date]
        let record = try #require(made(old))
        let confirmation = TransferResponse(
            url: url,
            statusCode: 304,
            fields: [("cache-control", "max-age=10"), ("Content-Length", "0")]
        )
        let later = Self.sent + 500
        let refreshed = try #require(
            record.confirmed(by: confirmation, time: later) { _ in nil }
        )
        #expect(refreshed.answer.lifetime == 10)
        #expect(refreshed.answer.value("etag") == "\"a\"")
        #expect(refreshed.answer.statusCode == 200)
        let json = try JSONEncoder().encode(refreshed)
        #expect(try JSONDecoder().decode(HTTPRecord.self, from: json) == refreshed)
    }

    @Test func `a 304 with credentials leaves what a shared cache has stored without them`() throws
    {
        let fields = [("ETag", "\"a\""), ("Cache-Control", "max-age=60")]
        let response = TransferResponse(url: url, statusCode: 200, fields: fields.map { ($0, $1) })
        let rules = HTTPCachingRules(isShared: true)
        let answer = HTTPAnswer(response, time: Self.sent, rules: rules) { _ in nil }
        let stored = try #require(answer)
        func confirmed(_ control: String?, credentials: String?) -> HTTPAnswer? {
            let confirmation = TransferResponse(
                url: url,
                statusCode: 304,
                fields: control.map { [("Cache-Control", $0)] } ?? []
            )
            return stored.confirmed(by: confirmation, time: Self.sent + 500) {
                $0 == "Authorization" ? credentials : nil
            }
        }
        #expect(confirmed(nil, credentials: "Bearer a") == stored)
        #expect(confirmed("public", credentials: "Bearer a")?.time == Self.sent + 500)
        #expect(confirmed(nil, credentials: nil)?.time == Self.sent + 500)
        #expect(confirmed("no-store", credentials: "Bearer a") == nil)
    }

    @Test func `after a 304 the age starts again`() throws {
        let old = ["Cache-Control": "max-age=60", "Age": "50", "Date": Self.date]
        let confirmation = TransferResponse(url: url, statusCode: 304, fields: [])
        let later = Self.sent + 500
        let record = try #require(made(old))
        let refreshed = try #require(
            record.confirmed(by: confirmation, time: later) { _ in nil }
        )
        #expect(refreshed.answer.age(at: later + 5) == 5)
    }
}
