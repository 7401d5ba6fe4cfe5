// Images that require a password: the responder, and a wrong password.
import Exhibition
import Foundation
import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Knows one name and its password.
final class Keyring: AuthenticationChallengeResponsible {
    let password: String

    init(password: String) { self.password = password }

    func downloader(
        _ downloader: ImageDownloader,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        guard challenge.previousFailureCount == 0 else {
            return (.cancelAuthenticationChallenge, nil)
        }
        print("       asked for \(challenge.protectionSpace.realm ?? "a password")")
        let credential = URLCredential(user: "anna", password: password, persistence: .none)
        return (.useCredential, credential)
    }
}

@main
struct Authentication {
    static func main() async throws {
        let exhibition = try Exhibition()
        let downloader = ImageDownloader(name: "members")
        let manager = KingfisherManager(downloader: downloader, cache: try temporaryCache())
        let url = exhibition.url("/members.jpg")

        do {
            _ = try await manager.retrieveImage(with: url)
            check(false, "without a password the load fails")
        } catch let error as KingfisherError {
            check(error.isInvalidResponseStatusCode(401), error.localizedDescription)
        }

        // The downloader holds its responder weakly.
        let keyring = Keyring(password: "secret")
        downloader.authenticationChallengeResponder = keyring
        let result = try await manager.retrieveImage(with: url)
        check(result.image.size.width == 640, "the right password gives the image")

        let wrong = Keyring(password: "guess")
        downloader.authenticationChallengeResponder = wrong
        do {
            _ = try await manager.retrieveImage(with: url, options: [.forceRefresh])
            check(false, "a wrong password fails")
        } catch {
            check(true, "a wrong password fails: \(error.localizedDescription)")
        }
        withExtendedLifetime((keyring, wrong)) {}
    }
}
