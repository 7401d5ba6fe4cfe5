@testable import Kingfisher

/// Images that are not there, and servers in trouble.
enum FailureRules {
    private static let stale = ValidationRules.stale
    private static let fresh = ValidationRules.fresh

    /// A failure, then an image; the second load asks unless the failure is fresh.
    private static func rule(
        _ name: String,
        _ status: Int,
        _ fields: String...,
        isFresh: Bool
    ) -> CachingRule {
        CachingRule(
            name,
            CachingStep(
                CachingReply(status: status, version: nil, lines: fields),
                asks: ["/a"],
                .fails(status)
            ),
            CachingStep(
                .image(1, fresh),
                asks: isFresh ? [] : ["/a"],
                isFresh ? .fails(status) : .shows(1)
            )
        )
    }

    static let statuses =
        [404, 410].map {
            rule("RFC 9110, 15.1: \($0) is remembered for a minute", $0, isFresh: true)
        }
        + [400, 404, 405, 410, 414, 451, 499, 501].map {
            rule("RFC 9111, 3: \($0) with a lifetime", $0, fresh, isFresh: true)
        }
        + [404, 405, 410, 414, 501].map {
            rule(
                "RFC 9111, 4.2.2: \($0), a tenth of its age",
                $0,
                "Last-Modified: \(FreshnessRules.past)",
                isFresh: true
            )
        }
        + [400, 403, 405, 414, 500, 501, 503].map {
            rule("RFC 9111, 3: \($0) without a lifetime", $0, isFresh: false)
        }
        + [401, 403, 407, 408, 425, 429, 500, 502, 503, 504].map {
            rule("RFC 9111, 3: \($0) is about the moment or the caller", $0, fresh, isFresh: false)
        }
        + [
            rule(
                "RFC 9111, 5.2.2.5: 404 with no-store",
                404,
                "Cache-Control: no-store",
                isFresh: false
            ),
            rule(
                "RFC 9111, 5.2.2.4: 404 with no-cache",
                404,
                "Cache-Control: no-cache",
                isFresh: false
            ),
            rule(
                "RFC 9111, 5.2.2.1: 404 with max-age=0",
                404,
                "Cache-Control: max-age=0",
                isFresh: false
            ),
            rule("RFC 9111, 5.1: an old 404", 404, "Age: 9000", isFresh: false),
        ]

    static let removals = [404, 410].flatMap { status in
        [
            CachingRule(
                "RFC 9111, 4.1: one user's \(status) is not another's",
                CachingStep(
                    .status(status, fresh, "Vary: Authorization"),
                    sends: ["Authorization": "Basic b25l"],
                    asks: ["/a"],
                    .fails(status)
                ),
                CachingStep(.image(1, stale), asks: ["/a"], .shows(1))
            ),
            CachingRule(
                "RFC 9111, 4.1: the same user's \(status)",
                CachingStep(
                    .status(status, fresh, "Vary: Authorization"),
                    sends: ["Authorization": "Basic b25l"],
                    asks: ["/a"],
                    .fails(status)
                ),
                CachingStep(
                    .image(1),
                    sends: ["Authorization": "Basic b25l"],
                    asks: [],
                    .fails(status)
                )
            ),
            CachingRule(
                "RFC 9111, 4.3.3: \(status) takes the image's place",
                CachingStep(.image(1, stale, "ETag: \"1\""), asks: ["/a"], .shows(1)),
                // The first could be about the condition, the second is remembered.
                CachingStep(.status(status, stale), asks: ["/a if \"1\"", "/a"], .fails(status)),
                CachingStep(.whole(1), options: [.onlyFromCache], asks: [], .fails(nil)),
                CachingStep(.image(2, fresh), asks: ["/a"], .shows(2)),
                CachingStep(.image(3), asks: [], .shows(2), .fresh)
            ),
            CachingRule(
                "RFC 5861, 3: \(status) in the background takes the image's place",
                CachingStep(
                    .image(
                        1,
                        "Cache-Control: max-age=0, stale-while-revalidate=6000",
                        "ETag: \"1\""
                    ),
                    asks: ["/a"],
                    .shows(1)
                ),
                CachingStep(
                    .status(status),
                    asks: [],
                    later: ["/a if \"1\"", "/a"],
                    .shows(1),
                    .stale
                ),
                CachingStep(.image(1), asks: [], .fails(status)),
                CachingStep(.image(1), options: [.onlyFromCache], asks: [], .fails(nil))
            ),
        ]
    }

    static let replacements = [
        CachingRule(
            "RFC 9111, 5.2.2.5: an image that may not be stored takes the place of one that may",
            CachingStep(.image(1, stale, "ETag: \"1\""), asks: ["/a"], .shows(1)),
            CachingStep(.image(2, "Cache-Control: no-store"), asks: ["/a if \"1\""], .shows(2)),
            CachingStep(.whole(2), options: [.onlyFromCache], asks: [], .fails(nil)),
            CachingStep(.image(1, fresh, "ETag: \"1\""), asks: ["/a"], .shows(1))
        ),
        CachingRule(
            "RFC 9111, 4.2.4: without the network, a stale image is shown",
            CachingStep(.image(1, stale), asks: ["/a"], .shows(1)),
            CachingStep(.whole(2), options: [.onlyFromCache], asks: [], .shows(1), .stale)
        ),
    ]

    private static let whileRevalidate = "Cache-Control: max-age=1000, stale-while-revalidate=6000"
    private static let ifError = "Cache-Control: max-age=1000, stale-if-error=6000"

    static let staleness =
        [
            CachingRule(
                "RFC 5861, 3: stale-while-revalidate",
                CachingStep(
                    .image(1, whileRevalidate, "Age: 2000", "ETag: \"1\""),
                    asks: ["/a"],
                    .shows(1)
                ),
                CachingStep(.image(2, fresh), asks: [], later: ["/a if \"1\""], .shows(1), .stale),
                CachingStep(.image(3), asks: [], .shows(2), .fresh)
            ),
            CachingRule(
                "RFC 5861, 3: a 304 in the background",
                CachingStep(
                    .image(1, whileRevalidate, "Age: 2000", "ETag: \"1\""),
                    asks: ["/a"],
                    .shows(1)
                ),
                CachingStep(
                    .image(1, fresh, "ETag: \"1\""),
                    asks: [],
                    later: ["/a if \"1\""],
                    .shows(1),
                    .stale
                ),
                CachingStep(.image(3), asks: [], .shows(1), .fresh)
            ),
            CachingRule(
                "RFC 5861, 3: past the window",
                CachingStep(.image(1, whileRevalidate, "Age: 7000"), asks: ["/a"], .shows(1)),
                CachingStep(.image(2), asks: ["/a"], .shows(2))
            ),
            CachingRule(
                "RFC 9111, 5.2.2.2: must-revalidate before stale-while-revalidate",
                CachingStep(
                    .image(1, "\(whileRevalidate), must-revalidate", "Age: 2000"),
                    asks: ["/a"],
                    .shows(1)
                ),
                CachingStep(.image(2), asks: ["/a"], .shows(2))
            ),
            CachingRule(
                "RFC 5861, 3: a failure in the background leaves the image",
                CachingStep(
                    .image(1, whileRevalidate, "Age: 2000", "ETag: \"1\""),
                    asks: ["/a"],
                    .shows(1)
                ),
                CachingStep(.status(503), asks: [], later: ["/a if \"1\""], .shows(1), .stale),
                CachingStep(.image(2, fresh), asks: [], later: ["/a if \"1\""], .shows(1), .stale),
                CachingStep([:], asks: [], .shows(2), .fresh)
            ),
            CachingRule(
                "RFC 5861, 4: past the window of stale-if-error",
                CachingStep(.image(1, ifError, "Age: 7000"), asks: ["/a"], .shows(1)),
                CachingStep(.status(503), asks: ["/a"], .fails(503))
            ),
            CachingRule(
                "RFC 9111, 5.2.2.2: must-revalidate before stale-if-error",
                CachingStep(
                    .image(1, "\(ifError), must-revalidate", "Age: 2000"),
                    asks: ["/a"],
                    .shows(1)
                ),
                CachingStep(.status(503), asks: ["/a"], .fails(503))
            ),
            CachingRule(
                "RFC 9111, 4.2.4: no stale image for another failure",
                CachingStep(.image(1, ifError, "Age: 2000"), asks: ["/a"], .shows(1)),
                CachingStep(.status(403), asks: ["/a"], .fails(403))
            ),
            CachingRule(
                "RFC 9111, 4.1: no other variant for a failure",
                CachingStep(
                    .image(1, ifError, "Age: 2000", "Vary: X-Theme"),
                    sends: ["X-Theme": "1"],
                    asks: ["/a"],
                    .shows(1)
                ),
                CachingStep(.status(503), sends: ["X-Theme": "2"], asks: ["/a"], .fails(503))
            ),
        ]
        + [500, 502, 503, 504].map { status in
            CachingRule(
                "RFC 5861, 4: stale-if-error and \(status)",
                CachingStep(
                    .image(1, ifError, "Age: 2000", "ETag: \"1\""),
                    asks: ["/a"],
                    .shows(1)
                ),
                CachingStep(.status(status), asks: ["/a if \"1\""], .shows(1), .stale),
                CachingStep(.image(2, fresh), asks: ["/a if \"1\""], .shows(2), .fresh)
            )
        }
}
