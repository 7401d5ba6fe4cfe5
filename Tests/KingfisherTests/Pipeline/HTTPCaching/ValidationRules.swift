@testable import Kingfisher

/// Asking whether an image is still good, and what the answer changes.
enum ValidationRules {
    static let date = FreshnessRules.past
    static let other = "Mon, 07 Nov 1994 08:49:37 GMT"
    static let stale = "Cache-Control: max-age=0"
    static let fresh = "Cache-Control: max-age=6000"

    static let conditions = [
        CachingRule(
            "RFC 9111, 4.2.2: no guess from a change in the future",
            CachingStep(
                .image(1, "Last-Modified: \(FreshnessRules.future)"),
                asks: ["/a"],
                .shows(1)
            ),
            CachingStep(
                .image(1, "Last-Modified: \(FreshnessRules.future)"),
                asks: ["/a since \(FreshnessRules.future)"],
                .shows(1),
                .revalidated
            )
        ),
        CachingRule(
            "RFC 9110, 8.8.3: a tag with a comma is one tag",
            CachingStep(.image(1, stale, "ETag: \"1,2\""), asks: ["/a"], .shows(1)),
            CachingStep(
                .image(1, stale, "ETag: \"1,2\""),
                asks: ["/a if \"1,2\""],
                .shows(1),
                .revalidated
            )
        ),
        CachingRule(
            "RFC 9110, 8.8.3: a tag without quotes goes back as it came",
            CachingStep(.image(1, stale, "ETag: one"), asks: ["/a"], .shows(1)),
            CachingStep(.image(1, stale, "ETag: one"), asks: ["/a if one"], .shows(1), .revalidated)
        ),
        CachingRule(
            "RFC 9110, 15.3.5: 204 has no image, whatever its lifetime",
            CachingStep(.status(204, fresh), asks: ["/a"], .fails(nil)),
            CachingStep(.image(2, fresh), asks: ["/a"], .shows(2), .fresh)
        ),
        CachingRule(
            "RFC 9111, 4.3.1: the tag is sent",
            CachingStep(.image(1, stale, "ETag: \"1\""), asks: ["/a"], .shows(1)),
            CachingStep(
                .image(1, stale, "ETag: \"1\""),
                asks: ["/a if \"1\""],
                .shows(1),
                .revalidated
            ),
            CachingStep(.image(2, stale, "ETag: \"2\""), asks: ["/a if \"1\""], .shows(2), .fresh),
            CachingStep(
                .image(2, stale, "ETag: \"2\""),
                asks: ["/a if \"2\""],
                .shows(2),
                .revalidated
            )
        ),
        CachingRule(
            "RFC 9111, 4.3.1: a weak tag is sent",
            CachingStep(.image(1, stale, "ETag: W/\"1\""), asks: ["/a"], .shows(1)),
            CachingStep(
                .image(1, stale, "ETag: W/\"1\""),
                asks: ["/a if W/\"1\""],
                .shows(1),
                .revalidated
            )
        ),
        CachingRule(
            "RFC 9111, 4.3.1: the date is sent",
            CachingStep(.image(1, stale, "Last-Modified: \(date)"), asks: ["/a"], .shows(1)),
            CachingStep(
                .image(1, stale, "Last-Modified: \(date)"),
                asks: ["/a since \(date)"],
                .shows(1),
                .revalidated
            )
        ),
        CachingRule(
            "RFC 9111, 4.3.1: both are sent",
            CachingStep(
                .image(1, stale, "ETag: \"1\"", "Last-Modified: \(date)"),
                asks: ["/a"],
                .shows(1)
            ),
            CachingStep(
                .image(1, stale, "ETag: \"1\""),
                asks: ["/a if \"1\" since \(date)"],
                .shows(1),
                .revalidated
            )
        ),
        CachingRule(
            "RFC 9111, 4.3.1: without a validator all is fetched",
            CachingStep(.image(1, stale), asks: ["/a"], .shows(1)),
            CachingStep(.image(2, stale), asks: ["/a"], .shows(2), .fresh)
        ),
        CachingRule(
            "RFC 9111, 4.3.3: what was just stored is confirmed, and not what was before",
            CachingStep(.image(1, stale, "ETag: \"1\""), asks: ["/a"], .shows(1)),
            CachingStep(.image(2, stale), asks: ["/a if \"1\""], .shows(2)),
            CachingStep(.image(1, stale, "ETag: \"1\""), asks: ["/a"], .shows(1))
        ),
    ]

    static let confirmations = [
        CachingRule(
            "RFC 9111, 3.2: a 304 brings a lifetime",
            CachingStep(.image(1, stale, "ETag: \"1\""), asks: ["/a"], .shows(1)),
            CachingStep(
                .image(1, fresh, "ETag: \"1\""),
                asks: ["/a if \"1\""],
                .shows(1),
                .revalidated
            ),
            CachingStep(.image(2), asks: [], .shows(1), .fresh)
        ),
        CachingRule(
            "RFC 9111, 3.2: a 304 takes a lifetime",
            CachingStep(.image(1, fresh, "Age: 6000", "ETag: \"1\""), asks: ["/a"], .shows(1)),
            CachingStep(.image(1, stale, "ETag: \"1\""), asks: ["/a if \"1\""], .shows(1)),
            CachingStep(.image(1, fresh, "ETag: \"1\""), asks: ["/a if \"1\""], .shows(1)),
            CachingStep(.image(2), asks: [], .shows(1))
        ),
        CachingRule(
            "RFC 9111, 3.2: what a 304 does not say stays",
            CachingStep(.image(1, fresh, "Age: 6000", "ETag: \"1\""), asks: ["/a"], .shows(1)),
            CachingStep(.status(304), asks: ["/a if \"1\""], .shows(1), .revalidated),
            CachingStep(.image(2), asks: [], .shows(1), .fresh)
        ),
        CachingRule(
            "RFC 9111, 5.2.2.5: no-store on a 304",
            CachingStep(.image(1, stale, "ETag: \"1\""), asks: ["/a"], .shows(1)),
            CachingStep(
                .image(1, "Cache-Control: no-store, max-age=6000", "ETag: \"1\""),
                asks: ["/a if \"1\""],
                .shows(1),
                .revalidated
            ),
            CachingStep(.whole(2), options: [.onlyFromCache], asks: [], .fails(nil)),
            CachingStep(.image(2), asks: ["/a"], .shows(2))
        ),
        CachingRule(
            "RFC 9111, 4.1: Vary on a 304",
            CachingStep(
                .image(1, stale, "ETag: \"1\""),
                sends: ["X-Theme": "dark"],
                asks: ["/a"],
                .shows(1)
            ),
            CachingStep(
                .image(1, fresh, "ETag: \"1\"", "Vary: X-Theme"),
                sends: ["X-Theme": "dark"],
                asks: ["/a if \"1\""],
                .shows(1)
            ),
            CachingStep(
                .image(2, fresh, "ETag: \"2\"", "Vary: X-Theme"),
                sends: ["X-Theme": "light"],
                asks: ["/a if \"1\""],
                .shows(2)
            )
        ),
        CachingRule(
            "RFC 9111, 4.3.4: a 304 with another strong tag confirms nothing",
            CachingStep(.image(1, stale, "ETag: \"1\""), asks: ["/a"], .shows(1)),
            CachingStep(
                .confused(2, "ETag: \"2\"", fresh),
                asks: ["/a if \"1\"", "/a"],
                .shows(2),
                .fresh
            ),
            CachingStep(.image(3), asks: [], .shows(2))
        ),
        CachingRule(
            "RFC 9111, 4.3.4: a 304 with another strong tag, and then the image is gone",
            CachingStep(.image(1, stale, "ETag: \"1\""), asks: ["/a"], .shows(1)),
            CachingStep(
                CachingReply(
                    status: 404,
                    version: nil,
                    lines: ["ETag: \"2\"", fresh],
                    confirmsAll: true
                ),
                asks: ["/a if \"1\"", "/a"],
                .fails(404)
            ),
            CachingStep(.image(3), asks: [], .fails(404))
        ),
        CachingRule(
            "RFC 9111, 4.3.4: a 304 with another date confirms nothing",
            CachingStep(.image(1, stale, "Last-Modified: \(date)"), asks: ["/a"], .shows(1)),
            CachingStep(
                .confused(2, "Last-Modified: \(other)", fresh),
                asks: ["/a since \(date)", "/a"],
                .shows(2),
                .fresh
            )
        ),
        CachingRule(
            "RFC 9111, 4.3.4: a 304 with the weak form of the tag confirms",
            CachingStep(.image(1, stale, "ETag: \"1\""), asks: ["/a"], .shows(1)),
            CachingStep(
                .status(304, "ETag: W/\"1\"", fresh),
                asks: ["/a if \"1\""],
                .shows(1),
                .revalidated
            )
        ),
        CachingRule(
            "RFC 9110, 15.4.5: a 304 that was not asked for is a failure",
            CachingStep(.image(1, stale), asks: ["/a"], .shows(1)),
            CachingStep(.status(304), asks: ["/a"], .fails(nil))
        ),
    ]

    private static let varies = "Vary: X-Theme"

    /// A load of the variant that its request selects.
    private static func variant(_ number: Int, asks: [String]) -> CachingStep {
        CachingStep(
            .image(number, fresh, varies, "ETag: \"\(number)\""),
            sends: ["X-Theme": "\(number)"],
            asks: asks,
            .shows(number),
            .fresh
        )
    }

    static let variants = [
        CachingRule(
            "RFC 9110, 12.5.5: names in any case, and empty members",
            CachingStep(
                .image(1, fresh, "Vary: , x-THEME,"),
                sends: ["X-Theme": "dark"],
                asks: ["/a"],
                .shows(1)
            ),
            CachingStep(.image(2), sends: ["X-Theme": "dark"], asks: [], .shows(1)),
            CachingStep(.image(2), sends: ["X-Theme": "light"], asks: ["/a"], .shows(2))
        ),
        CachingRule(
            "RFC 9111, 4.1: the same fields select it",
            CachingStep(
                .image(1, fresh, varies),
                sends: ["X-Theme": "dark"],
                asks: ["/a"],
                .shows(1)
            ),
            CachingStep(.image(2), sends: ["x-theme": "dark"], asks: [], .shows(1))
        ),
        CachingRule(
            "RFC 9111, 4.1: spaces around commas select nothing else",
            CachingStep(
                .image(1, fresh, varies),
                sends: ["X-Theme": "dark, large"],
                asks: ["/a"],
                .shows(1)
            ),
            CachingStep(.image(2), sends: ["X-Theme": "dark,large"], asks: [], .shows(1)),
            CachingStep(
                .image(2, fresh, varies),
                sends: ["X-Theme": "large, dark"],
                asks: ["/a"],
                .shows(2)
            )
        ),
        CachingRule(
            "RFC 9111, 4.1: other fields select another",
            CachingStep(
                .image(1, fresh, varies),
                sends: ["X-Theme": "dark"],
                asks: ["/a"],
                .shows(1)
            ),
            CachingStep(
                .image(2, fresh, varies),
                sends: ["X-Theme": "light"],
                asks: ["/a"],
                .shows(2)
            )
        ),
        CachingRule(
            "RFC 9111, 4.1: a missing field is another",
            CachingStep(
                .image(1, fresh, varies),
                sends: ["X-Theme": "dark"],
                asks: ["/a"],
                .shows(1)
            ),
            CachingStep(.image(2, fresh, varies), asks: ["/a"], .shows(2))
        ),
        CachingRule(
            "RFC 9111, 4.1: Vary: *",
            CachingStep(.image(1, fresh, "Vary: *"), asks: ["/a"], .shows(1)),
            CachingStep(.image(2, fresh), asks: ["/a"], .shows(2))
        ),
        CachingRule(
            "RFC 9111, 4.1: Vary: * among others",
            CachingStep(.image(1, fresh, "Vary: Accept, *"), asks: ["/a"], .shows(1)),
            CachingStep(.image(2, fresh), asks: ["/a"], .shows(2))
        ),
        CachingRule(
            "RFC 9111, 4.1: two lines of Vary",
            CachingStep(
                .image(1, fresh, "Vary: Accept", varies),
                sends: ["X-Theme": "dark"],
                asks: ["/a"],
                .shows(1)
            ),
            CachingStep(.image(2, fresh), sends: ["X-Theme": "light"], asks: ["/a"], .shows(2))
        ),
        CachingRule(
            "RFC 9111, 4.1: without the network, another variant is not shown",
            CachingStep(
                .image(1, fresh, varies),
                sends: ["X-Theme": "dark"],
                asks: ["/a"],
                .shows(1)
            ),
            CachingStep(
                .whole(2),
                sends: ["X-Theme": "light"],
                options: [.onlyFromCache],
                asks: [],
                .fails(nil)
            ),
            CachingStep(
                .whole(2),
                sends: ["X-Theme": "dark"],
                options: [.onlyFromCache],
                asks: [],
                .shows(1),
                .fresh
            )
        ),
        CachingRule(
            "RFC 9111, 4.1: four variants side by side, and the oldest but the first leaves",
            variant(1, asks: ["/a"]),
            variant(2, asks: ["/a if \"1\""]),
            variant(1, asks: []),
            variant(2, asks: []),
            variant(3, asks: ["/a if \"1\""]),
            variant(4, asks: ["/a if \"1\""]),
            variant(2, asks: []),
            variant(3, asks: []),
            variant(4, asks: []),
            variant(5, asks: ["/a if \"1\""]),
            variant(5, asks: []),
            variant(4, asks: []),
            variant(3, asks: []),
            variant(1, asks: []),
            variant(2, asks: ["/a if \"1\""])
        ),
        CachingRule(
            "RFC 9111, 4.1: one representation for two requests",
            variant(1, asks: ["/a"]),
            CachingStep(
                .image(1, fresh, varies, "ETag: \"1\""),
                sends: ["X-Theme": "2"],
                asks: ["/a if \"1\""],
                .shows(1),
                .revalidated
            ),
            variant(1, asks: []),
            CachingStep(.image(2), sends: ["X-Theme": "2"], asks: [], .shows(1), .fresh)
        ),
        CachingRule(
            "RFC 9111, 4.3: a variant is asked about by its own tag",
            variant(1, asks: ["/a"]),
            CachingStep(
                .image(2, stale, varies, "ETag: \"2\""),
                sends: ["X-Theme": "2"],
                asks: ["/a if \"1\""],
                .shows(2)
            ),
            CachingStep(
                .image(2, fresh, varies, "ETag: \"2\""),
                sends: ["X-Theme": "2"],
                asks: ["/a if \"2\""],
                .shows(2),
                .revalidated
            ),
            variant(2, asks: []),
            variant(1, asks: [])
        ),
    ]
}

extension CachingReply {
    /// A server that answers a condition by 304 although it has this other version.
    static func confused(_ version: Int, _ fields: String...) -> CachingReply {
        CachingReply(status: 200, version: version, lines: fields, confirmsAll: true)
    }
}
