import SystemPackage

/// An error of the disk store.
enum DiskError: Error, Sendable, Equatable {
    /// The folder does not exist and cannot be created.
    case cannotCreateDirectory(path: String, Errno)
    /// The name is empty, too long or contains a slash.
    case invalidName(String, key: String)
    /// The entry cannot be written; an earlier entry of the name is unchanged.
    case cannotWrite(path: String, key: String, Errno)
    /// The entry exists but cannot be read.
    case cannotRead(path: String, key: String, Errno)
    /// The entry exists but cannot be deleted.
    case cannotRemove(path: String, Errno)
    /// There is no such entry.
    case notFound(path: String)
    /// The folder cannot be listed.
    case cannotList(path: String, Errno)
    /// The log of the index cannot be opened, locked or written.
    case cannotWriteIndex(path: String, Errno)
    /// The entry is larger than the size limit of the cache.
    case tooLarge(key: String, size: Int, limit: Int)
    /// Another process held the lock of the folder for too long.
    case locked(path: String)
    /// There are no bytes to write, because encoding failed.
    case nothingToWrite(key: String)
    /// Too many bytes are waiting to be written.
    case queueIsFull(key: String, waiting: Int)
    /// The transformer failed.
    case cannotTransform(key: String, detail: String)
}

extension DiskError {
    /// Whether the bytes are the reason, so that other bytes of the same name could be stored.
    var concernsBytes: Bool {
        switch self {
        case .nothingToWrite, .tooLarge, .cannotTransform: true
        default: false
        }
    }

    /// Whether the disk, or the user's share of it, has no room.
    var isFullDisk: Bool {
        switch self {
        case .cannotWrite(_, _, let error), .cannotWriteIndex(_, let error):
            error == .noSpace || error == .diskQuotaExceeded
        default: false
        }
    }
}

extension DiskError: CustomStringConvertible {
    var description: String { text.disclosing(.path) }

    private var text: String {
        switch self {
        case .cannotCreateDirectory(let path, let errno):
            "the folder \(path) cannot be made (\(errno))"
        case .invalidName(let name, let key):
            "no file can be named \"\(name)\", as the key \"\(key)\" would need"
        case .cannotWrite(let path, _, let errno):
            "\(path) cannot be written (\(errno))"
        case .cannotRead(let path, let key, let errno):
            "\(path) cannot be read for the key \"\(key)\" (\(errno))"
        case .cannotRemove(let path, let errno):
            "\(path) cannot be deleted (\(errno))"
        case .notFound(let path):
            "there is no \(path)"
        case .cannotList(let path, let errno):
            "the folder \(path) cannot be listed (\(errno))"
        case .cannotWriteIndex(let path, let errno):
            "the index \(path) cannot be written (\(errno))"
        case .tooLarge(let key, let size, let limit):
            "\(size) bytes for the key \"\(key)\" are more than the cache's size limit of \(limit)"
        case .locked(let path):
            "another process holds the lock of \(path); end it, or use another folder"
        case .nothingToWrite(let key):
            "there are no bytes to write for the key \"\(key)\""
        case .queueIsFull(let key, let waiting):
            "\(waiting) bytes wait to be written already, so \"\(key)\" is not stored"
        case .cannotTransform(let key, let detail):
            "the bytes for the key \"\(key)\" cannot be transformed (\(detail))"
        }
    }
}
