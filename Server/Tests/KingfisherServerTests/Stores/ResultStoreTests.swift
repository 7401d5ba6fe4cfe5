import Foundation
import HTTPTypes
import Kingfisher
import KingfisherTesting
import Testing

@testable import KingfisherServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Results in a store of objects, from which new machines start.
@Suite(.timeLimit(.minutes(2)))
struct ResultStoreTests {
    private static let image = HostileClientTests.source.absoluteString
    private static let hit = #"kf_shared_storage_total{level="store",outcome="hit"}"#
    private static let paused = #"kf_shared_storage_paused{level="store"}"#

    /// A source that answers once, beside requests that go over the network.
    private static func transport() -> SourceOnce { SourceOnce() }

    /// Runs a service with an empty folder.
    private static func machine(
        _ s3: FakeS3,
        _ transport: SourceOnce,
        sharing storage: (any SharedImageStorage)? = nil,
        _ change: @escaping @Sendable (inout ServiceConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (TestService) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let configure: (inout ServiceConfiguration) -> Void = { configuration in
            s3.configure(&configuration, folder: folder)
            change(&configuration)
        }
        try await TestService.run(configure, transport: transport, sharing: storage, body)
    }

    private static func layer(
        _ test: TestService,
        _ options: String = "w:10"
    ) async throws -> String? {
        let reply = try await test.request(path(image, options))
        #expect(reply.status == 200)
        return reply.fields["x-cache"]
    }

    @Test("A machine with an empty folder finds the results of those that are gone")
    func warm() async throws {
        try await FakeS3.run { s3 in
            let transport = Self.transport()
            try await Self.machine(s3, transport) { test async throws in
                #expect(try await Self.layer(test) == "none")
                await test.service.settle()
                #expect(
                    test.metric(#"kf_shared_storage_total{level="store",outcome="stored"}"#) == 1
                )
            }
            let name = try #require(s3.objects.keys.first)
            #expect(s3.objects.count == 1)
            #expect(
                try /\/results\/fleet%201\/([0-9a-f]{2})\/\1[0-9a-f]{62}/.wholeMatch(in: name)
                    != nil
            )
            let near = InMemorySharedStorage()
            try await Self.machine(s3, transport, sharing: near) { test async throws in
                #expect(try await Self.layer(test) == "disk")
                #expect(test.metric(Self.hit) == 1)
                await test.service.settle()
                #expect(near.contents.count == 1)
            }
            #expect(transport.sourceCount == 1)
            #expect(s3.requests == ["GET \(name)", "PUT \(name)", "GET \(name)"])
        }
    }

    @Test("Damaged results and results of other names are made again")
    func poisoned() async throws {
        try await FakeS3.run { s3 in
            let transport = Self.transport()
            try await Self.machine(s3, transport) { test async throws in
                for width in ["w:10", "w:20"] { _ = try await Self.layer(test, width) }
                await test.service.settle()
            }
            let good = s3.objects
            let names = good.keys.sorted()
            s3.objects = [names[0]: good[names[1]] ?? Data(), names[1]: Data("no result".utf8)]
            try await Self.machine(s3, transport) { test async throws in
                for width in ["w:10", "w:20"] {
                    #expect(try await Self.layer(test, width) == "none")
                }
                let damaged = #"kf_shared_storage_total{level="store",outcome="damaged"}"#
                #expect(test.metric(damaged) == 2)
                await test.service.settle()
            }
            #expect(s3.objects.keys.sorted() == names)
            #expect(s3.objects[names[1]] != Data("no result".utf8))
        }
    }

    @Test("A result that is removed is removed from the store")
    func removed() async throws {
        try await FakeS3.run { s3 in
            try await Self.machine(s3, Self.transport()) { test async throws in
                _ = try await Self.layer(test)
                await test.service.settle()
                #expect(s3.objects.count == 1)
                let token = ["Authorization": "Bearer token"]
                let url = path(Self.image, "w:10")
                #expect(try await test.request(url, method: "DELETE", token).status == 204)
                #expect(s3.objects.isEmpty)
            }
        }
    }

    @Test(
        "A store that fails is paused, and costs no result",
        arguments: [
            .status(.serviceUnavailable, code: "SlowDown"),
            .status(.forbidden, code: "SignatureDoesNotMatch"), .silence,
        ] as [FakeS3.Fault]
    )
    func failing(fault: FakeS3.Fault) async throws {
        try await FakeS3.run { s3 in
            s3.fault = fault
            try await Self.machine(
                s3,
                Self.transport(),
                { configuration in
                    guard case .silence = fault else { return }
                    configuration.caches.resultStoreTimeout = .milliseconds(50)
                }
            ) { test async throws in
                for width in 1...4 { #expect(try await Self.layer(test, "w:\(width)") != nil) }
                #expect(test.metric(Self.paused) == 1)
                let unavailable = #"kf_shared_storage_total{level="store",outcome="unavailable"}"#
                #expect(test.metric(unavailable) == 4)
            }
            #expect(s3.requests.isEmpty)
        }
    }

    @Test("Without the permission to list, a missing object is no failure")
    func unlisted() async throws {
        try await FakeS3.run { s3 in
            s3.fault = .status(.forbidden, code: "AccessDenied")
            try await Self.machine(s3, Self.transport()) { test async throws in
                for width in 1...4 { _ = try await Self.layer(test, "w:\(width)") }
                #expect(test.metric(Self.paused) == 0)
            }
        }
    }

    @Test(
        "The place of results is a bucket and a prefix",
        arguments: [
            ("s3://bucket", "s3://bucket/"), ("s3://my-bucket.x/a//b", "s3://my-bucket.x/a/b/"),
            ("s3://bucket/", "s3://bucket/"), ("s3://ab", nil), ("s3://Bucket", nil),
            ("s3://bucket/../x", nil), ("s3://bucket?x/", nil), ("https://bucket/x", nil),
            ("s3:///x", nil), ("s3://bucket/a\nb", nil),
        ] as [(String, String?)]
    )
    func places(text: String, expected: String?) {
        #expect(S3Results.Place(text)?.text == expected)
    }

    @Test("A store for results needs a folder")
    func folder() throws {
        let configuration = try ServiceConfiguration(environment: ["KF_RESULT_STORE": "s3://bucket"]
        )
        let error = #expect(throws: ConfigurationError.self) { try configuration.validate() }
        #expect(error?.name == "KF_CACHE_PATH")
    }
}

/// Answers requests for the source, and sends those for the store over the network.
private final class SourceOnce: HTTPTransport {
    private let network = CurlTransport()
    private let sources = AnsweringTransport { _ in .image() }

    var sourceCount: Int { sources.requests.count }

    func start(
        _ request: URLRequest,
        settings: TransferSettings,
        handler: any HTTPTransferHandler
    ) -> any HTTPTransfer {
        let isStore = request.url?.host == "127.0.0.1"
        return isStore
            ? network.start(request, settings: settings, handler: handler)
            : sources.start(request, settings: settings, handler: handler)
    }
}
