import Foundation
import Kingfisher

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file, pipe or device from which an image is read, with limits of bytes and time.
///
/// The size of a regular file is checked first. A pipe may be endless or silent: at most
/// ``Limit/stream`` bytes are read, and each wait has a timeout.
final class InputFile {
    /// The largest numbers of bytes that are read.
    enum Limit {
        /// Far above any photograph; larger files cannot be decoded in memory.
        static let file = 2_000_000_000
        /// The library's limit for downloads.
        static let stream = 256_000_000
        /// This many bytes are checked for an image header before the rest is read.
        static let judged = 1 << 20
    }

    /// Frames are counted within these bytes.
    static let mostBytesForFrames = 64 << 20

    private let descriptor: Int32
    private let name: String
    private let patience: Double
    /// The size of a regular file in bytes; nil for pipes and devices.
    let size: Int?
    private var bytes = Data()
    private var isAtEnd = false

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - patience: The number of seconds that a pipe may be silent.
    /// - Throws: A ``Failure`` if it cannot be read or is a folder.
    convenience init(path: String, patience: Double) throws {
        // Without O_NONBLOCK, opening a pipe without a writer would block forever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Failure.unreadable(path, code: errno) }
        try self.init(descriptor, name: path, patience: patience)
    }

    /// A regular file that can be opened, for a look at its beginning; nil for anything else.
    ///
    /// A pipe that is opened only to be closed again loses what its writer has put into it.
    static func regular(at path: String) -> InputFile? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return try? InputFile(path: path, patience: 1)
    }

    /// Opens standard input.
    convenience init(standardInputPatience patience: Double) throws {
        let descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else { throw Failure("cannot read standard input", code: errno) }
        try self.init(descriptor, name: "standard input", patience: patience)
    }

    private init(_ descriptor: Int32, name: String, patience: Double) throws {
        self.descriptor = descriptor
        self.name = name
        self.patience = patience
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            size = nil
            throw Failure("cannot read \(name)", code: errno)
        }
        let kind = status.st_mode & S_IFMT
        size = kind == S_IFREG ? Int(status.st_size) : nil
        if kind == S_IFDIR {
            throw Failure("cannot read \(name): it is a folder; name a file in it")
        }
    }

    deinit { close(descriptor) }

    /// Reads all bytes.
    ///
    /// A large input that does not begin with an image is not read to its end.
    ///
    /// - Throws: A ``Failure`` if there are more bytes than the limit, or the input is silent for
    ///   too long.
    func contents() throws -> Data {
        if let size, size > Limit.file { throw tooLarge(Limit.file) }
        let limit = size == nil ? Limit.stream : Limit.file
        if let size { bytes.reserveCapacity(size) }
        try fill(to: Limit.judged)
        if !isAtEnd { try judge() }
        // One byte above the limit shows that there are more.
        try fill(to: limit + 1)
        guard bytes.count <= limit else { throw tooLarge(limit) }
        return bytes
    }

    /// Reads all bytes of a text, within the limit of a pipe.
    func text() throws -> Data {
        try fill(to: Limit.stream + 1)
        guard bytes.count <= Limit.stream else { throw tooLarge(Limit.stream) }
        return bytes
    }

    /// The first `count` bytes, or fewer if the input is shorter.
    func beginning(_ count: Int) throws -> Data {
        try fill(to: count)
        return bytes
    }

    /// Parses the header of the image, reading as few bytes as necessary.
    ///
    /// Frames are counted within the first 64 MiB.
    func info() throws -> ImageFileInfo {
        var count = 256 << 10
        while true {
            try fill(to: count)
            let isLast = isAtEnd || count >= Self.mostBytesForFrames
            let header = Result { () throws(ImageFileInfo.Failure) in
                try ImageFileInfo(data: bytes)
            }
            switch header {
            case .success(let info) where isLast || info.frameCount == 1: return info
            case .failure(let failure) where isLast || !failure.mayPass: throw failure
            case .success, .failure: break
            }
            count *= 4
        }
    }

    /// The number of bytes of the whole input; nil for a pipe that is not read to its end.
    var byteCount: Int? { size ?? (isAtEnd ? bytes.count : nil) }

    private func judge() throws {
        // Only the first bytes are looked at: the header may be for a worker process to read.
        guard bytes.kf.imageFormat == .unknown else { return }
        throw Failure("\(name) is not an image: the bytes are not an image of a known format")
    }

    private func fill(to count: Int) throws {
        var block = [UInt8](repeating: 0, count: min(1 << 20, max(1, count - bytes.count)))
        while bytes.count < count, !isAtEnd {
            let wanted = min(block.count, count - bytes.count)
            try waitForBytes()
            let received = read(descriptor, &block, wanted)
            if received > 0 { bytes.append(contentsOf: block[..<received]) }
            if received == 0 { isAtEnd = true }
            if received < 0, errno != EINTR, errno != EAGAIN {
                throw Failure("cannot read \(name)", code: errno)
            }
        }
    }

    private func waitForBytes() throws {
        guard size == nil else { return }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = poll(&request, 1, Int32(min(patience * 1000, 86_400_000)))
        guard ready != 0 else {
            throw Failure("\(name) sent nothing for \(trimmed(patience)) s")
        }
    }

    private func tooLarge(_ limit: Int) -> Failure {
        Failure(
            "\(name) has more than \(Readable.bytes(limit)), the limit for an image"
                + (size == nil ? " from a pipe; save it to a file first" : "")
        )
    }
}

extension ImageFileInfo.Failure {
    /// Whether more bytes may help.
    fileprivate var mayPass: Bool {
        if case .needsMoreData = self { true } else { false }
    }
}
