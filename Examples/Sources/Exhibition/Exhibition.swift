public import Foundation
public import Kingfisher
import KingfisherTesting
import Synchronization

/// The images that the examples load, on a server inside their own process.
public final class Exhibition: Sendable {
    /// The authorization that a request for `/private.jpg` must carry.
    public static let token = "Bearer open-sesame"

    private let server: LoopbackServer
    private static let failures = Mutex<[String: Int]>([:])

    /// Starts the server on a free port of the loopback interface.
    public init() throws {
        let photo = ScriptedPicture.gradient(from: .blue, to: .yellow, width: 640, height: 480)
        let jpeg = photo.data(as: .jpeg)
        let basic = "Basic " + Data("anna:secret".utf8).base64EncodedString()
        server = try LoopbackServer { path, headers in
            switch path {
            case "/private.jpg" where headers["authorization"] != Self.token:
                return LoopbackServer.Answer(status: 403)
            case "/members.jpg" where headers["authorization"] != basic:
                var answer = LoopbackServer.Answer(status: 401)
                answer.headers["WWW-Authenticate"] = "Basic realm=\"members\""
                return answer
            case "/moved.jpg":
                var answer = LoopbackServer.Answer(status: 302)
                answer.headers["Location"] = "/photo.jpg"
                return answer
            case "/flaky.jpg" where Self.fails(path, times: 2):
                return LoopbackServer.Answer(status: 503)
            case "/missing.jpg":
                return nil
            default:
                return LoopbackServer.Answer(body: jpeg)
            }
        }
    }

    /// The URL of an image.
    ///
    /// `/photo.jpg` and most other paths have an image, `/missing.jpg` has none, `/flaky.jpg` fails
    /// twice, `/moved.jpg` redirects, `/private.jpg` requires ``token``, and `/members.jpg`
    /// requires the password "secret" of the user "anna".
    public func url(_ path: String) -> URL {
        guard let url = URL(string: server.url(path)) else {
            preconditionFailure("\(path) is not a path")
        }
        return url
    }

    /// The requested paths, in order.
    public var requests: [String] { server.requests }

    private static func fails(_ path: String, times: Int) -> Bool {
        failures.withLock { failures in
            failures[path, default: 0] += 1
            return failures[path, default: 0] <= times
        }
    }
}

/// Prints whether a statement holds; exits with an error if it does not.
public func check(_ isSo: Bool, _ what: String) {
    print(isSo ? "  yes: \(what)" : "   NO: \(what)")
    if !isSo { exit(1) }
}

/// A new, empty cache that is removed when the example exits.
public func temporaryCache() throws -> ImageCache {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("kingfisher-example-\(UUID().uuidString)", isDirectory: true)
    atExit { try? FileManager.default.removeItem(at: folder) }
    return try ImageCache(name: "example", cacheDirectoryURL: folder)
}

private let atExitWork = Mutex<[@Sendable () -> Void]>([])

/// Runs work when the process exits.
private func atExit(_ work: @escaping @Sendable () -> Void) {
    let isFirst = atExitWork.withLock { list in
        defer { list.append(work) }
        return list.isEmpty
    }
    guard isFirst else { return }
    atexit {
        for work in atExitWork.withLock({ $0 }) { work() }
    }
}
