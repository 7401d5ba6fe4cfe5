@testable import Kingfisher

/// What a load's own `Cache-Control` asks of the cache (RFC 9111, 5.2.1), set by a modifier.
enum RequestRules {
    private static let fresh = ValidationRules.fresh

    /// An image of some age, then a load with these fields.
    private static func rule(
        _ name: String,
        _ headers: [String: String],
        maxAge: Int = 6000,
        more: String = "",
        age: Int = 0,
        asks: Bool
    ) -> CachingRule {
        CachingRule(
            name,
            CachingStep(
                .image(1, "Cache-Control: max-age=\(maxAge)\(more)", "Age: \(age)"),
                asks: ["/a"],
                .shows(1)
            ),
            CachingStep(.image(2), sends: headers, asks: asks ? ["/a"] : [], .shows(asks ? 2 : 1))
        )
    }

    private static func control(_ value: String) -> [String: String] { ["Cache-Control": value] }

    static let all = [
        rule(
            "RFC 9111, 5.2.1: max-age beside max-stale",
            control("max-age=100, max-stale=1000"),
            maxAge: 60,
            age: 70,
            asks: false
        ),
        rule(
            "RFC 9111, 5.2.1: older than max-age beside max-stale",
            control("max-age=60, max-stale=1000"),
            maxAge: 60,
            age: 70,
            asks: true
        ),
        rule(
            "RFC 9111, 5.2.1.3: a min-fresh that is no number",
            control("min-fresh=soon"),
            asks: true
        ),
        rule(
            "RFC 9111, 5.2.1.2: two max-stale that differ",
            control("max-stale=1000, max-stale=5"),
            maxAge: 60,
            age: 70,
            asks: true
        ),
        rule("RFC 9111, 5.2.1.1: a quoted max-age", control("max-age=\"0\""), asks: true),
        rule("RFC 9111, 5.2.1.4: no-cache", control("no-cache"), asks: true),
        rule("RFC 9111, 5.4: Pragma: no-cache", ["Pragma": "no-cache"], asks: true),
        rule(
            "RFC 9111, 5.4: Pragma beside Cache-Control",
            ["Pragma": "no-cache", "Cache-Control": "max-age=6000"],
            asks: false
        ),
        rule("RFC 9111, 5.2.1.1: max-age=0", control("max-age=0"), asks: true),
        rule(
            "RFC 9111, 5.2.1.1: younger than max-age",
            control("max-age=3000"),
            age: 1000,
            asks: false
        ),
        rule(
            "RFC 9111, 5.2.1.1: older than max-age",
            control("max-age=3000"),
            age: 4000,
            asks: true
        ),
        rule(
            "RFC 9111, 5.2.1.3: min-fresh that is left",
            control("min-fresh=3000"),
            age: 1000,
            asks: false
        ),
        rule(
            "RFC 9111, 5.2.1.3: min-fresh that is not left",
            control("min-fresh=3000"),
            age: 4000,
            asks: true
        ),
        rule("RFC 9111, 5.2.1.2: max-stale", control("max-stale=6000"), age: 9000, asks: false),
        rule("RFC 9111, 5.2.1.2: past max-stale", control("max-stale=2000"), age: 9000, asks: true),
        rule(
            "RFC 9111, 5.2.1.2: max-stale without a limit",
            control("max-stale"),
            age: 9000,
            asks: false
        ),
        rule(
            "RFC 9111, 4.2.4: must-revalidate before max-stale",
            control("max-stale=6000"),
            more: ", must-revalidate",
            age: 9000,
            asks: true
        ),
        rule(
            "RFC 9111, 4.2.4: no-cache before max-stale",
            control("max-stale=6000"),
            more: ", no-cache",
            age: 9000,
            asks: true
        ),
        rule("RFC 9111, 5.2.1: unknown directives", control("surprise"), asks: false),
        CachingRule(
            "RFC 9111, 5.2.1.4: no-cache asks with the condition",
            CachingStep(.image(1, fresh, "ETag: \"1\""), asks: ["/a"], .shows(1)),
            CachingStep(
                .image(1, fresh, "ETag: \"1\""),
                sends: control("no-cache"),
                asks: ["/a if \"1\""],
                .shows(1),
                .revalidated
            )
        ),
        CachingRule(
            "RFC 9111, 5.2.1.4: no-cache and a 404",
            CachingStep(.status(404, fresh), asks: ["/a"], .fails(404)),
            CachingStep(.image(1), sends: control("no-cache"), asks: ["/a"], .shows(1))
        ),
        CachingRule(
            "RFC 9111, 5.2.1.5: no-store",
            CachingStep(.image(1, fresh), sends: control("no-store"), asks: ["/a"], .shows(1)),
            CachingStep(.image(2), asks: ["/a"], .shows(2))
        ),
        CachingRule(
            "RFC 9111, 5.2.1.7: only-if-cached without an image",
            CachingStep(.image(1), sends: control("only-if-cached"), asks: [], .fails(nil))
        ),
        CachingRule(
            "RFC 9111, 5.2.1.7: only-if-cached with a fresh image",
            CachingStep(.image(1, fresh), asks: ["/a"], .shows(1)),
            CachingStep(.image(2), sends: control("only-if-cached"), asks: [], .shows(1), .fresh)
        ),
        CachingRule(
            "RFC 9111, 5.2.1.7: only-if-cached with a stale image",
            CachingStep(.image(1, fresh, "Age: 9000"), asks: ["/a"], .shows(1)),
            CachingStep(.image(2), sends: control("only-if-cached"), asks: [], .fails(nil)),
            CachingStep(
                .image(2),
                sends: control("only-if-cached, max-stale=6000"),
                asks: [],
                .shows(1),
                .stale
            )
        ),
        CachingRule(
            "RFC 5861, 4: stale-if-error of a request",
            CachingStep(.image(1, fresh, "Age: 9000"), asks: ["/a"], .shows(1)),
            CachingStep(
                .status(503),
                sends: control("stale-if-error=6000"),
                asks: ["/a"],
                .shows(1),
                .stale
            )
        ),
    ]
}
