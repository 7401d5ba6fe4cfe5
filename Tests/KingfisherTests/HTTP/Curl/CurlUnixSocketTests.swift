import Foundation
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Servers behind Unix domain sockets.
@Suite(.timeLimit(.minutes(1)))
struct CurlUnixSocketTests {
    private let folder: TemporaryDirectory
    private let transport = CurlTransport()

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func settings(_ name: String) -> TransferSettings {
        var settings = TransferSettings.patient
        settings.unixSocketPath = folder.file(name).path
        return settings
    }

    private func server(_ name: String) throws -> ImageServer {
        let server = try ImageServer(socketPath: folder.file(name).path)
        server.fallback { .text("\(name) \($0.target)") }
        return server
    }

    @Test func `each socket has its own connections, which are used again`() async throws {
        let servers = try ["one", "two"].map(server)
        let url = try #require(URL(string: "http://daemon/a?b"))
        for _ in 0..<3 {
            for name in ["one", "two"] {
                let outcome = await transport.load(url, settings: settings(name))
                #expect(outcome.error == nil)
                #expect(outcome.hasBody(Data("\(name) /a?b".utf8)))
            }
        }
        #expect(servers.map(\.connectionCount) == [1, 1])
        #expect(servers[0].requests.first?.value(for: "Host") == "daemon")
    }

    @Test func `requests to different sockets share no download`() throws {
        let request = URLRequest(url: try #require(URL(string: "http://daemon/a")))
        let (one, two) = (settings("one"), settings("two"))
        let identity = RequestIdentity(request, settings: one)
        #expect(identity == RequestIdentity(request, settings: one))
        #expect(identity != RequestIdentity(request, settings: two))
        #expect(identity != RequestIdentity(request, settings: .patient))
        let keys = [one, two, .patient].map {
            RequestIdentity(request, settings: $0).resumptionKey
        }
        #expect(Set(keys).count == 3)
    }

    @Test func `a policy of addresses refuses a socket`() async throws {
        let server = try server("one")
        var settings = settings("one")
        settings.addressPolicy = .publicOnly
        let url = try #require(URL(string: "http://daemon/a"))
        guard case .addressRefused = await transport.load(url, settings: settings).error else {
            Issue.record("not refused")
            return
        }
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: ["", "missing", String(repeating: "x", count: 200)])
    func `a socket that cannot be used is an error`(name: String) async throws {
        var settings = settings(name)
        if name.isEmpty { settings.unixSocketPath = "" }
        let url = try #require(URL(string: "http://daemon/a"))
        switch await transport.load(url, settings: settings).error {
        case .cannotConnect, .invalidRequest: break
        case let error: Issue.record("\(String(describing: error))")
        }
    }
}
