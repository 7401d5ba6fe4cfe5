import Foundation
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct RequestIdentityTests {
    private let request = URLRequest(url: URL(fileURLWithPath: "/a"))

    private func identity(_ change: (inout TransferSettings) -> Void) -> RequestIdentity {
        var settings = TransferSettings()
        change(&settings)
        return RequestIdentity(request, settings: settings)
    }

    /// A change of each setting, and whether requests then share no response.
    private static let changes:
        [(name: String, isSelecting: Bool, change: @Sendable (inout TransferSettings) -> Void)] = [
            ("connectTimeout", false, { $0.connectTimeout = .seconds(1) }),
            ("idleTimeout", false, { $0.idleTimeout = .seconds(1) }),
            ("minimumSpeed", false, { $0.minimumSpeed = 1 }),
            ("totalTimeout", false, { $0.totalTimeout = .seconds(1) }),
            ("maxBodyBytes", true, { $0.maxBodyBytes = 1 }),
            ("maxBodyBytesInMemory", false, { $0.maxBodyBytesInMemory = 1 }),
            ("maxRedirects", true, { $0.maxRedirects = 1 }),
            ("redirectSchemes", true, { $0.redirectSchemes = ["https"] }),
            ("extraHeaders", true, { $0.extraHeaders = ["A": "b"] }),
            ("headersKeptAcrossOrigins", true, { $0.headersKeptAcrossOrigins = ["a"] }),
            ("maxConnectionsPerHost", false, { $0.maxConnectionsPerHost = 1 }),
            ("priority", false, { $0.priority = 1 }),
            ("unixSocketPath", true, { $0.unixSocketPath = "/s" }),
            ("allowsHTTP3", false, { $0.allowsHTTP3 = true }),
            ("addressPolicy", true, { $0.addressPolicy = .publicOnly }),
            ("trustedHosts", true, { $0.trustedHosts = ["h"] }),
            ("certificateAuthorities", true, { $0.certificateAuthorities = Data([1]) }),
            (
                "clientCertificates", true,
                {
                    $0.clientCertificates["h"] = ClientCertificate(
                        certificate: Data([1]),
                        privateKey: Data([2])
                    )
                }
            ),
            ("trustOwner", true, { $0.trustOwner = 1 }),
            ("allowsConstrainedNetwork", true, { $0.allowsConstrainedNetwork = false }),
        ]

    @Test func `every setting that can select another response separates downloads`() {
        let names = Mirror(reflecting: TransferSettings()).children.compactMap(\.label)
        #expect(Set(names) == Set(Self.changes.map(\.name)), "name new settings here")
        let usual = identity { _ in }
        for (name, isSelecting, change) in Self.changes {
            #expect((identity(change) != usual) == isSelecting, "\(name)")
        }
    }

    @Test func `a part is continued only for the same client and with the same trust`() {
        let parts: Set = [
            "unixSocketPath", "trustedHosts", "certificateAuthorities",
            "clientCertificates", "trustOwner", "extraHeaders",
        ]
        let usual = identity { _ in }.resumptionKey
        for (name, _, change) in Self.changes {
            #expect((identity(change).resumptionKey != usual) == parts.contains(name), "\(name)")
        }
    }
}
