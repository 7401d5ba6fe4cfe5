import Foundation
import Testing

@_spi(Programs) @testable import Kingfisher

struct URLDisclosureTests {
    @Test(
        arguments: [
            ("https://anna:x@host/a/b.png?sig=x#y", "https://host/…", "https://host/a/b.png?…"),
            (
                "see https://host/a?x=1, then go", "see https://host/…, then go",
                "see https://host/a?…, then go"
            ),
            (
                "(status 404 for https://host/?x)", "(status 404 for https://host/…)",
                "(status 404 for https://host/?…)"
            ),
            (
                "'s3://b/k?x' and “ftp://h/k?x”", "'s3://b/…' and “ftp://h/…”",
                "'s3://b/k?…' and “ftp://h/k?…”"
            ),
            ("https://host/ is it.", "https://host/ is it.", "https://host/ is it."),
            ("https://host/a/https://b:x@c/?x", "https://host/…", "https://host/a/https://c/?…"),
            ("https%3A%2F%2Fb%3Ax%40c%2Fa%3Fx", "https%3A%2F%2Fc/…", "https%3A%2F%2Fc%2Fa%…"),
            ("https://host/a%3Fsig%3Dx", "https://host/…", "https://host/a%…"),
            ("https://host#x", "https://host/…", "https://host#…"),
            (
                "no URL: a/b?x=1 and 5 % of it", "no URL: a/b?x=1 and 5 % of it",
                "no URL: a/b?x=1 and 5 % of it"
            ),
            ("://", "://", "://"), ("a://?", "a://?", "a://?…"),
        ]
    )
    func `a text shows the host or the path of its URLs`(
        text: String,
        host: String,
        path: String
    ) {
        #expect(text.disclosing(.host) == host)
        #expect(text.disclosing(.path) == path)
    }

    @Test func `a text of slashes alone takes time by its length`() {
        let text = String(repeating: "://", count: 100_000)
        #expect(text.disclosing(.query) == text)
    }

    @Test func `errors of transfers show neither queries nor redirect targets`() throws {
        let url = try #require(URL(string: "https://anna:x@host.test/a.png?token=secret"))
        let errors: [TransferError] = [
            .redirectRefused(target: "ftp://b.test/secret?secret", url: url),
            .redirectRefused(target: "data:secret", url: url),
            .badResponse(reason: "it is “\(url)”", url: url),
            .rejected(reason: URLError(.badURL, userInfo: ["url": url]), url: url),
        ]
        for error in errors {
            #expect(!error.description.contains("secret"), "\(error)")
            #expect(error.description.hasSuffix(": https://host.test/a.png?…"))
        }
        #expect(errors[0].description.hasPrefix("a redirect to “ftp://b.test/…” is not allowed"))
        #expect(errors[1].description.hasPrefix("a redirect to “data:” is not allowed"))
        // Programs that need the whole URL have it.
        #expect(errors[0].url?.query == "token=secret")
    }
}
