import Foundation
import Synchronization

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// Downloads shared by all callers that make equal requests at the same time.
///
/// ```swift
/// let downloads = SharedDownloads(transport: transport) { Journal(of: $0) }
/// let token = downloads.join(request, caller: DownloadCaller { result in … })
/// if token.isCreator { token.download.start() }
/// ```
///
/// When the object is released, running downloads end with ``TransferError/cancelled``.
package final class SharedDownloads<Attachment: AnyObject & Sendable>: Sendable {
    private let transport: any HTTPTransport
    private let attach: @Sendable (SharedDownload<Attachment>) -> Attachment
    private let table = DownloadTable<Attachment>()
    private let pool = BodyPool()

    /// Creates an empty table of downloads.
    ///
    /// - Parameters:
    ///   - transport: Sends the requests.
    ///   - attach: Makes the object that is attached to a download; it must not use the download
    ///     yet.
    package init(
        transport: any HTTPTransport,
        attaching attach: @escaping @Sendable (SharedDownload<Attachment>) -> Attachment
    ) {
        self.transport = transport
        self.attach = attach
    }

    deinit {
        cancelAll()
    }

    /// Joins the running download of an equal request, or creates one.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - name: The name of the response, if requests to several URLs share it.
    ///   - settings: The settings; those of the creator apply.
    ///   - owner: The object that decides about redirects.
    ///   - epoch: Only downloads of the same epoch are joined.
    ///   - asked: The URL by which the callers know the download; defaults to that of the request.
    ///   - condition: Header fields for one URL; they are not sent to other URLs of a redirect
    ///     chain.
    ///   - hooks: Decide about the response; those of the creator apply.
    ///   - partials: The store of interrupted bodies; `nil` to keep none.
    ///   - mayJoinFinished: Whether to join a finished download whose bytes other callers still
    ///     keep.
    ///   - caller: The caller.
    /// - Returns: The caller's token. If ``DownloadToken/isCreator`` is set, call
    ///   ``SharedDownload/start()``.
    package func join(
        _ request: URLRequest,
        name: String? = nil,
        settings: TransferSettings = TransferSettings(),
        owner: RequestOwner = .nobody,
        epoch: Int = 0,
        asked: URL? = nil,
        condition: HTTPCondition? = nil,
        hooks: DownloadHooks<Attachment> = DownloadHooks(),
        partials: PartialBodies? = nil,
        mayJoinFinished: Bool = false,
        caller: DownloadCaller
    ) -> DownloadToken<Attachment> {
        let request = condition?.applied(to: request) ?? request
        let identity = RequestIdentity(
            request,
            name: name,
            settings: settings,
            owner: owner,
            epoch: epoch,
            asked: asked,
            condition: condition
        )
        let token = table.join(identity, caller, mayJoinFinished: mayJoinFinished) {
            SharedDownload(
                identity,
                hooks: hooks,
                transport: transport,
                partials: partials,
                pool: pool,
                table: table,
                attaching: attach
            )
        }
        // A new caller may have raised the priority, or joined a finished download.
        if !token.isCreator { token.download.perform() }
        return token
    }

    /// The running downloads, oldest first.
    package var running: [SharedDownload<Attachment>] { table.all.filter { !$0.hasEnded } }

    /// Whether no download is running and no caller keeps bytes.
    package var isEmpty: Bool { table.all.isEmpty }

    /// Keeps what the running downloads have received, for a later process.
    package func keepReceived() {
        for download in running { download.keepReceived() }
    }

    /// Ends every download; each caller receives ``TransferError/cancelled``.
    package func cancelAll() {
        for download in table.all { download.cancel() }
    }

    /// Ends the downloads of one URL, whatever their method and headers.
    package func cancel(url: URL) {
        for download in table.all where download.askedURL == url { download.cancel() }
    }
}

/// The downloads that can be joined.
final class DownloadTable<Attachment: AnyObject & Sendable>: Sendable {
    private let downloads = Mutex<[RequestIdentity: SharedDownload<Attachment>]>([:])

    var all: [SharedDownload<Attachment>] {
        downloads.withLock { Array($0.values) }.sorted { $0.id < $1.id }
    }

    /// Joins the download with this identity, or replaces it with a new one, atomically.
    func join(
        _ identity: RequestIdentity,
        _ caller: DownloadCaller,
        mayJoinFinished: Bool,
        orCreate create: () -> SharedDownload<Attachment>
    ) -> DownloadToken<Attachment> {
        func token(
            _ download: SharedDownload<Attachment>,
            isCreator: Bool
        ) -> DownloadToken<Attachment>? {
            download.join(caller, mayJoinFinished: mayJoinFinished).map {
                DownloadToken(
                    download,
                    number: $0,
                    isCreator: isCreator,
                    keepsBytes: caller.keepsBytes
                )
            }
        }
        return downloads.withLock { downloads in
            if let token = downloads[identity].flatMap({ token($0, isCreator: false) }) {
                return token
            }
            let download = create()
            downloads[identity] = download
            guard let token = token(download, isCreator: true) else {
                preconditionFailure("a new download cannot have ended")
            }
            return token
        }
    }

    func remove(_ download: SharedDownload<Attachment>) {
        downloads.withLock { downloads in
            // The place may belong to a newer download, requested between end and removal.
            if downloads[download.identity] === download { downloads[download.identity] = nil }
        }
    }
}
