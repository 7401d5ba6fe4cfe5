import Foundation
import SystemPackage

/// The file of a body that is being received, kept if the process is killed.
///
/// It contains a line with the format name, a line with the length of the head, the head as JSON,
/// and the bytes received so far, from a multiple of 64 KiB on. The writer holds a lock on the
/// file; a file without a lock was abandoned. Data handed to the kernel survives the process but
/// not the machine, so a file from an earlier boot is not used.
enum RunningFile {
    static let pathExtension = "running"
    private static let mark = "Kingfisher running body 1\n"
    /// A multiple of all page sizes.
    private static let alignment = 64 << 10
    private static let maxHeadBytes = 1 << 20

    /// The offset of a body whose head ends at `end`.
    static func aligned(_ end: Int) -> Int { (end + alignment - 1) / alignment * alignment }

    private struct Head: Codable {
        let head: PartialHead
        let boot: String
    }

    /// Identifies the current boot of the machine.
    private static let boot: String = {
        let text = try? String(
            contentsOfFile: "/proc/sys/kernel/random/boot_id",
            encoding: .utf8
        )
        return text ?? ""
    }()

    /// Makes a file, replacing an abandoned one.
    ///
    /// - Returns: `nil` if the file cannot be made, or if another body is being received into it.
    static func make(_ head: PartialHead, at url: URL) -> SpillFile? {
        guard !boot.isEmpty, let json = try? JSONEncoder().encode(Head(head: head, boot: boot))
        else { return nil }
        var text = Data("\(mark)\(json.count)\n".utf8) + json
        let start = aligned(text.count)
        text += Data(repeating: 0x20, count: start - text.count)
        // If this fails, opening the file fails too.
        try? FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        removeLeftOver(url)
        guard
            let file = try? FileDescriptor.open(
                FilePath(url.path),
                .readWrite,
                options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: .ownerReadWrite
            )
        else { return nil }
        // From here on the deinit of `spill` removes and closes the file.
        let spill = SpillFile(file, start: start, path: url.path)
        guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0,
            (try? text.withUnsafeBytes { try file.writeAll($0) }) != nil
        else { return nil }
        return spill
    }

    /// Takes over an abandoned file in order to continue it; `nil` if there is no usable one.
    ///
    /// The file is not owned yet: it stays if the continuation fails.
    static func takeOver(_ url: URL) -> (head: PartialHead, file: SpillFile)? {
        guard let file = abandoned(url) else { return nil }
        guard let (head, start) = readHead(of: file) else {
            release(file)
            return nil
        }
        return (head, SpillFile(file, start: start, path: url.path, isOwned: false))
    }

    /// Reads the head and the offset of the body.
    private static func readHead(of file: FileDescriptor) -> (PartialHead, start: Int)? {
        guard let size = try? file.seek(offset: 0, from: .end),
            let all = try? Data.mapping(file, count: Int(size)), all.starts(with: mark.utf8)
        else { return nil }
        let rest = all.dropFirst(mark.utf8.count)
        guard let lineEnd = rest.prefix(16).firstIndex(of: 0x0A),
            let count = Int(String(decoding: rest[..<lineEnd], as: UTF8.self)),
            (1...maxHeadBytes).contains(count)
        else { return nil }
        let json = rest[(lineEnd + 1)...].prefix(count)
        let start = aligned(lineEnd + 1 + count)
        let received = all.count - start
        guard received > 0, let found = try? JSONDecoder().decode(Head.self, from: json),
            found.boot == boot, found.head.total.map({ received < $0 }) ?? true
        else { return nil }
        var head = found.head
        head.received = received
        return (head, start)
    }

    /// Removes an abandoned file.
    static func removeLeftOver(_ url: URL) {
        guard let file = abandoned(url) else { return }
        unlink(url.path)
        release(file)
    }

    private static func release(_ file: FileDescriptor) {
        flock(file.rawValue, LOCK_UN)
        // Only read, so closing cannot lose data.
        try? file.close()
    }

    /// Opens a file whose writer has ended.
    private static func abandoned(_ url: URL) -> FileDescriptor? {
        guard
            let file = try? FileDescriptor.open(
                FilePath(url.path),
                .readWrite,
                options: .closeOnExec
            )
        else { return nil }
        guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            // Only read, so closing cannot lose data.
            try? file.close()
            return nil
        }
        return file
    }
}
