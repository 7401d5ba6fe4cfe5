import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// A rule of HTTP caching as a dialogue: what the server would answer, what it is asked, what the
/// load shows.
struct CachingRule: Sendable, CustomTestStringConvertible {
    /// The section and the rule: `RFC 9111, 4.2.1: max-age`.
    let name: String
    let steps: [CachingStep]

    init(_ name: String, _ steps: CachingStep...) {
        self.name = name
        self.steps = steps
    }

    var testDescription: String { name }
}

/// One load.
struct CachingStep: Sendable {
    /// How a load ends.
    enum Outcome: Sendable, Equatable {
        /// With this version of the image.
        case shows(Int)
        /// With the error of this status; nil for any other error.
        case fails(Int?)
    }

    /// The answer for each path, if it is asked for.
    let replies: [String: CachingReply]
    /// The fields that the load's modifier sets.
    let headers: [String: String]
    let options: KingfisherOptionsInfo
    /// The requests that the server gets before the load ends, as ``CachingScript/text(of:)``.
    let asks: [String]
    /// The requests that it gets afterwards.
    let asksLater: [String]
    let outcome: Outcome
    let freshness: HTTPFreshness?

    init(
        _ replies: [String: CachingReply],
        sends headers: [String: String] = [:],
        options: KingfisherOptionsInfo = [],
        asks: [String],
        later: [String] = [],
        _ outcome: Outcome,
        _ freshness: HTTPFreshness? = nil
    ) {
        self.replies = replies
        self.headers = headers
        self.options = options
        self.asks = asks
        asksLater = later
        self.outcome = outcome
        self.freshness = freshness
    }

    /// A load whose URL has one answer.
    init(
        _ reply: CachingReply,
        sends headers: [String: String] = [:],
        options: KingfisherOptionsInfo = [],
        asks: [String],
        later: [String] = [],
        _ outcome: Outcome,
        _ freshness: HTTPFreshness? = nil
    ) {
        self.init(
            ["/a": reply],
            sends: headers,
            options: options,
            asks: asks,
            later: later,
            outcome,
            freshness
        )
    }
}

/// What the server answers to a path.
struct CachingReply: Sendable {
    private let status: Int
    private let version: Int?
    private let fields: [(String, String)]
    /// Whether it is 304 to a request that has its tag or date, or to every conditional one.
    private let validation: (isDone: Bool, confirmsAll: Bool)

    /// An answer; with an image, 304 to a request that has its tag or date, or `confirmsAll`.
    init(status: Int, version: Int?, lines: [String], confirmsAll: Bool = false) {
        self.init(status, version, lines, (version != nil || confirmsAll, confirmsAll))
    }

    private init(
        _ status: Int,
        _ version: Int?,
        _ lines: [String],
        _ validation: (Bool, Bool) = (false, false)
    ) {
        self.status = status
        self.version = version
        self.validation = validation
        fields = lines.map { line in
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            return (parts[0], parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
        }
    }

    /// A version of the image; 304 to a request that has its tag or date.
    static func image(_ version: Int, _ fields: String..., status: Int = 200) -> CachingReply {
        CachingReply(status, version, fields, (true, false))
    }

    /// A version of the image, whatever the request says.
    static func whole(_ version: Int, _ fields: String...) -> CachingReply {
        CachingReply(200, version, fields)
    }

    /// A status without a body.
    static func status(_ status: Int, _ fields: String...) -> CachingReply {
        CachingReply(status, nil, fields)
    }

    /// A redirect.
    static func redirect(_ status: Int, to path: String, _ fields: String...) -> CachingReply {
        CachingReply(status, nil, ["Location: \(path)"] + fields)
    }

    private func value(_ name: String) -> String? {
        fields.first { $0.0.lowercased() == name.lowercased() }?.1
    }

    private func isConfirmed(_ request: ServerRequest) -> Bool {
        guard validation.isDone else { return false }
        let isConditional =
            request.value(for: "If-None-Match") != nil
            || request.value(for: "If-Modified-Since") != nil
        if validation.confirmsAll { return isConditional }
        if let tags = request.value(for: "If-None-Match") {
            return value("ETag").map { tags.contains($0) } ?? false
        }
        guard let date = request.value(for: "If-Modified-Since") else { return false }
        return value("Last-Modified") == date
    }

    func reply(to request: ServerRequest) -> ServerReply {
        if isConfirmed(request) { return .status(304, fields: fields) }
        guard let version else { return .status(status, fields: fields) }
        return .body(Self.data(version), status: status, type: "image/png", fields: fields)
    }

    private static let versions = (0...9).map { TestImage.png(width: 10 + $0, height: 4) }
    private static func data(_ version: Int) -> Data { versions[version] }

    /// The version that an image is.
    static func version(of image: KFCrossPlatformImage) -> Int { Int(image.size.width) - 10 }
}

/// What happens to the caches between two loads.
enum Interlude: CaseIterable, Sendable {
    /// Nothing: images come from memory.
    case memory
    /// Memory is cleared: images come from the disk.
    case disk
    /// The program starts again.
    case restart
}

/// Plays a rule against a server, with caches of its own.
struct CachingScript {
    private let bench: TestBench
    private let interlude: Interlude

    init(_ interlude: Interlude) throws {
        bench = try TestBench()
        self.interlude = interlude
    }

    func play(_ rule: CachingRule) async throws {
        var cache = bench.cache
        for (index, step) in rule.steps.enumerated() {
            bench.server.fallback { step.replies[$0.path]?.reply(to: $0) ?? .status(418) }
            bench.server.forgetRequests()
            try await play(step, with: cache, "\(rule.name), step \(index + 1)")
            switch interlude {
            case .memory: break
            case .disk: cache.clearMemoryCache()
            case .restart:
                await cache.flush()
                cache = try ImageCache(name: "test", cacheDirectoryURL: bench.folder.url)
            }
        }
    }

    private func play(_ step: CachingStep, with cache: ImageCache, _ name: String) async throws {
        let manager = KingfisherManager(downloader: bench.downloader, cache: cache)
        var options: KingfisherOptionsInfo = [.httpCaching, .waitForCache] + step.options
        if !step.headers.isEmpty {
            options.append(
                .requestModifier(
                    AnyModifier { request in
                        var request = request
                        for (name, value) in step.headers {
                            request.setValue(value, forHTTPHeaderField: name)
                        }
                        return request
                    }
                )
            )
        }
        do {
            let result = try await manager.retrieveImage(
                with: .network(bench.server.url("/a")),
                options: options
            )
            #expect(.shows(CachingReply.version(of: result.image)) == step.outcome, "\(name)")
            if let freshness = step.freshness {
                #expect(result.freshness == freshness, "\(name)")
            }
        } catch let error as KingfisherError {
            #expect(.fails(Self.status(of: error)) == step.outcome, "\(name): \(error)")
        }
        while cache.isRefreshing { await Task.yield() }
        let asked = bench.server.requests.map(Self.text)
        #expect(asked == step.asks + step.asksLater, "\(name)")
    }

    private static func status(of error: KingfisherError) -> Int? {
        guard case .responseError(.invalidHTTPStatusCode(let response)) = error else { return nil }
        return response.statusCode
    }

    /// `/a`, `/a if "1"`, `/a since Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func text(of request: ServerRequest) -> String {
        var text = request.target
        if let tag = request.value(for: "If-None-Match") { text += " if \(tag)" }
        if let date = request.value(for: "If-Modified-Since") { text += " since \(date)" }
        return text
    }
}
