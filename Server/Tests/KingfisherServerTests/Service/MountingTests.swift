import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import KingfisherServer

struct MountingTests {
    @Test("Another application has the service beside its own routes")
    func mounted() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try TestPicture.quartersPNG(40, 20).write(to: folder.appending(path: "a b.png"))
        var configuration = ServiceConfiguration()
        configuration.operation.isolates = false
        configuration.sources.localRoot = folder.path
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let service = try ImageService(configuration: configuration, logger: logger)
        let router = Router()
        router.get("hello") { _, _ in "own" }
        service.addRoutes(to: router)
        let responder = router.buildResponder()
        let context = BasicRequestContext(
            source: ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: logger)
        )
        let image = "/_/w:20/plain/local:///a%20b.png"
        let text = "text/plain; charset=utf-8"
        for (method, path, status, type) in [
            (.get, "/hello", 200, text), (.get, image, 200, "image/png"),
            (.get, "/_/w:20/plain/local%3A%2F%2F%2Fa%20b.png@webp", 200, "image/webp"),
            (.head, image, 200, "image/png"), (.get, "/health", 200, text),
            (.options, image, 204, nil), (.get, "/_/x:1/\(image)", 404, text),
            (.delete, image, 403, text),
        ] as [(HTTPRequest.Method, String, Int, String?)] {
            let head = HTTPRequest(method: method, scheme: "http", authority: "a", path: path)
            let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
            let response = try await responder.respond(to: request, context: context)
            #expect(response.status.code == status, "\(method) \(path)")
            #expect(response.headers[.contentType] == type, "\(method) \(path)")
        }
    }
}
