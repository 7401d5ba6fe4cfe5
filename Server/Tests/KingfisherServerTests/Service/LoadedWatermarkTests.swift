import Foundation
import Kingfisher
import KingfisherTesting
import Testing

@testable import KingfisherServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Watermarks that are loaded: the rules for sources hold for them too.
@Suite(.timeLimit(.minutes(2)))
struct LoadedWatermarkTests {
    private static let source = HostileClientTests.source
    private static let mark = "http://images.example/mark.png"
    private static let url = path(
        source.absoluteString,
        "w:50/wm:1/wmu:\(Base64URL.encoded(mark.utf8))"
    )

    @Test(
        "A result is kept no longer than its watermark",
        arguments: [
            ("no-store", "max-age=100", "none", "no-store"),
            ("private", "max-age=100", "none", "private"),
            ("max-age=0", "max-age=100", "none", "max-age=0"),
            ("max-age=50", "max-age=100", "memory", "max-age=50"),
            ("max-age=100", "max-age=50", "memory", "max-age=50"),
            (#"max-age="50""#, "max-age=100", "memory", #"max-age="50""#),
            ("max-age=100", "no-store", "none", "no-store"),
        ]
    )
    func lifetimes(_ mark: String, _ source: String, _ layer: String, _ passed: String) async throws
    {
        let transport = AnsweringTransport { request in
            var answer = AnsweringTransport.Answer.image()
            answer.fields["Cache-Control"] = request.url == Self.source ? source : mark
            return answer
        }
        for passes in [true, false] {
            let change: (inout ServiceConfiguration) -> Void = { configuration in
                configuration.responses.setsDebugFields = true
                configuration.responses.passesCacheControl = passes
            }
            try await TestService.run(change, transport: transport) { test async throws in
                let first = try await test.request(Self.url)
                let second = try await test.request(Self.url)
                if passes { #expect(first.fields["cache-control"] == passed) }
                guard passes || !mark.hasPrefix("max-age") else { return }
                #expect((second.fields["x-cache"] == "memory") == (layer == "memory"))
            }
        }
    }

    /// The fields of a watermark and its source, whether the result is kept, and whether it has the
    /// fields of the source.
    private static let endings: [([String: String], [String: String], Bool, Bool)] = [
        (["Expires": time(5_000)], ["Cache-Control": "max-age=10000"], true, false),
        (["Expires": time(-50)], ["Cache-Control": "max-age=10000"], false, false),
        (["Expires": "0"], ["Cache-Control": "max-age=10000"], false, false),
        (["Expires": time(50_000)], ["Cache-Control": "max-age=10000"], true, true),
        (["Expires": time(-50), "Cache-Control": "max-age=5000"], [:], true, false),
        (["Expires": time(6_000), "Date": time(1_000)], ["Expires": time(10_000)], true, false),
        (["Cache-Control": "max-age=10000"], ["Expires": time(-50)], false, true),
        (["Cache-Control": "max-age=10000"], ["Expires": time(5_000)], true, true),
    ]

    @Test(
        "The earliest end of a source and its watermark counts, in whatever field it is",
        arguments: endings
    )
    func ends(
        _ mark: [String: String],
        _ source: [String: String],
        _ isKept: Bool,
        _ hasSource: Bool
    ) async throws {
        let transport = AnsweringTransport { request in
            var answer = AnsweringTransport.Answer.image()
            answer.fields.merge(request.url == Self.source ? source : mark) { $1 }
            return answer
        }
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.responses.setsDebugFields = true
            configuration.responses.passesCacheControl = true
        }
        try await TestService.run(change, transport: transport) { test async throws in
            let first = try await test.request(Self.url)
            let fields = hasSource ? source : mark
            #expect(first.fields["expires"] == fields["Expires"])
            #expect(first.fields["cache-control"] == fields["Cache-Control"])
            let second = try await test.request(Self.url)
            #expect((second.fields["x-cache"] == "memory") == isKept)
        }
    }

    /// The time in some seconds.
    private static func time(_ seconds: Int) -> String {
        HTTPTime.text(Int(Date().timeIntervalSince1970) + seconds)
    }

    private static let dates: [(Int?, Int?, Int?)] = [
        (100, 200, 200), (300, 200, 300), (nil, 200, nil), (100, nil, nil),
    ]

    @Test("A result is as new as the newer of its source and its watermark", arguments: dates)
    func modified(_ mark: Int?, _ source: Int?, _ result: Int?) async throws {
        let transport = AnsweringTransport { request in
            var answer = AnsweringTransport.Answer.image()
            let time = request.url == Self.source ? source : mark
            if let time { answer.fields["Last-Modified"] = HTTPTime.text(time) }
            return answer
        }
        try await TestService.run(transport: transport) { test async throws in
            let reply = try await test.request(Self.url)
            #expect(reply.fields["last-modified"] == result.map(HTTPTime.text))
            for time in [100, 200, 300] {
                let condition = ["If-Modified-Since": HTTPTime.text(time)]
                let status = try await test.request(Self.url, condition).status
                #expect(status == (result.map { $0 <= time } == true ? 304 : 200), "\(time)")
            }
        }
    }

    @Test("A watermark above the limits of sources is refused before it is decoded")
    func limits() async throws {
        let picture = ScriptedPicture.gradient(from: .red, to: .blue, width: 1100, height: 1000)
        let file = picture.data()
        let transport = AnsweringTransport { request in
            request.url == Self.source ? .image() : .init(body: file)
        }
        for (megapixels, status) in [(1.0, 422), (2.0, 200)] {
            let change: (inout ServiceConfiguration) -> Void = {
                $0.processing.maximalMegapixels = megapixels
            }
            try await TestService.run(change, transport: transport) { test async throws in
                let reply = try await test.request(Self.url)
                #expect(reply.status == status)
                if status == 422 { #expect(reply.text.hasPrefix("The watermark cannot be used.")) }
            }
        }
    }
}
