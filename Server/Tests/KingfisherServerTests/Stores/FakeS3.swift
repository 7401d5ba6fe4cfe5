internal import CServerCrypto
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

@testable import KingfisherServer

/// A service with the interface of S3 on a free port of 127.0.0.1, which checks signatures with code
/// of its own.
final class FakeS3: Sendable {
    /// How it misbehaves.
    enum Fault: Sendable {
        /// Every answer has this status, and this code.
        case status(HTTPResponse.Status, code: String)
        /// No answer comes while the test runs.
        case silence
    }

    private struct State {
        var objects: [String: Data] = [:]
        var requests: [String] = []
        var fault: Fault?
        var isStopped = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    static let (access, secret) = ("AKFAKE", "secret/of+S3")

    private let state = Mutex(State())
    private let port: Int

    private init(port: Int) { self.port = port }

    /// The objects by their paths, with the bucket.
    var objects: [String: Data] {
        get { state.withLock { $0.objects } }
        set { state.withLock { $0.objects = newValue } }
    }

    /// The methods and paths of the requests that were signed.
    var requests: [String] { state.withLock { $0.requests } }

    var fault: Fault? {
        get { state.withLock { $0.fault } }
        set { state.withLock { $0.fault = newValue } }
    }

    /// Makes a configuration keep results here, with its own folder.
    func configure(_ configuration: inout ServiceConfiguration, folder: URL) {
        configuration.caches.path = folder.path
        (configuration.caches.sourceSize, configuration.caches.sourceDiskSize) = (0, 0)
        configuration.caches.resultStore = "s3://results/fleet 1/"
        configuration.caches.resultStoreTimeout = .seconds(30)
        configuration.stores.s3Endpoint = URL(string: "http://127.0.0.1:\(port)")
        (configuration.stores.s3AccessKey, configuration.stores.s3SecretKey) = (
            Self.access, Self.secret
        )
        configuration.operation.adminToken = "token"
        configuration.responses.setsDebugFields = true
    }

    // MARK: Serving

    /// Runs it during a test.
    static func run(_ body: @escaping @Sendable (FakeS3) async throws -> Void) async throws {
        let (servers, found) = AsyncStream<FakeS3>.makeStream()
        let current = Mutex<FakeS3?>(nil)
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in
                guard let server = current.withLock({ $0 }) else {
                    return Response(status: .badGateway)
                }
                return try await server.answer(request)
            },
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                let server = FakeS3(port: channel.localAddress?.port ?? 0)
                current.withLock { $0 = server }
                found.yield(server)
            },
            logger: Logger(label: "s3") { _ in SwiftLogNoOpLogHandler() }
        )
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            let group = ServiceGroup(
                services: [application],
                logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() }
            )
            tasks.addTask {
                try await group.run()
                found.finish()
            }
            tasks.addTask {
                for await server in servers {
                    do {
                        try await body(server)
                    } catch {
                        server.stop()
                        await group.triggerGracefulShutdown()
                        throw error
                    }
                    server.stop()
                    await group.triggerGracefulShutdown()
                    return
                }
            }
            try await tasks.waitForAll()
        }
    }

    private func answer(_ request: Request) async throws -> Response {
        let body = Data(try await request.body.collect(upTo: 16 << 20).readableBytesView)
        switch fault {
        case .status(let status, let code): return Self.error(status, code)
        case .silence: await stopped()
        case nil: break
        }
        let path = request.uri.path
        guard Self.isSigned(request, body) else {
            return Self.error(.forbidden, "SignatureDoesNotMatch")
        }
        return state.withLock { state in
            state.requests.append("\(request.method.rawValue) \(path)")
            switch request.method {
            case .get:
                guard let object = state.objects[path] else {
                    return Self.error(.notFound, "NoSuchKey")
                }
                return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(bytes: object)))
            case .put:
                state.objects[path] = body
                return Response(status: .ok)
            case .delete:
                state.objects[path] = nil
                return Response(status: .noContent)
            default: return Self.error(.methodNotAllowed, "MethodNotAllowed")
            }
        }
    }

    /// Returns at the end of the test.
    private func stopped() async {
        await withCheckedContinuation { continuation in
            let isStopped = state.withLock { state in
                if !state.isStopped { state.waiting.append(continuation) }
                return state.isStopped
            }
            if isStopped { continuation.resume() }
        }
    }

    private func stop() {
        let waiting = state.withLock { state in
            state.isStopped = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    private static func error(_ status: HTTPResponse.Status, _ code: String) -> Response {
        let text = "<?xml version=\"1.0\"?><Error><Code>\(code)</Code></Error>"
        return Response(status: status, body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    // MARK: Signatures

    /// Whether a request has the signature of its method, path, host, body and time.
    ///
    /// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
    private static func isSigned(_ request: Request, _ body: Data) -> Bool {
        func field(_ name: String) -> String {
            if name == "host" { return request.head.authority ?? "" }
            return HTTPField.Name(name).flatMap { request.headers[$0] } ?? ""
        }
        let pattern =
            /AWS4-HMAC-SHA256 Credential=(\w+)\/((\d{8})\/us-east-1\/s3\/aws4_request),SignedHeaders=([a-z0-9;-]+),Signature=([0-9a-f]{64})/
        guard let parts = field("authorization").wholeMatch(of: pattern)?.output,
            parts.1 == access, let time = try? Date(stamp(field("x-amz-date")), strategy: .iso8601),
            abs(time.timeIntervalSinceNow) < 900, field("x-amz-date").hasPrefix(parts.3)
        else { return false }
        let names = parts.4.split(separator: ";").map(String.init)
        guard Set(names).isSuperset(of: ["host", "x-amz-date", "x-amz-content-sha256"]),
            names == names.sorted(), field("x-amz-content-sha256") == hex(hash(Array(body)))
        else { return false }
        let canonical =
            [request.method.rawValue, request.uri.path, request.uri.query ?? ""]
            + names.map { "\($0):\(field($0))" } + ["", names.joined(separator: ";")]
            + [field("x-amz-content-sha256")]
        let text = """
            AWS4-HMAC-SHA256
            \(field("x-amz-date"))
            \(parts.2)
            \(hex(hash(Array(canonical.joined(separator: "\n").utf8))))
            """
        let key = parts.2.split(separator: "/").reduce(Array("AWS4\(secret)".utf8)) {
            code($0, Array($1.utf8))
        }
        return hex(code(key, Array(text.utf8))) == parts.5
    }

    /// `20260131T120000Z` with separators.
    private static func stamp(_ text: String) -> String {
        let pattern = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/
        guard let parts = text.wholeMatch(of: pattern)?.output else { return "" }
        return "\(parts.1)-\(parts.2)-\(parts.3)T\(parts.4):\(parts.5):\(parts.6)Z"
    }

    private static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        return digest
    }

    private static func code(_ key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &digest, &count)
        return digest
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String(format: "%02x", $0) }.joined()
    }
}
