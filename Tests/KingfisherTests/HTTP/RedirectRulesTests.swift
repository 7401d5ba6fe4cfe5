import Foundation
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct RedirectRulesTests {
    @Test(arguments: [
        (200, false), (201, false), (300, false), (301, true), (302, true), (303, true),
        (304, false), (305, false), (307, true), (308, true), (404, false),
    ])
    func `a location is followed for the statuses of redirects alone`(
        status: Int,
        isFollowed: Bool
    ) throws {
        let url = try #require(URL(string: "http://host/a"))
        let response = TransferResponse(
            url: url,
            statusCode: status,
            fields: [(name: "Location", value: "/b")]
        )
        let next = try RedirectRules(settings: TransferSettings())
            .next(after: URLRequest(url: url), response)
        #expect(next?.url?.absoluteString == (isFollowed ? "http://host/b" : nil))
    }
}
