import Foundation
import Kingfisher
import KingfisherTesting
import Synchronization
import Testing

@testable import KingfisherServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What belongs to the names of results and sources in the caches, and to entity tags.
@Suite(.timeLimit(.minutes(2)))
struct IdentityTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent(UUID().uuidString)

    /// Values of fields that no configuration names.
    private static let fields: [(String, [String])] = [
        ("CDN-Loop", ["a", "b; v=1", "kf-serve", "kf-serve, kf-serve", "c, kf-serve"]),
        ("Accept", ["image/webp", "image/avif,*/*"]), ("Accept-Language", ["de", "en;q=0.5"]),
        ("Accept-Encoding", ["gzip", "br"]), ("Cookie", ["a=1", "a=2"]),
        ("User-Agent", ["one", "two"]), ("Referer", ["http://a/", "http://b/"]),
        ("Origin", ["http://a", "http://b"]), ("Authorization", ["Bearer a", "Basic b"]),
        ("Via", ["1.1 a", "1.1 b"]), ("Forwarded", ["for=1.2.3.4", "for=5.6.7.8"]),
        ("X-Forwarded-For", ["1.2.3.4", "5.6.7.8"]), ("X-Forwarded-Host", ["a", "b"]),
        ("X-Request-ID", ["a", "b"]), ("Cache-Control", ["no-cache", "max-age=0"]),
        ("Pragma", ["no-cache", "x"]), ("Range", ["bytes=0-1", "bytes=5-"]),
        ("DPR", ["1", "2"]), ("Width", ["100", "200"]), ("Sec-CH-Width", ["100", "200"]),
        ("Sec-CH-DPR", ["1", "2"]), ("Save-Data", ["on", "off"]), ("X-Anything", ["1", "2"]),
        ("If-None-Match", [#""a""#, #""b""#]), ("If-Match", [#""a""#, "*"]),
        ("Sec-Fetch-Site", ["same-origin", "none"]), ("TE", ["trailers", "gzip"]),
    ]

    @Test("Whatever values a field has that is not configured, the source is asked once")
    func unconfiguredFields() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let transport = FakeTransport()
        transport.answerOthers(with: .data(ImageServiceTests.png, type: "image/png"))
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.caches.path = folder.path
            configuration.responses.setsDebugFields = true
        }
        try await TestService.run(change, transport: transport) { test async throws in
            let url = path(HostileClientTests.source.absoluteString, "w:10")
            #expect(try await test.request(url).status == 200)
            await test.service.settle()
            let size = test.metric("kf_result_memory_bytes")
            for (name, values) in Self.fields {
                for value in values {
                    let reply = try await test.request(url, [name: value])
                    #expect(reply.fields["x-cache"] == "memory", "\(name): \(value)")
                }
            }
            #expect(test.metric("kf_result_memory_bytes") == size)
            // Another size needs the source again, which is kept under one name too.
            for (name, values) in Self.fields {
                for (width, value) in values.enumerated() {
                    let other = path(HostileClientTests.source.absoluteString, "w:\(width + 11)")
                    #expect(try await test.request(other, [name: value]).status == 200)
                }
            }
        }
        #expect(transport.transfers.count == 1)
    }

    @Test("Fields that are passed on are no part of the names of files")
    func passedFields() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try ImageServiceTests.png.write(to: folder.appending(path: "a.png"))
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.sources.localRoot = folder.path
            configuration.sources.requestHeaders = ["x-tenant"]
            configuration.responses.setsDebugFields = true
            configuration.operation.adminToken = "token"
        }
        try await TestService.run(change) { test async throws in
            let url = "/_/w:10/plain/local:///a.png"
            let token = ["Authorization": "Bearer token"]
            for _ in 0..<2 {
                for (tenant, layer) in [("a", "none"), ("b", "memory")] {
                    let reply = try await test.request(url, ["X-Tenant": tenant])
                    #expect(reply.fields["x-cache"] == layer)
                }
                #expect(try await test.request(url, method: "DELETE", token).status == 204)
            }
        }
    }

    @Test("A wrong signature that is no part of the source's name does not refuse the right one")
    func signatures() async throws {
        let transport = AnsweringTransport { request in
            request.url?.query == "sig=right" ? .image() : .status(403)
        }
        let change: (inout ServiceConfiguration) -> Void = {
            $0.sources.ignoredQueryItems = ["sig"]
        }
        try await TestService.run(change, transport: transport) { test async throws in
            for (signature, status) in [("wrong", 404), ("wrong", 404), ("right", 200)] {
                let source = "\(HostileClientTests.source.absoluteString)%3Fsig=\(signature)"
                #expect(try await test.request("/_/w:10/plain/\(source)").status == status)
            }
        }
        #expect(transport.requests.count == 2)
    }

    @Test("A request does not share the failure of a wrong signature", arguments: [true, false])
    func sharedFailures(isOnDisk: Bool) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let transport = FakeTransport()
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.sources.ignoredQueryItems = ["sig"]
            if isOnDisk { configuration.caches.path = folder.path }
        }
        try await TestService.run(change, transport: transport) { test async throws in
            var clients: [RawClient] = []
            for signature in ["wrong", "right"] {
                let source = "\(HostileClientTests.source.absoluteString)%3Fsig=\(signature)"
                clients.append(try test.connect())
                clients[clients.count - 1].send("/_/w:10/plain/\(source)")
                await transport.started(1)
            }
            // The second one waits for the first one's result by then.
            for _ in 0..<20_000 { try await pause() }
            let wrong = try transport.transfer(0)
            wrong.respond(403) { disposition in
                guard case .reject(let reason) = disposition else { return }
                wrong.finish(.rejected(reason: reason, url: HostileClientTests.source))
            }
            await transport.started(2)
            try transport.transfer(1).complete(ImageServiceTests.png)
            #expect(try await clients[0].reply().status == 404)
            #expect(try await clients[1].reply().status == 200)
        }
    }

    @Test("Right signatures that are no part of the source's name share a download")
    func sharedSignatures() async throws {
        let transport = FakeTransport()
        let change: (inout ServiceConfiguration) -> Void = {
            $0.sources.ignoredQueryItems = ["sig"]
        }
        try await TestService.run(change, transport: transport) { test async throws in
            let clients = try ["a", "b"].map { signature in
                let source = "\(HostileClientTests.source.absoluteString)%3Fsig=\(signature)"
                let client = try test.connect()
                client.send("/_/w:10/plain/\(source)")
                return client
            }
            await transport.started(1)
            for _ in 0..<20_000 { try await pause() }
            try transport.transfer(0).complete(ImageServiceTests.png)
            for client in clients { #expect(try await client.reply().status == 200) }
            #expect(transport.requests.count == 1)
        }
    }

    @Test("Passed credentials are part of the names, and are sent under their own")
    func credentials() async throws {
        let transport = AnsweringTransport { _ in .image() }
        let change: (inout ServiceConfiguration) -> Void = {
            $0.sources.requestHeaders = ["authorization", "kf-authorization"]
        }
        try await TestService.run(change, transport: transport) { test async throws in
            for (width, value, count) in [(5, "Basic a", 1), (6, "Basic a", 1), (6, "Basic b", 2)] {
                let url = path(HostileClientTests.source.absoluteString, "w:\(width)")
                let fields = ["Authorization": value, "KF-Authorization": "forged"]
                #expect(try await test.request(url, fields).status == 200)
                #expect(transport.requests.count == count)
                let sent = transport.requests.last
                #expect(sent?.value(forHTTPHeaderField: "Authorization") == value)
                #expect(sent?.value(forHTTPHeaderField: "KF-Authorization") == nil)
            }
        }
    }

    @Test("Requests that have passed other services share a download")
    func loops() async throws {
        let transport = FakeTransport()
        try await TestService.run(transport: transport) { test async throws in
            let values = ["", "a", "b, c", "kf-serve", "kf-serve, kf-serve"]
            let clients = try values.enumerated().map { width, value in
                let client = try test.connect()
                let url = path(HostileClientTests.source.absoluteString, "w:\(width + 1)")
                client.send(url, ["CDN-Loop": value])
                return client
            }
            while test.metric("kf_source_waits_total") != 5 { try await pause() }
            await transport.started(1)
            try transport.transfer(0).complete(ImageServiceTests.png)
            for client in clients { #expect(try await client.reply().status == 200) }
        }
        #expect(transport.transfers.count == 1)
    }

    @Test("A removal by way of another service removes the result")
    func removalBehindCDN() async throws {
        let transport = FakeTransport()
        transport.answerOthers(with: .data(ImageServiceTests.png, type: "image/png"))
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.operation.adminToken = "token"
            configuration.responses.setsDebugFields = true
        }
        try await TestService.run(change, transport: transport) { test async throws in
            let url = path(HostileClientTests.source.absoluteString, "w:10")
            for (loop, removal) in [("cdn", ""), ("", "cdn")] {
                _ = try await test.request(url, ["CDN-Loop": loop])
                let fields = ["CDN-Loop": removal, "Authorization": "Bearer token"]
                #expect(try await test.request(url, method: "DELETE", fields).status == 204)
                #expect(try await test.request(url).fields["x-cache"] == "none")
            }
        }
    }

    @Test("Caches between the service and the source get no permission for stale responses")
    func staleness() async throws {
        let transport = FakeTransport()
        transport.answerOthers(with: .data(ImageServiceTests.png, type: "image/png"))
        try await TestService.run(transport: transport) { test async throws in
            _ = try await test.request(path(HostileClientTests.source.absoluteString, "w:10"))
        }
        let sent = try #require(transport.requests.first)
        #expect(sent.value(forHTTPHeaderField: "Cache-Control") == nil)
        #expect(sent.value(forHTTPHeaderField: "CDN-Loop") == "kf-serve")
    }

    @Test("A watermark whose content has changed changes the entity tag")
    func watermarks() async throws {
        let found = Tags()
        let mark = try #require(URL(string: "http://images.example/mark.png"))
        let source = HostileClientTests.source
        for colour in [KFCrossPlatformColor.red, .green] {
            let file = ScriptedPicture.gradient(from: colour, to: colour, width: 8, height: 8)
            let transport = FakeTransport()
            transport.answer(source, with: .data(ImageServiceTests.png, type: "image/png"))
            transport.answer(mark, with: .data(file.data(), type: "image/png"))
            let change: (inout ServiceConfiguration) -> Void = {
                $0.processing.watermarkURL = mark
            }
            try await TestService.run(change, transport: transport) { test async throws in
                let reply = try await test.request(path(source.absoluteString, "w:50/wm:1"))
                found.add(reply.fields["etag"])
            }
        }
        #expect(found.all.count == 2)
    }

    @Test("A removal also forgets the watermark, so that the next result has its new content")
    func removedWatermark() async throws {
        let transport = FakeTransport()
        transport.answerOthers(with: .data(ImageServiceTests.png, type: "image/png"))
        let named = try #require(URL(string: "http://images.example/mark.png"))
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.processing.watermarkURL = named
            configuration.operation.adminToken = "token"
        }
        try await TestService.run(change, transport: transport) { test async throws in
            let url = path(HostileClientTests.source.absoluteString, "w:50/wm:1")
            _ = try await test.request(url)
            let token = ["Authorization": "Bearer token"]
            #expect(try await test.request(url, method: "DELETE", token).status == 204)
            _ = try await test.request(url)
        }
        #expect(transport.requests.count { $0.url == named } == 2)
    }

    @Test("The buster changes the tags of results that are in the cache")
    func buster() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let transport = FakeTransport()
        transport.answerOthers(with: .data(ImageServiceTests.png, type: "image/png"))
        let url = path(HostileClientTests.source.absoluteString, "w:10")
        let found = Tags()
        for (buster, origin) in [("", "none"), ("2", "disk"), ("3", "disk")] {
            let change: (inout ServiceConfiguration) -> Void = { configuration in
                configuration.caches.path = folder.path
                configuration.responses.setsDebugFields = true
                configuration.responses.etagBuster = buster
            }
            try await TestService.run(change, transport: transport) { test async throws in
                let known = found.last.map { ["If-None-Match": $0] } ?? [:]
                let reply = try await test.request(url, known)
                #expect(reply.status == 200)
                #expect(reply.fields["x-cache"] == origin)
                found.add(reply.fields["etag"])
                let own = try #require(reply.fields["etag"])
                let again = try test.connect()
                again.send(url, ["If-None-Match": own])
                #expect(try await again.reply().status == 304)
                await test.service.settle()
            }
        }
        #expect(found.all.count == 3)
    }

    @Test("Services with different folders of local sources share no results")
    func roots() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let found = Tags()
        for name in ["one", "two"] {
            let root = folder.appending(path: name)
            try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
            let width = name == "one" ? 10 : 20
            let file = ScriptedPicture.gradient(from: .red, to: .blue, width: width, height: 5)
            try file.data().write(to: root.appending(path: "a.png"))
            let change: (inout ServiceConfiguration) -> Void = { configuration in
                configuration.caches.path = folder.appending(path: "cache").path
                configuration.sources.localRoot = root.path
                configuration.responses.setsDebugFields = true
            }
            try await TestService.run(change) { test async throws in
                let reply = try await test.request("/unsafe/plain/local:///a.png")
                #expect(reply.fields["x-result-width"] == "\(width)")
                found.add(reply.fields["etag"])
                await test.service.settle()
            }
        }
        #expect(found.all.count == 2)
    }

    @Test("Services with different S3 endpoints share neither sources nor results")
    func endpoints() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for (host, width) in [("one", 10), ("two", 20)] {
            let file = ScriptedPicture.gradient(from: .red, to: .blue, width: width, height: 5)
            let transport = FakeTransport()
            transport.answerOthers(with: .data(file.data(), type: "image/png"))
            let change: (inout ServiceConfiguration) -> Void = { configuration in
                configuration.caches.path = folder.path
                configuration.stores.usesS3 = true
                configuration.stores.s3Endpoint = URL(string: "http://\(host).example")
                (configuration.stores.s3AccessKey, configuration.stores.s3SecretKey) = ("a", "b")
                configuration.responses.setsDebugFields = true
            }
            try await TestService.run(change, transport: transport) { test async throws in
                for options in ["bl:0", "q:50"] {
                    let reply = try await test.request("/unsafe/\(options)/plain/s3://b/a.png")
                    #expect(reply.fields["x-result-width"] == "\(width)")
                    await test.service.settle()
                }
            }
            #expect(transport.transfers.count == 1)
        }
    }

    @Test("Every property of the configuration is a variable, which says what it decides about")
    func properties() {
        let configuration = ServiceConfiguration()
        let groups: [(Any, [ConfigurationEntry])] = [
            (configuration.connections, ServiceConfiguration.Connections.entries),
            (configuration.urls, ServiceConfiguration.URLs.entries),
            (configuration.sources, ServiceConfiguration.Sources.entries),
            (configuration.stores, ServiceConfiguration.Stores.entries),
            (configuration.processing, ServiceConfiguration.Processing.entries),
            (configuration.negotiation, ServiceConfiguration.Negotiation.entries),
            (configuration.responses, ServiceConfiguration.Responses.entries),
            (configuration.caches, ServiceConfiguration.Caches.entries),
            (configuration.operation, ServiceConfiguration.Operation.entries),
            (configuration.telemetry, ServiceConfiguration.Telemetry.entries),
        ]
        #expect(Mirror(reflecting: configuration).children.count == groups.count)
        for (group, entries) in groups {
            let names = Mirror(reflecting: group).children.compactMap(\.label)
            #expect(names.count == entries.count, "\(type(of: group)): \(names)")
        }
        let all = groups.reduce(0) { $0 + $1.1.count }
        #expect(all == ServiceConfiguration.entries.count)
    }

    @Test("A setting that selects bytes is part of the keys, and no other one is")
    func settings() throws {
        let usual = ServiceConfiguration()
        for (name, value) in [
            ("IMGPROXY_QUALITY", "50"), ("IMGPROXY_LOCAL_FILESYSTEM_ROOT", "/a"),
            ("IMGPROXY_S3_ENDPOINT", "http://a"), ("IMGPROXY_USER_AGENT", "b"),
            ("IMGPROXY_TTL", "5"), ("IMGPROXY_ETAG_BUSTER", "x"), ("IMGPROXY_BIND", ":1"),
        ] {
            let entry = try #require(ServiceConfiguration.entriesByName[name])
            let changed = try ServiceConfiguration(environment: [name: value])
            for effects in [[.sources], [.results, .sources]] as [Set<ConfigurationEntry.Effect>] {
                let isEqual =
                    CacheKeys.variant(of: changed, effects) == CacheKeys.variant(of: usual, effects)
                #expect(isEqual == !effects.contains(entry.effect), "\(name) \(effects)")
            }
        }
    }
}

/// Entity tags that tests find.
private final class Tags: Sendable {
    private let state = Mutex<[String]>([])

    var all: Set<String> { Set(state.withLock { $0 }) }
    var last: String? { state.withLock { $0.last } }

    func add(_ tag: String?) { if let tag { state.withLock { $0.append(tag) } } }
}
