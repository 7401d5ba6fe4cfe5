import Foundation
import Kingfisher
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(1)))
struct CurlAddressGuardTests {
    let server: ImageServer
    let transport = CurlTransport()
    let guarded: TransferSettings

    init() throws {
        server = try ImageServer()
        server.fallback { _ in .text("secret") }
        var settings = TransferSettings.patient
        settings.addressPolicy = .publicOnly
        guarded = settings
    }

    private func expectRefusal(_ outcome: TransferRecorder.Outcome, _ range: AddressRange) {
        guard case .addressRefused(_, range, _) = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost", "127.1", "0x7f000001", "2130706433", "[::1]"])
    func `this machine cannot be reached under any of its names`(host: String) async throws {
        let url = try #require(URL(string: "http://\(host):\(server.port)/"))
        expectRefusal(await transport.load(url, settings: guarded), .loopback)
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: [
        ("10.1.2.3", AddressRange.privateUse), ("169.254.169.254", .linkLocal),
        ("[::ffff:169.254.169.254]", .linkLocal), ("[fd00:ec2::254]", .privateUse),
        ("100.100.100.200", .metadata), ("0.0.0.0", .reserved), ("224.0.0.1", .multicast),
    ])
    func `local networks and metadata services are refused`(
        host: String,
        range: AddressRange
    ) async throws {
        let url = try #require(URL(string: "http://\(host):\(server.port)/"))
        expectRefusal(await transport.load(url, settings: guarded), range)
    }

    @Test func `a connection that another transfer opened is not used either`() async {
        let open = await transport.load(server.url("/a"))
        #expect(open.error == nil)
        expectRefusal(await transport.load(server.url("/a"), settings: guarded), .loopback)
        #expect(server.requests.count == 1)
    }

    @Test func `a redirect is checked like the first request`() async throws {
        // The first server may be reached, the second may not.
        var settings = TransferSettings.patient
        settings.addressPolicy = AddressPolicy(refusing: [.linkLocal])
        server.route("/r", .redirect(to: "http://169.254.169.254/latest/meta-data"))
        let outcome = await transport.load(server.url("/r"), settings: settings)
        expectRefusal(outcome, .linkLocal)
        #expect(outcome.metrics.redirectCount == 1)
    }

    @Test func `a refusal is not taken for a failure that may pass`() async {
        let outcome = await transport.load(server.url("/"), settings: guarded)
        #expect(outcome.error?.isTransient == false)
        #expect(outcome.error?.description.contains("127.0.0.1") == true)
    }
}
