import Foundation
import KFCodecs
import KFPixels
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A video on a server, of which the parts that a worker needs are downloaded.
///
/// A worker reaches nothing. It reads the parts in memory, and answers with the place of the first byte
/// that is not there; then the part from there on is downloaded and the request repeated. A part that
/// continues the last one is twice as long, so that few repetitions are needed.
final class RemoteFilm: Sendable {
    /// Bounds on downloading.
    struct Limits: Sendable {
        /// The bytes of a part, and of one that continues many others.
        var partBytes = 256 << 10
        var maxPartBytes = 4 << 20
        /// For one frame.
        var maxRequests = 64
        var maxBytes = 64 << 20
        /// For all frames.
        var maxStoredBytes = 256 << 20
    }

    /// The content that all parts are of.
    private struct Version: Equatable {
        let byteCount: Int
        let tag: String?
        let date: String?
        /// The value of `If-Range`.
        var validator: String? { tag ?? date }
    }

    private struct Content: Sendable {
        let version: Version
        let memory: PartialMemory
        var parts: [Range<Int>] = []
        /// Whose end the next part may continue.
        var last = 0..<0
    }

    private enum State: Sendable {
        case unknown
        case parts(Content)
        /// From a server without ranges.
        case whole(Data)
    }

    private let url: URL
    private let context: ProviderContext
    private let limits: Limits
    private let number: Int?
    private let state = Mutex(State.unknown)

    init(
        _ url: URL,
        _ context: ProviderContext,
        isKept: Bool = false,
        limits: Limits = Limits()
    ) {
        (self.url, self.context, self.limits) = (url, context, limits)
        number = isKept ? OpenFilm.newNumber() : nil
    }

    var downloader: ImageDownloader { context.downloader }

    /// Whether a URL is one of a server.
    static func canDownload(_ url: URL) -> Bool {
        ["http", "https"].contains(url.scheme?.lowercased())
    }

    /// The answer of a worker; a fault is thrown.
    ///
    /// - Throws: ``DocumentError``; ``KingfisherError`` if a part cannot be downloaded;
    ///   `CancellationError`.
    func answer(
        to request: FilmRequest,
        by reading: DocumentReading
    ) async throws -> DocumentAnswer {
        var (requests, bytes) = (0, 0)
        var missing: Int? = isBegun ? nil : 0
        while true {
            if let offset = missing {
                guard requests < limits.maxRequests, bytes < limits.maxBytes else {
                    throw DocumentError.unreadable(
                        "it would take more than \(requests) downloads and \(bytes) bytes"
                    )
                }
                requests += 1
                bytes += try await download(from: offset)
            }
            let answer = try await reading.outcome(of: message(for: request))
            guard case .fault(let fault) = answer else { return answer }
            guard case .missing(let offset) = fault, canContinue(at: offset) else {
                throw DocumentError(fault, page: 1)
            }
            missing = offset
        }
    }

    private var isBegun: Bool {
        state.withLock { state in
            if case .unknown = state { false } else { true }
        }
    }

    /// Whether a worker may miss the byte at a place.
    private func canContinue(at offset: Int) -> Bool {
        state.withLock { state in
            guard case .parts(let content) = state else { return false }
            return offset < content.version.byteCount
                && !content.parts.contains { $0.contains(offset) }
        }
    }

    private func message(for request: FilmRequest) -> WorkerRequest {
        state.withLock { state in
            switch state {
            case .unknown: request.message(for: Data())
            case .whole(let data): request.message(for: data)
            case .parts(let content):
                request.message(
                    for: OpenFilm(
                        // Other bytes of the same file may be harmless.
                        name: Data("\(url) \(content.version) \(content.parts)".utf8),
                        memory: content.memory.readable,
                        place: FilmPlace(
                            byteCount: content.version.byteCount,
                            number: number,
                            parts: content.parts
                        )
                    )
                )
            }
        }
    }

    // MARK: Downloading

    /// Downloads the part that begins at a place; returns its bytes.
    private func download(from offset: Int) async throws -> Int {
        let (range, version) = state.withLock { self.range(from: offset, $0) }
        var options = context.options
        options.requestModifier = RangeModifier(
            range: range,
            validator: version?.validator,
            inner: options.requestModifier
        )
        let fetched = try await downloader.fetch(
            url,
            options: options,
            task: DownloadTask(),
            progress: nil
        )
        defer { fetched.token?.leave() }
        guard let response = fetched.response else { throw Self.wrong("there is no response") }
        guard response.statusCode == 206 else {
            guard version == nil else { throw Self.wrong("the file has changed meanwhile") }
            guard range.lowerBound == 0, !fetched.data.isEmpty,
                fetched.data.count <= DecodeLimits.default.maxInputBytes
            else { throw Self.wrong("it sends no parts, and the whole file is too large") }
            state.withLock { $0 = .whole(fetched.data) }
            return fetched.data.count
        }
        let found = try Self.version(of: response, range, fetched.data)
        guard version ?? found == found else { throw Self.wrong("the file has changed meanwhile") }
        try store(fetched.data, at: offset, of: found)
        return fetched.data.count
    }

    /// The range for a part, and the version of the parts so far.
    private func range(from offset: Int, _ state: State) -> (Range<Int>, Version?) {
        guard case .parts(let content) = state else {
            return (offset..<offset + limits.partBytes, nil)
        }
        let isNext = content.last.upperBound == offset
        let count = isNext ? min(limits.maxPartBytes, 2 * content.last.count) : limits.partBytes
        let next = content.parts.first { $0.lowerBound > offset }?.lowerBound
        let end = min(next ?? content.version.byteCount, offset.addingSaturating(count))
        return (offset..<end, content.version)
    }

    /// The version of a part, which has to be the requested one or its beginning.
    private static func version(
        of response: TransferResponse,
        _ range: Range<Int>,
        _ data: Data
    ) throws(DocumentError) -> Version {
        guard let part = response.value(for: "Content-Range").flatMap(ContentRange.init),
            part.first == range.lowerBound, part.last < range.upperBound, part.count == data.count,
            (response.value(for: "Content-Encoding") ?? "identity").lowercased() == "identity"
        else { throw wrong("the part is not the one that was asked for") }
        return Version(
            byteCount: part.total,
            tag: PartialHead.validator(of: response),
            date: response.value(for: "Last-Modified")
        )
    }

    private func store(_ part: Data, at offset: Int, of version: Version) throws {
        try state.withLock { state in
            var content: Content
            if case .parts(let known) = state {
                content = known
            } else {
                do throws(WorkerFailure) {
                    let memory = try PartialMemory(byteCount: version.byteCount)
                    content = Content(version: version, memory: memory)
                } catch {
                    throw DocumentError.isolationFailed(IsolationFailure(error))
                }
            }
            let stored = content.parts.reduce(0) { $0 + $1.count }
            guard stored + part.count <= limits.maxStoredBytes,
                content.parts.count < FilmPlace.maxPartCount
            else { throw DocumentError.unreadable("its frames take more than \(stored) bytes") }
            do throws(WorkerFailure) {
                try content.memory.write(part, at: offset)
            } catch {
                throw DocumentError.isolationFailed(IsolationFailure(error))
            }
            content.last = offset..<offset + part.count
            content.parts = Self.joined(content.parts + [content.last])
            state = .parts(content)
        }
    }

    /// The parts in order, those that touch or overlap as one.
    private static func joined(_ parts: [Range<Int>]) -> [Range<Int>] {
        var joined: [Range<Int>] = []
        for part in parts.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, last.upperBound >= part.lowerBound {
                let end = max(last.upperBound, part.upperBound)
                joined[joined.count - 1] = last.lowerBound..<end
            } else {
                joined.append(part)
            }
        }
        return joined
    }

    private static func wrong(_ reason: String) -> DocumentError {
        .unreadable("the answer of its server is of no use: \(reason)")
    }
}

/// Asks for a part, after the modifier of the load.
private struct RangeModifier: AsyncImageDownloadRequestModifier {
    let range: Range<Int>
    let validator: String?
    let inner: (any AsyncImageDownloadRequestModifier)?

    func modified(for request: URLRequest) async -> URLRequest? {
        var request = request
        if let inner {
            guard let modified = await inner.modified(for: request) else { return nil }
            request = modified
        }
        request.setValue(
            "bytes=\(range.lowerBound)-\(range.upperBound - 1)",
            forHTTPHeaderField: "Range"
        )
        request.setValue(validator, forHTTPHeaderField: "If-Range")
        // A part of a compressed file is of no use.
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        return request
    }

    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { inner?.onDownloadTaskStarted }
}
