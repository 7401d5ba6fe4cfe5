import Foundation
import SystemPackage

/// The file system operations of the disk store; tests replace them to inject faults.
///
/// Every call blocks, and several threads may call at once.
protocol FileSystem: Sendable {
    /// Creates a folder accessible only to its owner, including missing parents; an existing one is
    /// no error.
    func makeDirectory(_ path: String) throws(Errno)

    /// Removes other users' permissions from a folder of this user.
    func restrict(directory: String)

    /// The names of the files in `directory` that satisfy `isWanted`, in no particular order.
    ///
    /// Subfolders are skipped. The filter avoids collecting very many names.
    func names(
        in directory: String,
        where isWanted: (String) -> Bool
    ) throws(Errno) -> [String]

    /// The status of a file; for a symbolic link, that of the link.
    func status(of path: String) throws(Errno) -> FileStatus

    /// Reads a file that should have `count` bytes; of a larger file it reads one byte more.
    ///
    /// - Throws: `Errno.foreignFile` unless it is a regular file of this user.
    func read(_ path: String, expecting count: Int) throws(Errno) -> Data

    /// Creates and writes a file, and waits for the storage medium if `synced`.
    ///
    /// `proof` is stored with the file if the file system supports it. If writing fails, the file
    /// is removed.
    ///
    /// - Returns: The file, which can be appended to and is locked until it is released, so that it
    ///   is distinguished from a file of a process that died.
    func write(
        _ data: Data,
        proof: Data?,
        toNew path: String,
        synced: Bool
    ) throws(Errno) -> (OpenFile, FileStatus)

    /// Creates and writes a file without a name, which disappears unless it is linked.
    ///
    /// The other parameters and the result are those of ``write(_:proof:toNew:synced:)``.
    ///
    /// - Throws: One of ``Errno/noUnnamedFiles`` if this is not possible.
    func write(
        _ data: Data,
        proof: Data?,
        toUnnamedIn directory: String,
        synced: Bool
    ) throws(Errno) -> (OpenFile, FileStatus)

    /// Gives an unnamed file a name that no file has.
    ///
    /// - Throws: One of ``Errno/noUnnamedFiles`` if this is not possible.
    func link(_ file: OpenFile, to path: String) throws(Errno)

    /// Replaces the proof stored with a file.
    func setProof(_ proof: Data, of file: OpenFile) throws(Errno)

    /// Reads the proof stored with a file.
    func proof(of path: String) throws(Errno) -> Data

    /// Renames a file, atomically replacing an existing one.
    func rename(_ path: String, to other: String) throws(Errno)

    /// Swaps the names of two files atomically; not supported by all file systems.
    func exchange(_ path: String, with other: String) throws(Errno)

    func remove(_ path: String) throws(Errno)

    /// Opens a file for reading, and for appending if `writable`; creates a missing file if
    /// `writable`.
    ///
    /// - Throws: `Errno.foreignFile` unless it is a regular file of this user.
    func open(_ path: String, writable: Bool) throws(Errno) -> OpenFile

    func status(of file: OpenFile) throws(Errno) -> FileStatus

    /// Sets the modification time, in nanoseconds since 1970.
    func setModified(_ file: OpenFile, to time: Int64) throws(Errno)

    /// Reads from an offset; returns fewer bytes than `count` only at the end of the file.
    func read(_ file: OpenFile, from offset: Int, count: Int) throws(Errno) -> Data

    func append(_ data: Data, to file: OpenFile) throws(Errno)

    func truncate(_ file: OpenFile, to count: Int) throws(Errno)

    /// Waits until written data, or the entries of a folder, are on the storage medium.
    func sync(_ file: OpenFile) throws(Errno)
    func sync(directory: String) throws(Errno)

    /// Takes an exclusive or shared lock that also applies between processes.
    ///
    /// - Throws: `Errno.timedOut` if the lock is not available within `limit`.
    func lock(_ file: OpenFile, sharing: Bool, waiting limit: Duration) throws(Errno)
    func unlock(_ file: OpenFile)
}

extension Errno {
    /// The file is a link, a pipe or a device, or belongs to another user.
    static let foreignFile = Errno.notPermitted
}

/// The status of a file.
struct FileStatus: Sendable, Equatable {
    /// The size in bytes.
    var size: Int
    /// The modification time in nanoseconds since 1970.
    var modified: Int64
    var inode: UInt64
    var device: UInt64
    /// The number of links; 0 for a file that was deleted while open.
    var links: Int

    /// Identifies the file among all existing ones.
    var identity: FileIdentity { FileIdentity(inode: inode, device: device) }
}

/// Identifies a file independently of its name.
struct FileIdentity: Sendable, Equatable {
    var inode: UInt64
    var device: UInt64
}
