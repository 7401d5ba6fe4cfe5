import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSessionConfiguration {
    /// The limit for a whole transfer; nil for Foundation's default of seven days.
    var totalTimeout: Duration? {
        let limit = timeoutIntervalForResource
        guard limit.isFinite, limit > 0, limit < 7 * 86_400 else { return nil }
        return .seconds(limit)
    }

    /// The limit of connections to one host; nil for Foundation's default.
    var changedConnectionsPerHost: Int? {
        let limit = httpMaximumConnectionsPerHost
        return limit == Self.defaultConnectionsPerHost ? nil : limit
    }

    private static let defaultConnectionsPerHost =
        URLSessionConfiguration.ephemeral.httpMaximumConnectionsPerHost

    /// The names of the properties that are set but have no effect on Linux.
    var ignoredProperties: [String] {
        let usual = URLSessionConfiguration.ephemeral
        var names: [String] = []
        if connectionProxyDictionary?.isEmpty == false { names.append("connectionProxyDictionary") }
        if httpCookieStorage?.cookies?.isEmpty == false { names.append("httpCookieStorage") }
        if httpShouldSetCookies != usual.httpShouldSetCookies {
            names.append("httpShouldSetCookies")
        }
        if urlCredentialStorage?.allCredentials.isEmpty == false {
            names.append("urlCredentialStorage")
        }
        if allowsCellularAccess != usual.allowsCellularAccess {
            names.append("allowsCellularAccess")
        }
        if timeoutIntervalForRequest != usual.timeoutIntervalForRequest {
            names.append("timeoutIntervalForRequest")
        }
        return names
    }

    private static let logged = Mutex<Set<String>>([])

    /// Logs each ignored property once per process.
    func logIgnoredProperties() {
        for name in ignoredProperties
        where Self.logged.withLock({ $0.insert(name).inserted }) {
            Log.warning(
                "sessionConfiguration.\(name) has no effect on Linux; see its documentation",
                key: "ImageDownloader"
            )
        }
    }
}
