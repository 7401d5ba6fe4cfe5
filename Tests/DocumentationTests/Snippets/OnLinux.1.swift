// Made from Sources/Kingfisher/Kingfisher.docc/OnLinux.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

final class Pins: AuthenticationChallengeResponsible {
    /// SHA-256 of the public keys that the chain may have, the server's or an intermediate's.
    let keys: Set<Data> = [
        Data(base64Encoded: "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=")!
    ]

    func downloader(
        _ downloader: ImageDownloader,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        let space = challenge.protectionSpace
        guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust,
            let trust = space.serverTrust
        else { return (.performDefaultHandling, nil) }
        return trust.isTrusted(withPublicKeyIn: keys)
            ? (.useCredential, URLCredential(trust: trust)) : (.cancelAuthenticationChallenge, nil)
    }
}
