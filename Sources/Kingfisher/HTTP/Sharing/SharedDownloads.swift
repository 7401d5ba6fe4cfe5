package import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// Downloads, each shared by all who ask for the same thing at the same time.
///
/// ```swift
/// let token = downloads.join(request, caller: DownloadCaller { result in … })
/// if token.isCreator { token.download.start() }
/// ```
///
/// When the object is released, what still runs ends with ``TransferError/cancelled``.
package final class SharedDownloads: Sendable {
    private let transport: any HTTPTransport
    private let table = DownloadTable()
    private let pool = BodyPool()

    /// Creates an empty table of downloads over a transport.
    package init(transport: any HTTPTransport) {
        self.transport = transport
    }

    deinit {
        cancelAll()
    }

    /// Joins the running download of an equal request, or creates one.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - settings: How; those of the creator hold.
    ///   - owner: Who decides about redirects.
    ///   - asked: The URL that the callers know the download by, if the request is for another.
    ///   - condition: Header fields for one URL, which other URLs of the redirects do not get.
    ///   - hooks: Who decides about the answer; those of the creator hold.
    ///   - partials: Where interrupted bodies are kept; `nil` to keep none.
    ///   - acceptsFinished: Whether bytes that have just arrived for others will do, as long as
    ///     these keep them.
    ///   - caller: Who waits.
    /// - Returns: The caller's share. If it is the creator's, call ``SharedDownload/start()``.
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
        // A joiner may have raised the priority, or be there after the end.
        if !token.isCreator { token.download.perform() }
        return token
    }

    /// The downloads that run, oldest first.
    package var running: [SharedDownload] { table.all.filter { !$0.hasEnded } }

    /// Whether no download runs and no caller keeps bytes.
    package var isEmpty: Bool { table.all.isEmpty }

    /// Ends every download; each caller is told ``TransferError/cancelled``.
    package func cancelAll() {
        for download in table.all { download.cancel() }
    }

    /// Ends the downloads of one URL, whatever their method and headers.
    package func cancel(url: URL) {
        for download in table.all where download.askedURL == url { download.cancel() }
    }
}
