/// Called with the bytes received and the number announced, on the main queue.
public typealias DownloadProgressBlock = ((_ receivedSize: Int64, _ totalSize: Int64) -> Void)
