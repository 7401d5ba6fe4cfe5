import Foundation
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The file system of this machine.
struct POSIXFileSystem: FileSystem {
    func makeDirectory(_ path: String) throws(Errno) {
        if mkdir(path, 0o777) == 0 { return }
        switch Errno(rawValue: errno) {
        case .fileExists:
            guard isDirectory(path) else { throw .notDirectory }
        case .noSuchFileOrDirectory:
            let parent = FilePath(path).removingLastComponent().string
            guard !parent.isEmpty, parent != path else { throw .noSuchFileOrDirectory }
            try makeDirectory(parent)
            // Another process may have made it in the meantime.
            if mkdir(path, 0o777) != 0, errno != EEXIST { throw Errno(rawValue: errno) }
        case let other:
            throw other
        }
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
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            let kind = Int32(entry.pointee.d_type)
            // Some file systems do not tell the kind.
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
        guard stat(path, &found) == 0 else { throw Errno(rawValue: errno) }
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

    // Looked up, for Swift's module of the C library leaves it out, and older ones lack it.
    private static let renameat2: RenameAt2? = dlsym(nil, "renameat2").map {
        unsafeBitCast($0, to: RenameAt2.self)
    }

    private typealias RenameAt2 =
        @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32

    func remove(_ path: String) throws(Errno) {
        guard unlink(path) == 0 else { throw Errno(rawValue: errno) }
    }

    func sync(directory: String) throws(Errno) {
        try sync(open(directory, flags: O_RDONLY | O_DIRECTORY))
    }
}

extension POSIXFileSystem {
    // MARK: Whole files

    func read(_ path: String, expecting count: Int) throws(Errno) -> Data {
        let descriptor = try openDescriptor(path, O_RDONLY)
        defer { close(descriptor) }
        // The byte more shows that there are not fewer nor more, without a call that says so.
        guard let buffer = malloc(count + 1) else { throw .noMemory }
        var done = 0
        do throws(Errno) {
            while true {
                let got = try retrying { Glibc.read(descriptor, buffer + done, count + 1 - done) }
                done += got
                if got == 0 || done >= count { break }
            }
        } catch {
            free(buffer)
            throw error
        }
        return Data(bytesNoCopy: buffer, count: done, deallocator: .free)
    }

    func write(_ data: Data, toNew path: String, synced: Bool) throws(Errno) -> FileStatus {
        let descriptor = try openDescriptor(path, O_WRONLY | O_CREAT | O_EXCL)
        // Nothing is buffered on our side; there is nobody to tell that closing failed.
        defer { close(descriptor) }
        do throws(Errno) {
            try write(data, to: descriptor)
            if synced { _ = try retrying { fsync(descriptor) } }
            return try status(of: descriptor)
        } catch {
            unlink(path)
            throw error
        }
    }
}

extension POSIXFileSystem {
    // MARK: Open files

    func open(_ path: String, writable: Bool) throws(Errno) -> OpenFile {
        try open(path, flags: writable ? O_RDWR | O_CREAT | O_APPEND : O_RDONLY)
    }

    private func open(_ path: String, flags: Int32) throws(Errno) -> OpenFile {
        OpenFile(FileDescriptor(rawValue: try openDescriptor(path, flags)))
    }

    private func openDescriptor(_ path: String, _ flags: Int32) throws(Errno) -> Int32 {
        try retrying { Glibc.open(path, flags | O_CLOEXEC, 0o666) }
    }

    func status(of file: OpenFile) throws(Errno) -> FileStatus {
        try status(of: file.descriptor.rawValue)
    }

    private func status(of descriptor: Int32) throws(Errno) -> FileStatus {
        var found = stat()
        guard fstat(descriptor, &found) == 0 else { throw Errno(rawValue: errno) }
        return FileStatus(found)
    }

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

    func lock(_ file: OpenFile) throws(Errno) {
        _ = try retrying { flock(file.descriptor.rawValue, LOCK_EX) }
    }

    func lockIfFree(_ file: OpenFile) throws(Errno) -> Bool {
        do throws(Errno) {
            _ = try retrying { flock(file.descriptor.rawValue, LOCK_EX | LOCK_NB) }
            return true
        } catch .wouldBlock {
            return false
        }
    }

    func share(_ file: OpenFile) throws(Errno) {
        _ = try retrying { flock(file.descriptor.rawValue, LOCK_SH) }
    }

    func unlock(_ file: OpenFile) {
        _ = flock(file.descriptor.rawValue, LOCK_UN)
    }

    /// Makes a system call, again when a signal interrupted it.
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
            modified: Int64(found.st_mtim.tv_sec) * 1_000_000_000 + Int64(found.st_mtim.tv_nsec),
            inode: UInt64(found.st_ino),
            device: UInt64(found.st_dev),
            links: Int(found.st_nlink)
        )
    }
}
