public import Foundation
import SystemPackage

/// Reads whole files whose paths are not trusted.
///
/// A pipe or a device could block the reader forever, so only regular files are read, and only up
/// to a limit. Files are not memory-mapped, because a process that truncates a mapped file would
/// terminate this one with `SIGBUS`.
enum RegularFile {
    /// The bytes of a file.
    ///
    /// - Parameters:
    ///   - path: The path; symbolic links are followed.
    ///   - maxBytes: Larger files are refused before they are read.
    /// - Returns: All bytes of the file.
    /// - Throws: ``LocalFileError``, or `CocoaError` if the file cannot be opened or read.
    static func read(_ path: String, maxBytes: Int) throws -> Data {
        try withFile(path) { file, size in
            guard size <= maxBytes else {
                throw LocalFileError.tooLarge(path: path, bytes: size, allowed: maxBytes)
            }
            let data = try bytes(of: file, expected: size, atMost: maxBytes)
            guard let data else {
                throw LocalFileError.tooLarge(path: path, bytes: maxBytes + 1, allowed: maxBytes)
            }
            return data
        }
    }

    /// The first bytes of a file, and its size in bytes.
    ///
    /// - Parameters:
    ///   - path: The path; symbolic links are followed.
    ///   - count: The maximum number of bytes to read.
    /// - Returns: The bytes read, and the size of the whole file.
    /// - Throws: As ``read(_:maxBytes:)``, except for the size.
    static func readHead(_ path: String, count: Int) throws -> (head: Data, size: Int) {
        try withFile(path) { file, size in
            var head = Data(count: min(count, size))
            let read = try head.withUnsafeMutableBytes { try fill($0, from: file, at: 0) }
            return (head.prefix(read), size)
        }
    }

    /// Opens a file for reading, for a worker process that maps it.
    ///
    /// - Returns: The descriptor, which is the caller's to close, and the state of the file.
    /// - Throws: As ``read(_:maxBytes:)``, except for the size.
    static func open(_ path: String) throws -> (descriptor: Int32, status: stat) {
        try withErrors(path) {
            let file = try opened(path)
            do {
                return (file.rawValue, try status(of: file, path))
            } catch {
                // Nothing was written, so a failed close loses nothing.
                try? file.close()
                throw error
            }
        }
    }

    private static func withFile<Result>(
        _ path: String,
        _ body: (FileDescriptor, Int) throws -> Result
    ) throws -> Result {
        try withErrors(path) {
            let file = try opened(path)
            return try file.closeAfter {
                try body(file, Int(try status(of: file, path).st_size))
            }
        }
    }

    // Without `nonBlocking`, opening a pipe would wait for its other end.
    private static func opened(_ path: String) throws -> FileDescriptor {
        try FileDescriptor.open(
            FilePath(path),
            .readOnly,
            options: [.nonBlocking, .closeOnExec]
        )
    }

    private static func status(of file: FileDescriptor, _ path: String) throws -> stat {
        var status = stat()
        guard fstat(file.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw LocalFileError.notRegular(path: path)
        }
        return status
    }

    private static func withErrors<Result>(
        _ path: String,
        _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as Errno {
            throw CocoaError(
                error.cocoaCode,
                userInfo: [
                    NSFilePathErrorKey: path,
                    NSUnderlyingErrorKey: NSError(
                        domain: NSPOSIXErrorDomain,
                        code: Int(error.rawValue)
                    ),
                ]
            )
        }
    }

    /// All bytes of a file, even if it grows or shrinks meanwhile; nil if it exceeds `limit`.
    private static func bytes(
        of file: FileDescriptor,
        expected: Int,
        atMost limit: Int
    ) throws -> Data? {
        // One byte more than expected, so that the end of the file is detected without another
        // read.
        var data = Data(count: min(expected, limit) + 1)
        var count = 0
        while true {
            count += try data.withUnsafeMutableBytes {
                try fill(
                    UnsafeMutableRawBufferPointer(rebasing: $0[count...]),
                    from: file,
                    at: count
                )
            }
            guard count == data.count else { return data.prefix(count) }
            guard count <= limit else { return nil }
            data.count = min(limit, 2 * count) + 1
        }
    }

    /// Reads until the buffer is full or the file ends.
    private static func fill(
        _ buffer: UnsafeMutableRawBufferPointer,
        from file: FileDescriptor,
        at start: Int
    ) throws -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let read = try file.read(fromAbsoluteOffset: Int64(start + done), into: rest)
            guard read > 0 else { break }
            done += read
        }
        return done
    }
}

/// Why a local file was not read.
public enum LocalFileError: Error, Equatable, LocalizedError {
    /// The path is a folder, a pipe, a socket or a device.
    case notRegular(path: String)
    /// The file is larger than any file that can be decoded.
    case tooLarge(path: String, bytes: Int, allowed: Int)

    /// The failure, and the kind of file to use instead.
    public var errorDescription: String? {
        switch self {
        case .notRegular(let path):
            "\(path) is not a regular file. Use the path of a file, not of a folder, a pipe or a "
                + "device."
        case .tooLarge(let path, let bytes, let allowed):
            "\(path) has \(bytes) bytes, but at most \(allowed) are allowed. Use a smaller file."
        }
    }
}

extension Errno {
    fileprivate var cocoaCode: CocoaError.Code {
        switch self {
        case .noSuchFileOrDirectory, .notDirectory: .fileReadNoSuchFile
        case .permissionDenied, .notPermitted: .fileReadNoPermission
        default: .fileReadUnknown
        }
    }
}

/// A file descriptor that is closed when its last reference is released.
final class OpenFile: Sendable {
    let descriptor: FileDescriptor

    init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    deinit {
        // Nothing is buffered in this process, so a failed close loses nothing.
        try? descriptor.close()
    }
}
