import Foundation
import SystemPackage

/// What the disk store asks of a file system: the seam at which tests put faults in.
///
/// Every call blocks until it is done, and may be made by several threads at once.
protocol FileSystem: Sendable {
    /// Makes a folder that only its owner may enter, with those above it; one that exists is no
    /// error.
    func makeDirectory(_ path: String) throws(Errno)

    /// Takes the rights of other users from a folder of this user's.
    func restrict(directory: String)

    /// The names for which `isWanted` holds of what is in a folder, folders left out, in no order.
    ///
    /// There may be very many, so those that nobody wants are not collected.
    func names(
        in directory: String,
        where isWanted: (String) -> Bool
    ) throws(Errno) -> [String]

    /// The status of a file; of a symbolic link, not of its target.
    func status(of path: String) throws(Errno) -> FileStatus

    /// Reads a file that should have `count` bytes; of one that has more, one byte more.
    ///
    /// - Throws: `Errno.foreignFile` for everything but a regular file of this user's.
    func read(_ path: String, expecting count: Int) throws(Errno) -> Data

    /// Writes a file that must not exist yet, to the storage medium if `synced`.
    ///
    /// `proof` is kept beside the bytes where the file system can do so. Nothing is left of the
    /// file if writing fails.
    func write(
        _ data: Data,
        proof: Data?,
        toNew path: String,
        synced: Bool
    ) throws(Errno) -> FileStatus

    /// Reads the proof that was written with a file.
    func proof(of path: String) throws(Errno) -> Data

    /// Gives a file another name, whose file it replaces in one step.
    func rename(_ path: String, to other: String) throws(Errno)

    /// Exchanges the names of two files in one step; not every file system can.
    func exchange(_ path: String, with other: String) throws(Errno)

    func remove(_ path: String) throws(Errno)

    /// Opens a file to read, and to append if it is writable; makes a writable one that is missing.
    ///
    /// - Throws: `Errno.foreignFile` for everything but a regular file of this user's.
    func open(_ path: String, writable: Bool) throws(Errno) -> OpenFile

    func status(of file: OpenFile) throws(Errno) -> FileStatus

    /// Reads from an offset on; fewer bytes than `count` only where the file ends.
    func read(_ file: OpenFile, from offset: Int, count: Int) throws(Errno) -> Data

    func append(_ data: Data, to file: OpenFile) throws(Errno)

    func truncate(_ file: OpenFile, to count: Int) throws(Errno)

    /// Waits until what was written, or the entries of a folder, are on the storage medium.
    func sync(_ file: OpenFile) throws(Errno)
    func sync(directory: String) throws(Errno)

    /// Takes a lock that also counts between processes, alone or with others that share it.
    ///
    /// - Throws: `Errno.timedOut` if others hold the lock for the whole `limit`.
    func lock(_ file: OpenFile, sharing: Bool, waiting limit: Duration) throws(Errno)
    func unlock(_ file: OpenFile)
}

extension Errno {
    /// The file is a link, a pipe, a device, or belongs to another user.
    static let foreignFile = Errno.notPermitted
}

/// What the file system knows about a file.
struct FileStatus: Sendable, Equatable {
    /// In bytes.
    var size: Int
    /// Nanoseconds since 1970.
    var modified: Int64
    var inode: UInt64
    var device: UInt64
    /// How many names the file has; 0 for one that was deleted while open.
    var links: Int

    /// What tells the file from every other one that is there now.
    var identity: FileIdentity { FileIdentity(inode: inode, device: device) }
}

/// What tells a file from all others, by whatever name it is found.
struct FileIdentity: Sendable, Equatable {
    var inode: UInt64
    var device: UInt64
}
