import Foundation

extension TransferChallenge {
    /// Parses the challenge of a 401; `nil` if it offers no scheme that the transport supports.
    init?(_ response: TransferResponse, previousFailureCount: Int) {
        guard response.statusCode == 401, let host = response.url.host else { return nil }
        let offers = response.values(for: "WWW-Authenticate")
        func offer(of scheme: Scheme) -> String? {
            // A field may contain several challenges: look for the scheme at the start and after
            // commas.
            offers.first { offer in
                offer.split(separator: ",").contains {
                    $0.drop { $0 == " " }.lowercased().hasPrefix(scheme.rawValue.lowercased())
                }
            }
        }
        let digest = offer(of: .digest)
        guard let chosen = digest ?? offer(of: .basic) else { return nil }
        self.init(
            host: host,
            port: response.url.effectivePort,
            urlScheme: response.url.scheme?.lowercased() ?? "",
            scheme: digest == nil ? .basic : .digest,
            realm: Self.realm(in: chosen),
            previousFailureCount: previousFailureCount,
            response: response
        )
    }

    private static func realm(in offer: String) -> String? {
        guard let start = offer.range(of: "realm=\"", options: .caseInsensitive) else { return nil }
        return String(offer[start.upperBound...].prefix { $0 != "\"" })
    }
}
