import CAttributes
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Where a file is written: behind all links, with the file that it replaces.
struct OutputPlace {
    /// The path without a link at its end.
    let path: String
    /// The status of the file that is there; nil without one.
    let former: stat?

    /// Whether files are replaced that have other names, or that may not be written; `--force`.
    static let isForced = Atomic(false)

    /// The most links in a row, as the kernel allows.
    private static let maxLinks = 40

    /// Finds the place of a file.
    ///
    /// - Throws: A ``Failure`` for a folder, for a loop of links, and unless ``isForced`` for a file
    ///   with several names, one of which would keep the old bytes, and for a read-only one.
    init(_ path: String) throws {
        var status = stat()
        // Links such as /dev/stdout lead to a pipe by no path.
        let isSpecial = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
        guard !isSpecial || status.st_mode & S_IFMT != S_IFDIR else {
            throw Failure("cannot write \(path): it is a folder; name a file in it")
        }
        var (place, links) = (path, 0)
        while !isSpecial, lstat(place, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
            links += 1
            guard links <= Self.maxLinks else { throw Failure("cannot write \(path)", code: ELOOP) }
            place = try Self.target(of: place)
        }
        self.path = place
        former = stat(place, &status) == 0 ? status : nil
        guard !isSpecial, let former, !Self.isForced.load(ordering: .relaxed) else { return }
        guard former.st_nlink == 1 else {
            throw Failure(
                "cannot write \(path): it is one file under \(former.st_nlink) names, and the others "
                    + "would keep the old bytes; --force replaces this name"
            )
        }
        // An administrator may write any file.
        guard former.st_mode & 0o222 != 0, access(place, W_OK) == 0 else {
            throw Failure("cannot write \(path): it is read-only; --force replaces it")
        }
    }

    /// Whether a device or a pipe is there, which is written directly, because renaming would replace
    /// it.
    var isSpecial: Bool { former.map { $0.st_mode & S_IFMT != S_IFREG } ?? false }

    /// Whether a named pipe is there.
    var isPipe: Bool { former.map { $0.st_mode & S_IFMT == S_IFIFO } ?? false }

    /// Gives a new file what the former one has besides its bytes: owner and group where the system
    /// allows it, permissions, access control list and extended attributes.
    ///
    /// - Parameters:
    ///   - file: The new file.
    ///   - keepsTimes: Whether it keeps the times of the last access and change, too.
    /// - Throws: A ``Failure`` with the system's reason.
    func keepAttributes(in file: Int32, keepsTimes: Bool) throws {
        guard var former else {
            // mkstemp creates a file for its owner alone; ours gets the permissions of any new file.
            guard fchmod(file, 0o666 & ~Self.fileMask) == 0 else { throw failure(errno) }
            return
        }
        var made = stat()
        guard fstat(file, &made) == 0 else { throw failure(errno) }
        // Only an administrator may give files away; a member may give them to a group.
        if fchown(file, former.st_uid, former.st_gid) != 0 {
            // What the bits for programs allow is not for another owner.
            former.st_mode &= ~0o6000
            if made.st_gid != former.st_gid, fchown(file, uid_t.max, former.st_gid) != 0 {
                // The group of the new file is another one.
                former.st_mode &= ~0o070
            }
        }
        let code = kf_copy_attributes(path, file)
        guard code == 0 else { throw failure(code) }
        guard fchmod(file, former.st_mode & 0o7777) == 0 else { throw failure(errno) }
        guard keepsTimes else { return }
        guard futimens(file, [former.st_atim, former.st_mtim]) == 0 else { throw failure(errno) }
    }

    /// Whether an output is there already; a folder is none.
    static func isTaken(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
    }

    private func failure(_ code: Int32) -> Failure { Failure("cannot write \(path)", code: code) }

    private static func target(of link: String) throws -> String {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &bytes, bytes.count)
        guard count >= 0 else { throw Failure("cannot read the link \(link)", code: errno) }
        guard let target = String(validating: bytes[..<count], as: UTF8.self) else {
            throw Failure("cannot write \(link): it leads to a name that is not UTF-8")
        }
        guard !target.hasPrefix("/") else { return target }
        return (AtomicFile.folder(of: link) as NSString).appendingPathComponent(target)
    }

    /// The process's umask; read once, because reading it means setting it.
    private static let fileMask: mode_t = {
        let mask = umask(0)
        umask(mask)
        return mask
    }()
}
