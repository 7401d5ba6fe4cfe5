import Foundation
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The file system of the machine.
struct POSIXFileSystem: FileSystem {
    func makeDirectory(_ path: String) throws(Errno) {
        if mkdir(path, 0o700) == 0 { return }
        switch Errno(rawValue: errno) {
        case .fileExists:
            guard isDirectory(path) else { throw .notDirectory }
        case .noSuchFileOrDirectory:
            let parent = FilePath(path).removingLastComponent().string
            guard !parent.isEmpty, parent != path else { throw .noSuchFileOrDirectory }
            try makeDirectory(parent)
            // Another process may have created it meanwhile.
            if mkdir(path, 0o700) != 0, errno != EEXIST { throw Errno(rawValue: errno) }
        case let other:
            throw other
        }
    }

    func restrict(directory: String) {
        var found = stat()
        guard lstat(directory, &found) == 0, found.st_mode & S_IFMT == S_IFDIR,
            found.st_uid == geteuid(), found.st_mode & 0o077 != 0
        else { return }
        // A folder that cannot be restricted can still be used.
        _ = chmod(directory, found.st_mode & 0o700)
    }

    private func isDirectory(_ path: String) -> Bool {
        var found = stat()
        return stat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFDIR
    }

    func names(
        in directory: String,
        where isWanted: (String) -> Bool
    ) throws(Errno) -> [String] {
        guard let stream = opendir(directory) else { throw Errno(rawValue: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                let count = bytes.baseAddress.map { strnlen($0, bytes.count) } ?? 0
                return String(decoding: bytes.prefix(count), as: UTF8.self)
            }
            let kind = Int32(entry.pointee.d_type)
            // Some file systems do not report the type.
            let isFolder =
                kind == Int32(DT_DIR)
                || kind == Int32(DT_UNKNOWN) && isDirectory("\(directory)/\(name)")
            if !isFolder, isWanted(name) { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw Errno(rawValue: errno) }
        return names
    }

    func status(of path: String) throws(Errno) -> FileStatus {
        var found = stat()
        guard lstat(path, &found) == 0 else { throw Errno(rawValue: errno) }
        return FileStatus(found)
    }

    func rename(_ path: String, to other: String) throws(Errno) {
        guard Glibc.rename(path, other) == 0 else { throw Errno(rawValue: errno) }
    }

    func exchange(_ path: String, with other: String) throws(Errno) {
        guard let renameat2 = Self.renameat2 else { throw .notSupported }
        // RENAME_EXCHANGE
        guard renameat2(AT_FDCWD, path, AT_FDCWD, other, 2) == 0 else {
            throw Errno(rawValue: errno)
        }
    }

    // Looked up dynamically, because Swift's Glibc module does not import them and old libraries
    // lack some.
    private static let renameat2: RenameAt2? = dlsym(nil, "renameat2").map {
        unsafeBitCast($0, to: RenameAt2.self)
    }
    private static let fsetxattr: SetAttribute? = dlsym(nil, "fsetxattr").map {
        unsafeBitCast($0, to: SetAttribute.self)
    }
    private static let lgetxattr: GetAttribute? = dlsym(nil, "lgetxattr").map {
        unsafeBitCast($0, to: GetAttribute.self)
    }

    private typealias RenameAt2 =
        @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
    private typealias SetAttribute =
        @convention(c) (Int32, UnsafePointer<CChar>, UnsafeRawPointer?, Int, Int32) -> Int32
    private typealias GetAttribute =
        @convention(c) (
            UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int
        ) -> Int

    private static let proofName = "user.kingfisher.proof"

    func proof(of path: String) throws(Errno) -> Data {
        guard let lgetxattr = Self.lgetxattr else { throw .notSupported }
        var bytes = Data(count: FileProof.maximalSize)
        let count = bytes.withUnsafeMutableBytes {
            lgetxattr(path, Self.proofName, $0.baseAddress, $0.count)
        }
        guard count >= 0 else { throw Errno(rawValue: errno) }
        return bytes.prefix(count)
    }

    func setProof(_ proof: Data, of file: OpenFile) throws(Errno) {
        try setProof(proof, of: file.descriptor.rawValue)
    }

    private func setProof(_ proof: Data, of descriptor: Int32) throws(Errno) {
        guard let fsetxattr = Self.fsetxattr else { throw .notSupported }
        let result = proof.withUnsafeBytes {
            fsetxattr(descriptor, Self.proofName, $0.baseAddress, $0.count, 0)
        }
        guard result == 0 else { throw Errno(rawValue: errno) }
    }

    func remove(_ path: String) throws(Errno) {
        guard unlink(path) == 0 else { throw Errno(rawValue: errno) }
    }

    func sync(directory: String) throws(Errno) {
        let descriptor = try openDescriptor(directory, O_RDONLY | O_DIRECTORY)
        try sync(OpenFile(FileDescriptor(rawValue: descriptor)))
    }
}

extension POSIXFileSystem {
    // MARK: Whole files

    func read(_ path: String, expecting count: Int) throws(Errno) -> Data {
        let (descriptor, status) = try openOwnFile(path, O_RDONLY)
        defer { close(descriptor) }
        // The expected size comes from a log, so the file's own size limits the allocation. One
        // byte more detects a file that is longer than expected or growing.
        let wanted = min(max(count, 0), status.size)
        if wanted > UnnamedFile.largestInMemory,
            // Without room for a copy, the file is read into memory.
            let copy = try? UnnamedFile.copy(of: descriptor, atMost: wanted + 1)
        {
            return copy
        }
        guard let buffer = malloc(wanted + 1) else { throw .noMemory }
        var done = 0
        do throws(Errno) {
            while true {
                let got = try retrying { Glibc.read(descriptor, buffer + done, wanted + 1 - done) }
                done += got
                if got == 0 || done > wanted || done == count { break }
            }
        } catch {
            free(buffer)
            throw error
        }
        return Data(bytesNoCopy: buffer, count: done, deallocator: .free)
    }

    func write(
        _ data: Data,
        proof: Data?,
        toNew path: String,
        synced: Bool
    ) throws(Errno) -> (OpenFile, FileStatus) {
        let descriptor = try openDescriptor(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL)
        let file = OpenFile(FileDescriptor(rawValue: descriptor))
        claim(descriptor)
        do throws(Errno) {
            let status = try fill(descriptor, data, proof, synced)
            // Taken for the file of a dead process before it was locked.
            guard status.links > 0 else { throw .noSuchFileOrDirectory }
            return (file, status)
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Locks a new file.
    ///
    /// Fails on file systems without locks, where no process removes files of others, and while
    /// another process removes the file.
    private func claim(_ descriptor: Int32) { _ = flock(descriptor, LOCK_EX | LOCK_NB) }

    private func fill(
        _ descriptor: Int32,
        _ data: Data,
        _ proof: Data?,
        _ synced: Bool
    ) throws(Errno) -> FileStatus {
        try write(data, to: descriptor)
        // Without extended attributes the file cannot be recovered if the log is lost.
        if let proof { try? setProof(proof, of: descriptor) }
        if synced { _ = try retrying { fsync(descriptor) } }
        return try status(of: descriptor)
    }

    func write(
        _ data: Data,
        proof: Data?,
        toUnnamedIn directory: String,
        synced: Bool
    ) throws(Errno) -> (OpenFile, FileStatus) {
        guard UnnamedFile.canLink else { throw .notSupported }
        let descriptor = try openDescriptor(directory, O_WRONLY | UnnamedFile.flag)
        let file = OpenFile(FileDescriptor(rawValue: descriptor))
        claim(descriptor)
        return (file, try fill(descriptor, data, proof, synced))
    }

    func link(_ file: OpenFile, to path: String) throws(Errno) {
        do throws(Errno) {
            try UnnamedFile.link(file.descriptor, to: path)
        } catch .improperLink {
            // A folder on another file system has replaced ours.
            throw .noSuchFileOrDirectory
        }
    }
}

extension POSIXFileSystem {
    // MARK: Open files

    func open(_ path: String, writable: Bool) throws(Errno) -> OpenFile {
        let flags = writable ? O_RDWR | O_CREAT | O_APPEND : O_RDONLY
        let (descriptor, _) = try openOwnFile(path, flags)
        // Earlier versions made files readable by all users.
        if writable { _ = fchmod(descriptor, 0o600) }
        return OpenFile(FileDescriptor(rawValue: descriptor))
    }

    /// Opens a regular file of this user, and refuses any other object at the path.
    private func openOwnFile(
        _ path: String,
        _ flags: Int32
    ) throws(Errno) -> (Int32, FileStatus) {
        let descriptor: Int32
        do throws(Errno) {
            descriptor = try openDescriptor(path, flags)
        } catch .tooManySymbolicLinkLevels {
            throw .foreignFile
        }
        var found = stat()
        guard fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFREG,
            found.st_uid == geteuid()
        else {
            close(descriptor)
            throw .foreignFile
        }
        return (descriptor, FileStatus(found))
    }

    /// Opens a file without following links or waiting for the writer of a pipe.
    private func openDescriptor(_ path: String, _ flags: Int32) throws(Errno) -> Int32 {
        try retrying {
            Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        }
    }

    func status(of file: OpenFile) throws(Errno) -> FileStatus {
        try status(of: file.descriptor.rawValue)
    }

    private func status(of descriptor: Int32) throws(Errno) -> FileStatus {
        var found = stat()
        guard fstat(descriptor, &found) == 0 else { throw Errno(rawValue: errno) }
        return FileStatus(found)
    }

    func setModified(_ file: OpenFile, to time: Int64) throws(Errno) {
        let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
        let times = [
            timespec(tv_sec: 0, tv_nsec: Self.unchanged),
            timespec(tv_sec: Int(seconds), tv_nsec: Int(rest)),
        ]
        guard futimens(file.descriptor.rawValue, times) == 0 else { throw Errno(rawValue: errno) }
    }

    /// `UTIME_OMIT`, which Swift's Glibc module does not import.
    private static let unchanged = (1 << 30) - 2

    func read(_ file: OpenFile, from offset: Int, count: Int) throws(Errno) -> Data {
        guard count > 0 else { return Data() }
        guard let buffer = malloc(count) else { throw .noMemory }
        var done = 0
        do throws(Errno) {
            while done < count {
                let got = try retrying {
                    pread(file.descriptor.rawValue, buffer + done, count - done, offset + done)
                }
                if got == 0 { break }
                done += got
            }
        } catch {
            free(buffer)
            throw error
        }
        return Data(bytesNoCopy: buffer, count: done, deallocator: .free)
    }

    func append(_ data: Data, to file: OpenFile) throws(Errno) {
        try write(data, to: file.descriptor.rawValue)
    }

    private func write(_ data: Data, to descriptor: Int32) throws(Errno) {
        let failure: Errno? = data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let done = Glibc.write(descriptor, part.baseAddress, part.count)
                if done < 0, errno != EINTR { return Errno(rawValue: errno) }
                rest = rest.dropFirst(max(done, 0))
            }
            return nil
        }
        if let failure { throw failure }
    }

    func truncate(_ file: OpenFile, to count: Int) throws(Errno) {
        _ = try retrying { ftruncate(file.descriptor.rawValue, count) }
    }

    func sync(_ file: OpenFile) throws(Errno) {
        _ = try retrying { fsync(file.descriptor.rawValue) }
    }

    func lock(_ file: OpenFile, sharing: Bool, waiting limit: Duration) throws(Errno) {
        let kind = (sharing ? LOCK_SH : LOCK_EX) | LOCK_NB
        let start = ContinuousClock.now
        var pause = Duration.microseconds(50)
        while true {
            do throws(Errno) {
                _ = try retrying { flock(file.descriptor.rawValue, kind) }
                return
            } catch .wouldBlock {
                guard ContinuousClock.now - start < limit else { throw .timedOut }
            }
            // Polled, because a blocking `flock` has no time-out. Locks are held for about a
            // millisecond.
            SystemTime.pause(pause)
            pause = min(pause * 2, .milliseconds(5))
        }
    }

    func unlock(_ file: OpenFile) {
        _ = flock(file.descriptor.rawValue, LOCK_UN)
    }

    /// Repeats a system call that was interrupted by a signal.
    private func retrying<Result: SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
        while true {
            let result = call()
            if result >= 0 { return result }
            if errno != EINTR { throw Errno(rawValue: errno) }
        }
    }
}

extension FileStatus {
    fileprivate init(_ found: stat) {
        self.init(
            size: found.st_size,
            modified: SystemTime.modified(found),
            inode: UInt64(found.st_ino),
            device: UInt64(found.st_dev),
            links: Int(found.st_nlink)
        )
    }
}
