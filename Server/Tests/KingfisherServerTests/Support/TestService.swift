import Foundation
import Hummingbird
import Kingfisher
import KingfisherTesting
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

@testable import KingfisherServer

/// A service on a free port of 127.0.0.1, which runs while a test uses it.
struct TestService: Sendable {
    let service: ImageService
    let port: Int
    let log: LogLines
    let handler: ServiceLog
    private let group: ServiceGroup

    /// Runs a service.
    ///
    /// Decoding is not isolated, because the main of the test runner is not ours.
    ///
    /// - Parameters:
    ///   - change: Changes the configuration, which allows sources on this machine.
    ///   - transport: Loads the sources; nil for libcurl.
    ///   - storage: A storage that other machines use too.
    ///   - body: The test.
    /// - Throws: The errors of the test; ``ConfigurationError`` if the service cannot run.
    static func run(
        _ change: (inout ServiceConfiguration) -> Void = { _ in },
        transport: (any HTTPTransport)? = nil,
        sharing storage: (any SharedImageStorage)? = nil,
        _ body: @escaping @Sendable (TestService) async throws -> Void
    ) async throws {
        var configuration = ServiceConfiguration()
        configuration.connections.address = .host("127.0.0.1", port: 0)
        configuration.operation.isolates = false
        configuration.sources.allowsLoopback = true
        change(&configuration)
        let log = LogLines()
        let handler = ServiceLog(configuration, output: LogOutput { log.add($0) })
        // On a busy machine the memory, too, may take longer than a storage may.
        var settings = SharedStorageSettings()
        settings.timeout = .seconds(30)
        // Nor does a pause end while a test looks at it.
        settings.pause = .seconds(600)
        let service = try ImageService(
            configuration: configuration,
            logger: Logger(label: "test") { _ in handler },
            transport: transport,
            sharing: storage,
            settings: settings
        )
        let (ports, found) = AsyncStream<Int>.makeStream()
        let group = ServiceGroup(
            services: service.services { found.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() }
        )
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                try await group.run()
                found.finish()
            }
            tasks.addTask {
                for await port in ports {
                    let test = TestService(
                        service: service,
                        port: port,
                        log: log,
                        handler: handler,
                        group: group
                    )
                    do {
                        try await body(test)
                    } catch {
                        await group.triggerGracefulShutdown()
                        throw error
                    }
                    await group.triggerGracefulShutdown()
                    handler.flush()
                    return
                }
            }
            try await tasks.waitForAll()
        }
    }

    /// Begins to stop the service, as SIGTERM does.
    func stop() async { await group.triggerGracefulShutdown() }

    /// Opens a connection.
    func connect() throws -> RawClient { try RawClient(port: port) }

    /// Sends a request on a connection of its own.
    func request(
        _ path: String,
        method: String = "GET",
        _ fields: [String: String] = [:]
    ) async throws -> Reply {
        let client = try connect()
        defer { client.close() }
        client.send(method: method, path, fields)
        return try await client.reply(withBody: method != "HEAD")
    }

    /// The value of a metric; nil if there is none with the name and labels.
    func metric(_ name: String) -> Double? {
        let line = service.registry.text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { Double($0.dropFirst(name.count + 1)) }
    }
}

/// The lines of a log.
final class LogLines: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }

    func add(_ more: [UInt8]) { bytes.withLock { $0 += more } }
}

/// The path of a plain URL without options for a source.
func path(_ source: String, _ options: String = "") -> String {
    let encoded = source.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? source
    return "/unsafe/\(options.isEmpty ? "" : options + "/")plain/\(encoded)"
}

/// Lets other tasks run; in a loop that waits for something, which so ends with the test's time.
func pause() async throws {
    try Task.checkCancellation()
    await Task.yield()
}
