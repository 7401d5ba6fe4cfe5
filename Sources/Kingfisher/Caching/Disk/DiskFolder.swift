import Synchronization

/// The folder of a disk cache: its file system, and the paths in it.
///
/// The files of the store itself begin with ``ownPrefix``; all others are entries.
final class DiskFolder: Sendable {
    /// The prefix of the store's own files; it hides them from folder listings.
    static let ownPrefix = ".kingfisher"

    let path: String
    let files: any FileSystem
    /// The log of changes, from which the index is restored.
    let log: String
    /// The file by which other processes see that the folder is in use.
    let presence: String
    /// The size in bytes above which a log is not read.
    let logLimit: Int
    private let prefix: String
    private let temporaryPrefix: String
    private let lastTemporary: Atomic<UInt64>

    init(_ path: String, files: any FileSystem, logLimit: Int = LogReader.maximalSize) {
        self.path = path
        self.files = files
        self.logLimit = logLimit
        prefix = path + "/"
        log = prefix + "\(Self.ownPrefix).log"
        presence = prefix + "\(Self.ownPrefix).lock"
        temporaryPrefix = prefix + "\(Self.ownPrefix)-"
        // Random, because other processes make names in the same folder.
        lastTemporary = Atomic(UInt64.random(in: 1...(.max / 2)))
    }

    /// The path of an entry's file, whether or not it exists.
    func path(of name: String) -> String { prefix + name }

    /// A number for a temporary file that no other file of this process has.
    func makeTemporaryNumber() -> UInt64 {
        lastTemporary.wrappingAdd(1, ordering: .relaxed).newValue
    }

    func temporaryPath(_ number: UInt64) -> String {
        temporaryPrefix + Hexadecimal.text(of: number) + ".tmp"
    }

    /// Whether a file in the folder is one of a store's own.
    static func isOwn(_ name: String) -> Bool { name.startsWithBytes(of: ownPrefix) }

    /// Whether a file in the folder is a temporary one of a store.
    func isTemporary(_ name: String) -> Bool { Self.isOwn(name) && name.endsWithBytes(of: ".tmp") }
}
