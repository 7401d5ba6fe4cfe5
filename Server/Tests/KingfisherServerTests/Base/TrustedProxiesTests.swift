import Foundation
import Testing

@testable import KingfisherServer

struct TrustedProxiesTests {
    @Test(
        "The client is the last address that no trusted proxy has",
        arguments: [
            ("10.0.0.1", ["1.2.3.4"], "1.2.3.4"),
            ("10.0.0.1", ["6.6.6.6, 1.2.3.4, 10.9.9.9"], "1.2.3.4"),
            ("10.0.0.1", ["6.6.6.6", "1.2.3.4", "10.9.9.9,10.0.0.2"], "1.2.3.4"),
            ("::ffff:10.0.0.1", ["1.2.3.4:5678"], "1.2.3.4"),
            ("2001:db8::1", ["[2001:db9::7]:443"], "2001:db9::7"),
            ("2001:db8::1", ["2001:db9::7"], "2001:db9::7"),
            // A stranger's field does not count, nor does what stands before nonsense.
            ("9.9.9.9", ["1.2.3.4"], "9.9.9.9"), ("10.0.0.1", [], "10.0.0.1"),
            ("10.0.0.1", ["1.2.3.4, unknown"], "10.0.0.1"), ("10.0.0.1", [""], "10.0.0.1"),
            ("10.0.0.1", ["1.2.3.4, x, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ]
    )
    func client(peer: String, forwarded: [String], expected: String) throws {
        let proxies = try #require(TrustedProxies(["10.0.0.0/8", "2001:db8::/32"]))
        #expect(proxies.client(of: peer, forwarded) == expected)
        #expect(TrustedProxies().client(of: peer, forwarded) == peer)
    }

    @Test("A client of a Unix socket is known only by a trusted field")
    func sockets() throws {
        #expect(TrustedProxies().client(of: nil, ["1.2.3.4"]) == nil)
        let proxies = try #require(TrustedProxies(["unix"]))
        #expect(proxies.client(of: nil, ["6.6.6.6, 1.2.3.4"]) == "1.2.3.4")
        #expect(proxies.client(of: "9.9.9.9", ["1.2.3.4"]) == "9.9.9.9")
    }

    @Test("Networks may end within a byte, and malformed ones are refused")
    func networks() throws {
        let proxies = try #require(TrustedProxies(["10.128.0.0/9", "0.0.0.0/0"]))
        #expect(proxies.client(of: "10.200.0.1", ["1.1.1.1"]) == "1.1.1.1")
        let narrow = try #require(TrustedProxies(["10.128.0.0/9"]))
        #expect(narrow.client(of: "10.127.0.1", ["1.1.1.1"]) == "10.127.0.1")
        for text in ["", "host", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "::1/129", "10.0.0/8"] {
            #expect(TrustedProxies([text]) == nil, "\(text)")
            #expect(throws: ConfigurationError.self) {
                try ServiceConfiguration(environment: ["KF_TRUSTED_PROXIES": "\(text),x"])
            }
        }
        let list = "10.0.0.0/8,unix"
        let configuration = try ServiceConfiguration(environment: ["KF_TRUSTED_PROXIES": list])
        #expect(configuration.summary.contains("KF_TRUSTED_PROXIES=\(list)\n"))
    }

    @Test("The log has the address of the client behind a trusted proxy")
    func log() async throws {
        for proxies in [[], ["127.0.0.0/8"]] {
            let change: (inout ServiceConfiguration) -> Void = { configuration in
                configuration.connections.trustedProxies = TrustedProxies(proxies) ?? .init()
            }
            try await TestService.run(change) { test async throws in
                _ = try await test.request("/_/", ["X-Forwarded-For": "6.6.6.6, 1.2.3.4"])
                test.handler.flush()
                let client = proxies.isEmpty ? "127.0.0.1" : "1.2.3.4"
                #expect(test.log.text.contains("client=\(client) "), "\(test.log.text)")
            }
        }
    }
}
