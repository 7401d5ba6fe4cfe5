import Synchronization

/// The downloads that can still be joined.
final class DownloadTable: Sendable {
    private let running = Mutex<[RequestIdentity: SharedDownload]>([:])

    var all: [SharedDownload] {
        running.withLock { Array($0.values) }.sorted { $0.id < $1.id }
    }

    /// Joins the download of this identity or puts a new one into its place, in one step.
    func join(
        _ identity: RequestIdentity,
        _ caller: DownloadCaller,
        orCreate create: () -> SharedDownload
    ) -> DownloadTicket {
        running.withLock { running in
            if let download = running[identity], let token = download.join(caller) {
                return DownloadTicket(download, token: token, isCreator: false)
            }
            let download = create()
            running[identity] = download
            guard let token = download.join(caller) else {
                preconditionFailure("a download that no one knows cannot have ended")
            }
            return DownloadTicket(download, token: token, isCreator: true)
        }
    }

    func remove(_ download: SharedDownload) {
        running.withLock { running in
            // A newer download may have the place: a request came between end and removal.
            if running[download.identity] === download { running[download.identity] = nil }
        }
    }
}
