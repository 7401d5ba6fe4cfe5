import Testing

@testable import Kingfisher

struct CacheControlTests {
    @Test func `directives in any case, in one field or several`() {
        let control = CacheControl([
            "Max-Age=60, STALE-while-revalidate=\"30\"", "no-cache", "stale-if-error=5",
        ])
        #expect(control.maxAge == 60)
        #expect(control.staleWhileRevalidate == 30)
        #expect(control.staleIfError == 5)
        #expect(control.isNoCache)
        #expect(!control.isNoStore)
        #expect(!control.mustRevalidate)
    }

    @Test(
        arguments: [
            ("max-age=abc", 0), ("max-age=-1", 0), ("max-age=", 0), ("max-age", 0),
            ("max-age=1.5", 0), ("max-age=10, max-age=5", 5), ("max-age=5, max-age=10", 5),
            ("max-age=99999999999999999999", 1 << 31), ("max-age=60;foo", 0), ("max-age =60", 0),
            ("max-age= 60", 0), ("max-age=\"60", 0),
            ("smax-age=3", nil),
            ("", nil), (",,,", nil), ("s-maxage=3", nil),
        ] as [(String, Int?)]
    )
    func `a time that is no number is over`(text: String, maxAge: Int?) {
        #expect(CacheControl([text]).maxAge == maxAge)
    }

    @Test func `an unclosed quote hides no directive`() {
        #expect(CacheControl(["max-age=60, ext=\"oops, no-store"]).isNoStore)
        #expect(CacheControl(["no-cache=\"Set-Cookie"]).isNoCache)
        #expect(CacheControl(["ext=\"a\\\", no-store"]).isNoStore)
        #expect(!CacheControl(["ext=\"a\\\", no-store\""]).isNoStore)
    }

    @Test(arguments: [
        "stale-while-revalidate=0, stale-while-revalidate=60",
        "stale-while-revalidate=60, stale-while-revalidate=0",
        "stale-while-revalidate=60, stale-while-revalidate", "stale-while-revalidate=x",
    ])
    func `of two windows the stricter one counts`(text: String) {
        #expect(CacheControl([text]).staleWhileRevalidate == 0)
        let error = text.replacing("while-revalidate", with: "if-error")
        #expect(CacheControl([error]).staleIfError == 0)
    }

    @Test func `of two wishes of a request the stricter one counts`() {
        for text in ["max-stale=5, max-stale", "max-stale, max-stale=5"] {
            #expect(CacheControl([text]).maxStale == 5)
        }
        for text in ["min-fresh=5, min-fresh=9", "min-fresh=9, min-fresh=5"] {
            #expect(CacheControl([text]).minFresh == 9)
        }
        #expect(CacheControl(["min-fresh=x"]).minFresh == 1 << 31)
    }

    @Test(
        arguments: [
            ("max-age=60, s-maxage=5", 5), ("s-maxage=90, s-maxage=9, max-age=1", 9),
            ("s-maxage=x, max-age=60", 0), ("max-age=60", 60), ("public", nil),
        ] as [(String, Int?)]
    )
    func `in a shared cache the lifetime for shared caches counts`(text: String, maxAge: Int?) {
        let control = CacheControl([text], isShared: true)
        #expect(control.maxAge == maxAge)
        #expect(control.mustRevalidate == text.contains("s-maxage"))
    }

    @Test func `private and proxy-revalidate are for shared caches`() {
        let values = ["Private=\"a, b\"", "proxy-revalidate"]
        let shared = CacheControl(values, isShared: true)
        #expect(shared.isPrivate)
        #expect(shared.mustRevalidate)
        let own = CacheControl(values)
        #expect(!own.isPrivate)
        #expect(!own.mustRevalidate)
    }

    @Test(
        arguments: [
            ("", true), ("max-age=60", true), ("no-cache, stale-if-error=9", true),
            ("proxy-revalidate", true), ("public", false), ("Public, max-age=60", false),
            ("must-revalidate", false), ("s-maxage=5", false), ("public, private", true),
        ]
    )
    func `a shared cache stores responses to authorized requests only with permission`(
        text: String,
        isPrivate: Bool
    ) {
        #expect(CacheControl([text], isShared: true, isAuthorized: true).isPrivate == isPrivate)
        #expect(!CacheControl([text], isAuthorized: true).isPrivate)
    }

    @Test func `a comma in quotes does not begin a directive`() {
        let control = CacheControl(["private=\"a, no-store, b\", max-age=3"])
        #expect(!control.isNoStore)
        #expect(control.maxAge == 3)
        #expect(CacheControl(["no-cache=\"Set-Cookie\""]).isNoCache)
    }
}
