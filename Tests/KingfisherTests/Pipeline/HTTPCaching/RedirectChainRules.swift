@testable import Kingfisher

/// Images behind redirects.
enum RedirectChainRules {
    private static let stale = ValidationRules.stale
    private static let fresh = ValidationRules.fresh
    private static let date = ValidationRules.date

    /// A redirect to a file that is fresh; the second load is of the same URL.
    private static func rule(
        _ name: String,
        _ status: Int,
        _ fields: String...,
        asks: [String]
    ) -> CachingRule {
        let redirect = CachingReply.redirect(status, to: "/1", lines: fields)
        let file = CachingReply.image(1, fresh, "ETag: \"1\"")
        return CachingRule(
            name,
            CachingStep(["/a": redirect, "/1": file], asks: ["/a", "/1"], .shows(1)),
            CachingStep(["/a": redirect, "/1": file], asks: asks, .shows(1))
        )
    }

    static let all = [
        rule("RFC 9110, 15.4.2: 301 is fresh by itself", 301, asks: []),
        rule("RFC 9110, 15.4.9: 308 is fresh by itself", 308, asks: []),
        rule("RFC 9110, 15.4.2: 301 with a lifetime", 301, fresh, asks: []),
        rule("RFC 9110, 15.4.2: 301 that is stale", 301, stale, asks: ["/a"]),
        rule("RFC 9110, 15.4.3: 302 is not fresh by itself", 302, asks: ["/a"]),
        rule("RFC 9110, 15.4.4: 303 is not fresh by itself", 303, asks: ["/a"]),
        rule("RFC 9110, 15.4.8: 307 is not fresh by itself", 307, asks: ["/a"]),
        rule(
            "RFC 9111, 4.2.2: no guess for 302",
            302,
            "Last-Modified: \(date)",
            asks: ["/a"]
        ),
        rule("RFC 9110, 15.4.3: 302 with a lifetime", 302, fresh, asks: []),
        rule(
            "RFC 9110, 15.4.3: 302 with Expires",
            302,
            "Expires: \(FreshnessRules.future)",
            asks: []
        ),
        rule("RFC 9110, 15.4.8: 307 with a lifetime", 307, fresh, asks: []),
        rule(
            "RFC 9111, 5.2.2.5: no-store on a redirect",
            302,
            "Cache-Control: no-store, max-age=6000",
            asks: ["/a"]
        ),
        rule(
            "RFC 9111, 5.2.2.5: no-store on a permanent redirect",
            301,
            "Cache-Control: no-store",
            asks: ["/a"]
        ),
        rule(
            "RFC 9111, 5.2.2.4: no-cache on a redirect",
            301,
            "Cache-Control: no-cache",
            asks: ["/a"]
        ),
        rule(
            "RFC 9111, 5.1: the Age of a redirect",
            302,
            fresh,
            "Age: 7000",
            asks: ["/a"]
        ),
        rule("RFC 9111, 4.1: Vary: * on a redirect", 301, "Vary: *", asks: ["/a"]),
        CachingRule(
            "RFC 9111, 4: an avatar behind a stable URL changes",
            CachingStep(
                [
                    "/a": .redirect(302, to: "/1", "Cache-Control: no-store"),
                    "/1": .image(1, "Cache-Control: max-age=31536000", "ETag: \"x\""),
                ],
                asks: ["/a", "/1"],
                .shows(1)
            ),
            CachingStep(
                [
                    "/a": .redirect(302, to: "/2", "Cache-Control: no-store"),
                    "/2": .image(2, "Cache-Control: max-age=31536000", "ETag: \"x\""),
                ],
                asks: ["/a", "/2"],
                .shows(2)
            )
        ),
        CachingRule(
            "RFC 9111, 4: a redirect to a file that is stale",
            CachingStep(
                ["/a": .redirect(302, to: "/1"), "/1": .image(1, stale, "ETag: \"1\"")],
                asks: ["/a", "/1"],
                .shows(1)
            ),
            CachingStep(
                ["/a": .redirect(302, to: "/1", fresh), "/1": .image(1, fresh, "ETag: \"1\"")],
                asks: ["/a", "/1 if \"1\""],
                .shows(1),
                .revalidated
            ),
            CachingStep([:], asks: [], .shows(1), .fresh)
        ),
        CachingRule(
            "RFC 9111, 4: a redirect to a file that is fresh has a lifetime of its own",
            CachingStep(
                ["/a": .redirect(302, to: "/1"), "/1": .image(1, fresh)],
                asks: ["/a", "/1"],
                .shows(1)
            ),
            CachingStep(["/a": .redirect(302, to: "/1", fresh)], asks: ["/a"], .shows(1), .fresh),
            CachingStep([:], asks: [], .shows(1), .fresh)
        ),
        CachingRule(
            "RFC 9110, 13.1: a condition is for the URL that it came from",
            CachingStep(
                ["/a": .redirect(302, to: "/2"), "/2": .image(2, stale, "Last-Modified: \(date)")],
                asks: ["/a", "/2"],
                .shows(2)
            ),
            CachingStep(
                ["/a": .redirect(302, to: "/1"), "/1": .image(1, stale, "Last-Modified: \(date)")],
                asks: ["/a", "/1"],
                .shows(1)
            )
        ),
        CachingRule(
            "RFC 9110, 13.1: no condition is sent to the redirect itself",
            CachingStep(["/a": .image(1, stale, "ETag: \"1\"")], asks: ["/a"], .shows(1)),
            CachingStep(
                ["/a": .redirect(302, to: "/2"), "/2": .image(2, stale, "ETag: \"1\"")],
                asks: ["/a if \"1\"", "/2"],
                .shows(2)
            )
        ),
        CachingRule(
            "RFC 9110, 15.4.2: a permanent redirect costs one round trip once",
            CachingStep(
                ["/a": .redirect(301, to: "/1"), "/1": .image(1, stale, "ETag: \"1\"")],
                asks: ["/a", "/1"],
                .shows(1)
            ),
            CachingStep(
                ["/1": .image(1, stale, "ETag: \"1\"")],
                asks: ["/1 if \"1\""],
                .shows(1),
                .revalidated
            ),
            CachingStep(["/1": .image(2, fresh)], asks: ["/1 if \"1\""], .shows(2)),
            CachingStep([:], asks: [], .shows(2), .fresh)
        ),
        CachingRule(
            "RFC 9111, 4: a chain is asked for from its first stale hop on",
            CachingStep(
                [
                    "/a": .redirect(301, to: "/b"), "/b": .redirect(302, to: "/1"),
                    "/1": .image(1, fresh, "ETag: \"1\""),
                ],
                asks: ["/a", "/b", "/1"],
                .shows(1)
            ),
            CachingStep(
                ["/b": .redirect(302, to: "/2", fresh), "/2": .image(2, fresh, "ETag: \"2\"")],
                asks: ["/b", "/2"],
                .shows(2)
            ),
            CachingStep([:], asks: [], .shows(2), .fresh)
        ),
        CachingRule(
            "RFC 5861, 3: a stale redirect within its window",
            CachingStep(
                [
                    "/a": .redirect(
                        302,
                        to: "/1",
                        "Cache-Control: max-age=0, stale-while-revalidate=6000"
                    ),
                    "/1": .image(1, fresh, "ETag: \"1\""),
                ],
                asks: ["/a", "/1"],
                .shows(1)
            ),
            CachingStep(
                ["/a": .redirect(302, to: "/2", fresh), "/2": .image(2, fresh)],
                asks: [],
                later: ["/a", "/2"],
                .shows(1),
                .stale
            ),
            CachingStep([:], asks: [], .shows(2), .fresh)
        ),
        CachingRule(
            "RFC 9111, 4.1: Vary on a redirect",
            CachingStep(
                [
                    "/a": .redirect(302, to: "/1", fresh, "Vary: X-Theme"),
                    "/1": .image(1, fresh, "ETag: \"1\""),
                ],
                sends: ["X-Theme": "dark"],
                asks: ["/a", "/1"],
                .shows(1)
            ),
            CachingStep(
                [
                    "/a": .redirect(302, to: "/2", fresh, "Vary: X-Theme"),
                    "/2": .image(2, fresh, "ETag: \"2\""),
                ],
                sends: ["X-Theme": "light"],
                asks: ["/a", "/2"],
                .shows(2)
            )
        ),
        CachingRule(
            "RFC 9111, 4: a redirect to a file that is gone",
            CachingStep(
                ["/a": .redirect(301, to: "/1"), "/1": .status(404, stale)],
                asks: ["/a", "/1"],
                .fails(404)
            ),
            CachingStep(
                [
                    "/a": .redirect(301, to: "/2"), "/2": .image(2, fresh),
                    "/1": .status(404, stale),
                ],
                asks: ["/a", "/2"],
                .shows(2)
            )
        ),
        CachingRule(
            "RFC 9111, 4: a redirect that may not be stored, to a file that is gone",
            CachingStep(
                [
                    "/a": .redirect(302, to: "/1", "Cache-Control: no-store"),
                    "/1": .status(404, fresh),
                ],
                asks: ["/a", "/1"],
                .fails(404)
            ),
            CachingStep(
                ["/a": .redirect(302, to: "/2"), "/2": .image(2, fresh)],
                asks: ["/a", "/2"],
                .shows(2)
            )
        ),
    ]
}

extension CachingReply {
    static func redirect(_ status: Int, to path: String, lines: [String]) -> CachingReply {
        CachingReply(status: status, version: nil, lines: ["Location: \(path)"] + lines)
    }
}
