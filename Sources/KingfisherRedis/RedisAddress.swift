#if Redis
import Foundation

/// A failure of a Redis server or of the connection to it.
public struct RedisError: Error, Equatable, CustomStringConvertible {
    /// The reason as a sentence, without passwords.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// The parts of a URL such as `redis://user:password@host:6379/0`.
struct RedisAddress: Sendable, Hashable {
    enum Endpoint: Sendable, Hashable {
        case host(String, port: UInt16, isEncrypted: Bool)
        case path(String)
    }

    private(set) var endpoint: Endpoint
    var user: String?
    var password: String?
    var database = 0

    /// Parses a URL.
    ///
    /// - Parameter text: `redis://`, `rediss://` for TLS, or `unix://` with a path and an optional
    ///   `?db=`.
    /// - Throws: ``RedisError`` with the part that is wrong.
    init(_ text: String) throws(RedisError) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased()
        else { throw RedisError("The address of Redis is no URL. Use redis://host:6379/0.") }
        user = parts.user.flatMap { $0.isEmpty ? nil : $0 }
        password = parts.password
        let number: String?
        switch scheme {
        case "redis", "rediss":
            let host = (parts.host ?? "").trimmingCharacters(in: ["[", "]"])
            guard !host.isEmpty, let port = UInt16(exactly: parts.port ?? 6379), port > 0 else {
                throw RedisError("The address of Redis needs a host, and a port below 65,536.")
            }
            endpoint = .host(host, port: port, isEncrypted: scheme == "rediss")
            number = parts.path.split(separator: "/").first.map(String.init)
        case "unix":
            guard parts.path.hasPrefix("/"), parts.path.utf8.count < 108 else {
                throw RedisError("The path of a socket is absolute and has at most 107 bytes.")
            }
            endpoint = .path(parts.path)
            number = parts.queryItems?.first { $0.name == "db" }?.value
        default:
            throw RedisError(
                "Redis cannot be reached by \(scheme)://. Use redis://, rediss:// or unix://."
            )
        }
        guard let number else { return }
        guard let database = UInt16(number) else {
            throw RedisError("The database of Redis is a number, as in redis://host:6379/0.")
        }
        self.database = Int(database)
    }

    /// Parses the addresses of servers of one cluster, separated by commas.
    ///
    /// - Throws: ``RedisError`` with the part that is wrong.
    static func list(_ text: String) throws(RedisError) -> [RedisAddress] {
        var addresses: [RedisAddress] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            addresses.append(try RedisAddress(part.trimmingCharacters(in: .whitespaces)))
        }
        return addresses
    }

    /// Another server of the cluster, which is reached in the same way.
    ///
    /// - Parameters:
    ///   - host: Its name; empty for that of this server.
    ///   - port: Its port.
    /// - Returns: The address; nil for a port that does not exist, and without a host.
    func at(_ host: String, port: Int) -> RedisAddress? {
        var (own, isEncrypted) = ("", false)
        if case .host(let name, _, let encrypted) = endpoint {
            (own, isEncrypted) = (name, encrypted)
        }
        guard let port = UInt16(exactly: port), port > 0, !(host.isEmpty && own.isEmpty) else {
            return nil
        }
        var address = self
        let name = host.isEmpty ? own : host
        address.endpoint = .host(name, port: port, isEncrypted: isEncrypted)
        return address
    }

    /// The commands that begin a connection.
    var greeting: [[Data]] {
        var commands: [[Data]] = []
        if let password {
            let words = ["AUTH"] + (user.map { [$0, password] } ?? [password])
            commands.append(words.map { Data($0.utf8) })
        }
        if database != 0 { commands.append([Data("SELECT".utf8), Data("\(database)".utf8)]) }
        return commands
    }

    /// The server without the password.
    var name: String {
        switch endpoint {
        case .host(let host, let port, _): "\(host):\(port)"
        case .path(let path): path
        }
    }
}
#endif
