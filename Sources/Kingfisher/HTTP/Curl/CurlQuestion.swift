import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A question to the handler.
enum CurlQuestion {
    case redirect(TransferResponse, next: URLRequest)
    case challenge(TransferChallenge)
    case response(TransferResponse)
    case trust(ServerTrust)

    /// The response that the question is about; nil before there is one.
    var response: TransferResponse? {
        switch self {
        case .redirect(let response, _), .response(let response): response
        case .challenge(let challenge): challenge.response
        case .trust: nil
        }
    }
}

/// Receives one reply: returned to the loop directly if given during the question, posted
/// otherwise.
final class CurlReply: Sendable {
    private enum State {
        case asking
        case answered(CurlAnswer)
        case waiting
        case done
    }

    private let state = Mutex(State.asking)
    private let transfer: CurlTransfer
    private let number: Int

    init(transfer: CurlTransfer, number: Int) {
        self.transfer = transfer
        self.number = number
    }

    func give(_ answer: CurlAnswer) {
        let late = state.withLock { state in
            switch state {
            case .asking:
                state = .answered(answer)
                return false
            case .waiting:
                state = .done
                return true
            case .answered, .done:
                return false
            }
        }
        if late { transfer.post(answer, to: number) }
    }

    /// The reply if it was given during the question; a later one is posted.
    func takeOrWait() -> CurlAnswer? {
        state.withLock { state in
            guard case .answered(let answer) = state else {
                state = .waiting
                return nil
            }
            state = .done
            return answer
        }
    }
}

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
