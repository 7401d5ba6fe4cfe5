package import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// Downloads shared by all callers that make equal requests at the same time.
///
/// ```swift
/// let token = downloads.join(request, caller: DownloadCaller { result in … })
/// if token.isCreator { token.download.start() }
/// ```
///
/// When the object is released, running downloads end with ``TransferError/cancelled``.
package final class SharedDownloads: Sendable {
    private let transport: any HTTPTransport
    private let table = DownloadTable()
    private let pool = BodyPool()

    /// Creates an empty table of downloads that use a transport.
    package init(transport: any HTTPTransport) {
        self.transport = transport
    }

    deinit {
        cancelAll()
    }

    /// Joins the running download of an equal request, or creates one.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - settings: The settings; those of the creator apply.
    ///   - owner: The object that decides about redirects.
    ///   - asked: The URL by which the callers know the download; defaults to that of the request.
    ///   - condition: Header fields for one URL; they are not sent to other URLs of a redirect
    ///     chain.
    ///   - hooks: Decide about the response; those of the creator apply.
    ///   - partials: The store of interrupted bodies; `nil` to keep none.
    ///   - acceptsFinished: Whether to join a finished download whose bytes other callers still
    ///     keep.
    ///   - caller: The caller.
    /// - Returns: The caller's token. If ``DownloadToken/isCreator`` is set, call
    ///   ``SharedDownload/start()``.
    package func join(
        _ request: URLRequest,
        settings: TransferSettings = TransferSettings(),
        owner: RequestOwner = .nobody,
        asked: URL? = nil,
        condition: HTTPCondition? = nil,
        hooks: DownloadHooks = DownloadHooks(),
        partials: PartialBodies? = nil,
        acceptsFinished: Bool = false,
        caller: DownloadCaller
    ) -> DownloadToken {
        let request = condition?.applied(to: request) ?? request
        let identity = RequestIdentity(
            request,
            settings: settings,
            owner: owner,
            asked: asked,
            condition: condition
        )
        let token = table.join(identity, caller, acceptsFinished: acceptsFinished) {
            SharedDownload(
                request,
                identity: identity,
                condition: condition,
                settings: settings,
                hooks: hooks,
                transport: transport,
                partials: partials,
                pool: pool,
                table: table
            )
        }
        // A new caller may have raised the priority, or joined a finished download.
        if !token.isCreator { token.download.perform() }
        return token
    }

    /// The running downloads, oldest first.
    package var running: [SharedDownload] { table.all.filter { !$0.hasEnded } }

    /// Whether no download is running and no caller keeps bytes.
    package var isEmpty: Bool { table.all.isEmpty }

    /// Ends every download; each caller receives ``TransferError/cancelled``.
    package func cancelAll() {
        for download in table.all { download.cancel() }
    }

    /// Ends the downloads of one URL, whatever their method and headers.
    package func cancel(url: URL) {
        for download in table.all where download.askedURL == url { download.cancel() }
    }
}
