import Foundation
import Kingfisher

/// A store of results in S3, or in a service with its interface, which machines share.
///
/// S3 keeps objects until a rule of the bucket removes them; the cache refuses values past their
/// end. Machines get no messages and no leases from it.
struct S3Results: SharedImageStorage {
    /// Where results are stored: `s3://bucket/prefix`.
    struct Place: Sendable, Hashable {
        let bucket: String
        /// Empty, or a text that ends with a slash.
        let prefix: String

        /// Parses an address; nil if it is malformed.
        init?(_ text: String) {
            guard text.hasPrefix("s3://") else { return nil }
            let parts = text.dropFirst(5).split(
                separator: "/",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            bucket = parts.first.map(String.init) ?? ""
            // The characters of names in S3, so that none is a part of the host or the query.
            let isName = bucket.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D || $0 == 0x2E
            }
            guard (3...63).contains(bucket.utf8.count), isName else { return nil }
            let folder = parts.count > 1 ? String(parts[1]) : ""
            let names = folder.split(separator: "/", omittingEmptySubsequences: true)
            // Some clients resolve such names before they sign.
            guard folder.utf8.count <= 512, folder.isHeaderValue,
                !names.contains(where: { $0 == "." || $0 == ".." })
            else { return nil }
            prefix = names.map { "\($0)/" }.joined()
        }

        var text: String { "s3://\(bucket)/\(prefix)" }
    }

    /// The error of a request, for the log.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The most requests at the same time.
    private static let parallelRequests = 16

    private let place: Place
    private let objects: S3Storage
    private let reader: TrustedClient
    private let writer: TrustedClient

    /// Takes the address, region and keys that sources in S3 have.
    ///
    /// - Parameters:
    ///   - place: Where results are stored.
    ///   - configuration: The service with its keys.
    ///   - transport: Sends the requests.
    ///   - settings: Time-outs and limits.
    init(
        _ place: Place,
        _ configuration: ServiceConfiguration,
        _ transport: any HTTPTransport,
        _ settings: SharedStorageSettings
    ) {
        self.place = place
        let keys = TrustedClient(transport: transport, timeout: configuration.sources.timeout)
        objects = S3Storage(configuration.stores, keys)
        reader = TrustedClient(
            transport: transport,
            timeout: settings.timeout,
            // With room for what the cache adds.
            largestAnswer: settings.largestEntry + 1 << 16,
            connections: Self.parallelRequests
        )
        writer = TrustedClient(
            transport: transport,
            timeout: settings.writeTimeout ?? settings.timeout,
            connections: Self.parallelRequests
        )
    }

    func values(for names: [String]) async throws -> [String: Data] {
        let found = try await each(names) { name in (name, try await value(of: name)) }
        return Dictionary(found) { first, _ in first }.compactMapValues { $0 }
    }

    func store(_ items: [SharedStorageItem]) async throws {
        _ = try await each(items) { item in
            let (status, answer) = try await send("PUT", item.name, body: item.value)
            guard (200..<300).contains(status) else { throw await failure("PUT", status, answer) }
        }
    }

    func remove(_ names: [String]) async throws {
        _ = try await each(names) { name in
            let (status, answer) = try await send("DELETE", name)
            guard (200..<300).contains(status) || status == 404 else {
                throw await failure("DELETE", status, answer)
            }
        }
    }

    private func value(of name: String) async throws -> Data? {
        let (status, answer) = try await send("GET", name)
        switch status {
        case 200: return answer.body
        case 404: return nil
        // Without the permission to list a bucket, a missing object is one that must not be read.
        case 403 where Self.code(answer) == "AccessDenied": return nil
        default: throw await failure("GET", status, answer)
        }
    }

    private func send(
        _ method: String,
        _ name: String,
        body: Data? = nil
    ) async throws -> (status: Int, answer: TrustedClient.Answer) {
        // Services that keep objects as files have many folders rather than a huge one.
        let key = "\(place.prefix)\(name.prefix(2))/\(name)"
        let request = try await objects.request(
            method,
            bucket: place.bucket,
            key: key,
            body: body ?? Data()
        )
        var fields = request.fields
        if body != nil {
            fields.append(HeaderField(name: "Content-Type", value: "application/octet-stream"))
        }
        let client = method == "GET" ? reader : writer
        return try await client.exchange(request.url, method: method, fields, body: body)
    }

    private func failure(
        _ method: String,
        _ status: Int,
        _ answer: TrustedClient.Answer
    ) async -> Failure {
        // Keys of roles end.
        if [400, 401, 403].contains(status) { _ = await objects.forgetCredentials() }
        let code = Self.code(answer).map { " \($0)" } ?? ""
        return Failure(description: "\(place.text): \(method): status \(status)\(code)")
    }

    /// The code in the XML of an error.
    private static func code(_ answer: TrustedClient.Answer) -> String? {
        let text = String(decoding: answer.body.prefix(4_096), as: UTF8.self)
        guard let start = text.range(of: "<Code>")?.upperBound,
            let end = text.range(of: "</Code>", range: start..<text.endIndex)?.lowerBound
        else { return nil }
        let code = text[start..<end]
        return code.utf8.count <= 64 && code.allSatisfy(\.isLetter) ? String(code) : nil
    }

    /// Runs requests, a few at the same time.
    ///
    /// - Returns: Their results, in no order.
    /// - Throws: The first error, when all that were started have ended.
    private func each<Element: Sendable, Result: Sendable>(
        _ elements: [Element],
        _ body: @escaping @Sendable (Element) async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup { group in
            var rest = elements[...]
            var results: [Result] = []
            for element in rest.prefix(Self.parallelRequests) {
                group.addTask { try await body(element) }
            }
            rest = rest.dropFirst(Self.parallelRequests)
            while let result = try await group.next() {
                results.append(result)
                guard let element = rest.popFirst() else { continue }
                group.addTask { try await body(element) }
            }
            return results
        }
    }
}

extension ConfigurationFormat<String> {
    /// Where results are stored.
    static let resultStore = ConfigurationFormat(
        expected: "s3://, the name of a bucket, and optionally a slash and a prefix",
        parse: { S3Results.Place($0)?.text },
        text: { $0 }
    )
}

extension SharedStorageSettings {
    /// For a store of objects, which is slower than Redis and keeps results for longer.
    static func forObjects(timeout: Duration) -> SharedStorageSettings {
        var settings = SharedStorageSettings()
        settings.timeout = timeout
        // Nothing waits for writes but the end of the program.
        settings.writeTimeout = timeout * 10
        settings.leaseWait = .zero
        return settings
    }
}
