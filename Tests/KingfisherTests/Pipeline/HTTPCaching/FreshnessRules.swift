@testable import Kingfisher

/// How long an answer may be used without contact.
enum FreshnessRules {
    static let past = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let future = "Fri, 01 Jan 2100 00:00:00 GMT"

    /// Two loads; the second one asks unless the answer is fresh.
    private static func rule(
        _ name: String,
        _ fields: String...,
        isFresh: Bool,
        status: Int = 200
    ) -> CachingRule {
        let reply = CachingReply.image(1, lines: fields, status: status)
        return CachingRule(
            name,
            CachingStep(reply, asks: ["/a"], .shows(1), .fresh),
            CachingStep(
                .whole(2, "Cache-Control: no-store"),
                asks: isFresh ? [] : ["/a"],
                .shows(isFresh ? 1 : 2),
                .fresh
            )
        )
    }

    static let lifetimes = [
        rule("RFC 9111, 5.2.2.1: max-age", "Cache-Control: max-age=6000", isFresh: true),
        rule("RFC 9111, 5.2.2.1: max-age=0", "Cache-Control: max-age=0", isFresh: false),
        rule(
            "RFC 9111, 5.2.2.1: an old max-age",
            "Cache-Control: max-age=6000",
            "Age: 6000",
            isFresh: false
        ),
        rule("RFC 9111, 1.2.2: 2³¹ seconds", "Cache-Control: max-age=2147483648", isFresh: true),
        rule(
            "RFC 9111, 1.2.2: more than 2³¹ seconds",
            "Cache-Control: max-age=99999999999999999999",
            isFresh: true
        ),
        rule(
            "RFC 9111, 4.2.1: max-age before Expires",
            "Cache-Control: max-age=6000",
            "Expires: \(past)",
            isFresh: true
        ),
        rule(
            "RFC 9111, 4.2.1: an old max-age before Expires",
            "Cache-Control: max-age=100",
            "Age: 500",
            "Expires: \(future)",
            isFresh: false
        ),
        rule(
            "RFC 9111, 5.2.2.10: s-maxage is for shared caches",
            "Cache-Control: s-maxage=60",
            isFresh: false
        ),
        rule(
            "RFC 9111, 5.2.2.10: s-maxage leaves max-age alone",
            "Cache-Control: s-maxage=0, max-age=6000",
            isFresh: true
        ),
        rule(
            "RFC 9111, 5.2.2.7: a private cache stores private",
            "Cache-Control: private, max-age=6000",
            isFresh: true
        ),
        rule(
            "RFC 9111, 5.2.2.8: proxy-revalidate is for shared caches",
            "Cache-Control: proxy-revalidate, max-age=6000",
            isFresh: true
        ),
        rule(
            "RFC 9111, 5.2.2.9: public alone is no lifetime",
            "Cache-Control: public",
            isFresh: false
        ),
        rule(
            "RFC 9111, 5.2.2.4: no-cache",
            "Cache-Control: max-age=6000, no-cache",
            isFresh: false
        ),
        rule(
            "RFC 9111, 5.2.2.4: no-cache of a field is read as no-cache",
            "Cache-Control: max-age=6000, no-cache=\"Set-Cookie\"",
            isFresh: false
        ),
        rule(
            "RFC 9111, 5.2.2.5: no-store",
            "Cache-Control: max-age=6000, no-store",
            isFresh: false
        ),
        rule(
            "RFC 9111, 5.2.2.2: must-revalidate and fresh",
            "Cache-Control: max-age=6000, must-revalidate",
            isFresh: true
        ),
        rule(
            "RFC 9111, 5.2.2.3: must-understand with a known status",
            "Cache-Control: max-age=6000, must-understand, no-store",
            isFresh: true
        ),
        rule(
            "RFC 9111, 5.2.2.3: must-understand with an unknown status",
            "Cache-Control: max-age=6000, must-understand, no-store",
            isFresh: false,
            status: 299
        ),
        rule(
            "RFC 9111, 5.2.3: unknown directives",
            "Cache-Control: max-age=6000, surprise, other=\"no\"",
            isFresh: true
        ),
        rule(
            "RFC 8246, 2: immutable and fresh",
            "Cache-Control: max-age=6000, immutable",
            isFresh: true
        ),
        rule("RFC 8246, 2: immutable is no lifetime", "Cache-Control: immutable", isFresh: false),
        rule("RFC 9111, 5.3: Expires", "Expires: \(future)", isFresh: true),
        rule("RFC 9111, 5.3: Expires in the past", "Expires: \(past)", isFresh: false),
        rule("RFC 9111, 5.3: Expires: 0", "Expires: 0", isFresh: false),
        rule(
            "RFC 9111, 5.3: no date is in the past",
            "Expires: tomorrow",
            isFresh: false
        ),
        rule(
            "RFC 9111, 5.3: two Expires that differ are no date",
            "Expires: \(future)",
            "Expires: \(past)",
            isFresh: false
        ),
        rule(
            "RFC 9110, 5.6.7: UTC is no zone",
            "Expires: Fri, 01 Jan 2100 00:00:00 UTC",
            isFresh: false
        ),
        rule(
            "RFC 9110, 5.6.7: a zone in lower case",
            "Expires: Fri, 01 Jan 2100 00:00:00 gmt",
            isFresh: true
        ),
        rule(
            "RFC 9110, 5.6.7: a year of two digits",
            "Expires: Fri, 01 Jan 30 00:00:00 GMT",
            isFresh: false
        ),
        rule(
            "RFC 9110, 5.6.7: a missing comma",
            "Expires: Fri 01 Jan 2100 00:00:00 GMT",
            isFresh: false
        ),
        rule(
            "RFC 9110, 5.6.7: several spaces",
            "Expires: Fri, 01  Jan  2100 00:00:00 GMT",
            isFresh: false
        ),
        rule("RFC 9110, 5.6.7: dashes", "Expires: Fri, 01-Jan-2100 00:00:00 GMT", isFresh: false),
        rule(
            "RFC 9110, 5.6.7: an hour of one digit",
            "Expires: Fri, 01 Jan 2100 0:00:00 GMT",
            isFresh: false
        ),
        rule(
            "RFC 9110, 5.6.7: the date of asctime",
            "Expires: Fri Jan  1 00:00:00 2100",
            isFresh: true
        ),
        rule("RFC 9111, 4.2.2: nothing said", isFresh: false),
        rule("RFC 9111, 4.2.2: a tenth of its age", "Last-Modified: \(past)", isFresh: true),
        rule("RFC 9111, 4.2.2: 203", "Last-Modified: \(past)", isFresh: true, status: 203),
        rule(
            "RFC 9111, 4.2.2: no guess for an unknown status",
            "Last-Modified: \(past)",
            isFresh: false,
            status: 299
        ),
        rule(
            "RFC 9111, 3: an unknown status with a lifetime",
            "Cache-Control: max-age=6000",
            isFresh: true,
            status: 299
        ),
        rule(
            "RFC 9111, 5.4: Pragma of an answer means nothing",
            "Cache-Control: max-age=6000",
            "Pragma: no-cache",
            isFresh: true
        ),
    ]

    static let ages = [
        rule("RFC 9111, 5.1: Age", "Cache-Control: max-age=360000", "Age: 180000", isFresh: true),
        rule(
            "RFC 9111, 5.1: too great an Age",
            "Cache-Control: max-age=360000",
            "Age: 360000",
            isFresh: false
        ),
        rule(
            "RFC 9111, 5.1: the first Age of several",
            "Cache-Control: max-age=360000",
            "Age: 720000, 0",
            isFresh: false
        ),
        rule(
            "RFC 9111, 5.1: the first Age of several lines",
            "Cache-Control: max-age=360000",
            "Age: 720000",
            "Age: 0",
            isFresh: false
        ),
        rule(
            "RFC 9111, 5.1: the first of several is small",
            "Cache-Control: max-age=360000",
            "Age: 0, 7200",
            isFresh: true
        ),
        rule(
            "RFC 9111, 1.2.2: an Age of twenty digits",
            "Cache-Control: max-age=360000",
            "Age: 99999999999999999999",
            isFresh: false
        ),
        rule(
            "RFC 9111, 5.1: a fraction",
            "Cache-Control: max-age=360000",
            "Age: 720000.5",
            isFresh: true
        ),
        rule(
            "RFC 9111, 5.1: a negative Age",
            "Cache-Control: max-age=360000",
            "Age: -720000",
            isFresh: true
        ),
        rule("RFC 9111, 5.1: a word", "Cache-Control: max-age=360000", "Age: old", isFresh: true),
        rule(
            "RFC 9111, 4.2.3: the age that Date tells",
            "Cache-Control: max-age=360000",
            "Date: \(past)",
            isFresh: false
        ),
        rule(
            "RFC 9111, 4.2.3: Age with Expires",
            "Expires: \(future)",
            "Age: 2147483648",
            "Date: Fri, 01 Jan 2099 00:00:00 GMT",
            isFresh: false
        ),
    ]

    static let syntax = [
        rule(
            "RFC 9111, 4.2.1: a lifetime that is said twice",
            "Cache-Control: max-age=6000",
            "Cache-Control: max-age=6000",
            isFresh: true
        ),
        rule(
            "RFC 9111, 4.2.1: two lines of different lifetimes",
            "Cache-Control: max-age=6000",
            "Cache-Control: max-age=0",
            isFresh: false
        ),
        rule(
            "RFC 9111, 5.2.2.5: no-store beside a lifetime, in another line",
            "Cache-Control: max-age=6000",
            "Cache-Control: no-store",
            isFresh: false
        ),
        rule(
            "RFC 9111, 5.2.2.1: max-age without a value",
            "Cache-Control: max-age",
            isFresh: false
        ),
        rule(
            "RFC 9111, 5.2.2.1: an empty quoted max-age",
            "Cache-Control: max-age=\"\"",
            isFresh: false
        ),
        rule("RFC 9111, 1.2.2: a sign", "Cache-Control: max-age=+6000", isFresh: false),
        rule(
            "RFC 9110, 5.6.4: single quotes are no quotes",
            "Cache-Control: max-age='6000'",
            isFresh: false
        ),
        rule(
            "RFC 9110, 5.6.3: no space after the equals sign",
            "Cache-Control: max-age= 6000",
            isFresh: false
        ),
        rule(
            "RFC 9111, 5.3: two Expires that are alike",
            "Expires: \(future)",
            "Expires: \(future)",
            isFresh: true
        ),
        rule(
            "RFC 9111, 4.2.3: a Date of a clock that is ahead makes nothing younger",
            "Date: \(future)",
            "Cache-Control: max-age=6000",
            "Age: 6000",
            isFresh: false
        ),
        rule(
            "RFC 9111, 4.2.1: an Expires that is not after its Date",
            "Date: \(future)",
            "Expires: \(future)",
            isFresh: false
        ),
        rule(
            "RFC 9111, 4.2.3: a Date that is no date",
            "Date: yesterday",
            "Cache-Control: max-age=6000",
            isFresh: true
        ),
        rule("RFC 9111, 5.1: an empty Age", "Cache-Control: max-age=6000", "Age:", isFresh: true),
        rule("RFC 9111, 5.2: directives in any case", "CACHE-CONTROL: MAX-AGE=60", isFresh: true),
        rule("RFC 9111, 5.2: NO-STORE", "Cache-Control: max-age=6000, NO-STORE", isFresh: false),
        rule("RFC 9111, 5.2: a quoted number", "Cache-Control: max-age=\"6000\"", isFresh: true),
        rule(
            "RFC 9110, 5.3: two lines",
            "Cache-Control: max-age=6000",
            "Cache-Control: no-store",
            isFresh: false
        ),
        rule("RFC 9110, 5.6.1: empty members", "Cache-Control: , max-age=6000,,", isFresh: true),
        rule(
            "RFC 9111, 4.2.1: the shorter of two lifetimes",
            "Cache-Control: max-age=6000, max-age=0",
            isFresh: false
        ),
        rule(
            "RFC 9111, 4.2.1: the shorter of two lifetimes, first",
            "Cache-Control: max-age=0, max-age=6000",
            isFresh: false
        ),
        rule(
            "RFC 9111, 4.2.1: a fraction is stale",
            "Cache-Control: max-age=6000.5",
            isFresh: false
        ),
        rule(
            "RFC 9111, 4.2.1: a negative number is stale",
            "Cache-Control: max-age=-60",
            isFresh: false
        ),
        rule(
            "RFC 9111, 4.2.1: a word is stale",
            "Cache-Control: max-age=long",
            "Expires: \(future)",
            isFresh: false
        ),
        rule(
            "RFC 9110, 5.6.3: no space before the equals sign",
            "Cache-Control: max-age =60",
            isFresh: false
        ),
        rule(
            "RFC 9111, 5.2: a longer name is another directive",
            "Cache-Control: xmax-age=6000",
            isFresh: false
        ),
        rule(
            "RFC 9110, 5.6.4: what is quoted is no directive",
            "Cache-Control: ext=\"no-store, no-cache\", max-age=6000",
            isFresh: true
        ),
        rule(
            "RFC 9110, 5.6.4: an escaped quote",
            "Cache-Control: ext=\"a\\\", no-store, \", max-age=6000",
            isFresh: true
        ),
        rule(
            "RFC 9110, 5.6.4: a quote that nobody closes",
            "Cache-Control: max-age=6000, ext=\"oops, no-store",
            isFresh: false
        ),
        rule(
            "RFC 9110, 5.6.4: an open quote of a field",
            "Cache-Control: max-age=6000, no-cache=\"Set-Cookie",
            isFresh: false
        ),
    ]
}

extension CachingReply {
    static func image(_ version: Int, lines: [String], status: Int = 200) -> CachingReply {
        CachingReply(status: status, version: version, lines: lines)
    }
}
