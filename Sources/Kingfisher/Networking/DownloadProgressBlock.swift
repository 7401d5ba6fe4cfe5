/// Called on the main queue with the numbers of received and of announced bytes.
public typealias DownloadProgressBlock = ((_ receivedSize: Int64, _ totalSize: Int64) -> Void)
