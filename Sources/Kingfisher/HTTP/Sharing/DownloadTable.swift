import Synchronization

/// The downloads that can be joined.
final class DownloadTable: Sendable {
    private let downloads = Mutex<[RequestIdentity: SharedDownload]>([:])

    var all: [SharedDownload] {
        downloads.withLock { Array($0.values) }.sorted { $0.id < $1.id }
    }

    /// Joins the download with this identity, or replaces it with a new one, atomically.
    func join(
        _ identity: RequestIdentity,
        _ caller: DownloadCaller,
        acceptsFinished: Bool,
        orCreate create: () -> SharedDownload
    ) -> DownloadToken {
        func token(_ download: SharedDownload, isCreator: Bool) -> DownloadToken? {
            download.join(caller, acceptsFinished: acceptsFinished).map {
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

    func remove(_ download: SharedDownload) {
        downloads.withLock { downloads in
            // The place may belong to a newer download, requested between end and removal.
            if downloads[download.identity] === download { downloads[download.identity] = nil }
        }
    }
}
