import Foundation
import Kingfisher
import TestSupport
import Testing

/// Proxies from the environment; each test runs in its own process because the environment is
/// global.
@Suite(.timeLimit(.minutes(1)))
struct CurlProxyTests {
    /// A proxy that answers for every host.
    private static func proxy(_ variable: String, user: String = "") throws -> ImageServer {
        let proxy = try ImageServer()
        proxy.fallback { .text("by proxy to \($0.target)") }
        setenv(variable, "http://\(user)127.0.0.1:\(proxy.port)", 1)
        return proxy
    }

    private static func target(_ text: String) -> URL {
        guard let url = URL(string: text) else { preconditionFailure("\(text) is no URL") }
        return url
    }

    @Test(arguments: ["http_proxy", "all_proxy", "ALL_PROXY"])
    func `a proxy of the environment is asked for the whole URL`(variable: String) async {
        await #expect(processExitsWith: .success) { [variable] in
            let proxy = try Self.proxy(variable)
            let url = Self.target("http://pictures.invalid/a.jpg?b=c")
            let outcome = await CurlTransport().load(url)
            precondition(outcome.error == nil, "\(String(describing: outcome.error))")
            precondition(outcome.body == Data("by proxy to \(url.absoluteString)".utf8))
            precondition(proxy.requests.count == 1)
        }
    }

    @Test func `a proxy gets the name and password of its URL`() async {
        await #expect(processExitsWith: .success) {
            let proxy = try Self.proxy("http_proxy", user: "me:pw@")
            _ = await CurlTransport().load(Self.target("http://pictures.invalid/a.jpg"))
            let secret = Data("me:pw".utf8).base64EncodedString()
            let sent = proxy.requests.first?.value(for: "Proxy-Authorization")
            precondition(sent == "Basic \(secret)", "\(String(describing: sent))")
        }
    }

    @Test func `a proxy that is not found, or refuses, is the one that is blamed`() async {
        await #expect(processExitsWith: .success) {
            let proxy = try ImageServer()
            proxy.fallback { _ in .status(403) }
            for (address, words) in [
                ("http://nowhere.invalid:1", "proxy: nowhere.invalid"),
                ("http://127.0.0.1:\(proxy.port)", "status 403"),
                ("http://127.0.0.1:9", "refused (proxy 127.0.0.1:9)"),
            ] {
                setenv("https_proxy", address, 1)
                let outcome = await CurlTransport().load(Self.target("https://pictures.invalid/a"))
                guard case .cannotConnect(host: "pictures.invalid", let reason, _) = outcome.error
                else { preconditionFailure("\(String(describing: outcome.error))") }
                precondition(reason.contains("proxy") && reason.contains(words), reason)
            }
        }
    }

    @Test func `a proxy that refuses is not taken for a server on the same machine`() async {
        await #expect(processExitsWith: .success) {
            let proxy = try ImageServer.freePort()
            setenv("http_proxy", "http://127.0.0.1:\(proxy)", 1)
            let outcome = await CurlTransport().load(Self.target("http://127.0.0.1:8099/a"))
            guard case .cannotConnect(_, let reason, _) = outcome.error else {
                preconditionFailure("\(String(describing: outcome.error))")
            }
            precondition(reason.contains("(proxy 127.0.0.1:\(proxy))"), reason)
        }
    }

    @Test func `a host that needs no proxy is asked itself`() async {
        await #expect(processExitsWith: .success) {
            let proxy = try Self.proxy("http_proxy")
            setenv("no_proxy", "127.0.0.1", 1)
            let server = try ImageServer()
            server.route("/a", .text("direct"))
            let outcome = await CurlTransport().load(server.url("/a"))
            precondition(outcome.body == Data("direct".utf8))
            precondition(proxy.requests.isEmpty)
        }
    }

    @Test func `a guard of addresses uses no proxy, which would connect in its place`() async {
        await #expect(processExitsWith: .success) {
            let proxy = try Self.proxy("http_proxy")
            var settings = TransferSettings.patient
            settings.addressPolicy = .publicOnly
            let server = try ImageServer()
            let outcome = await CurlTransport().load(server.url("/a"), settings: settings)
            guard case .addressRefused = outcome.error else {
                preconditionFailure("\(String(describing: outcome.error))")
            }
            precondition(proxy.requests.isEmpty)
        }
    }
}
