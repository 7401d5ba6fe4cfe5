import Foundation
import SystemPackage

/// The file of an interrupted body.
///
/// It contains a line with the format name, a line with the length of the head, the head as JSON,
/// and the body. It is written to a temporary file and renamed. The head contains the SHA-256 of
/// the body, so that a file left incomplete by a system crash is not used.
enum PartialFile {
    static let pathExtension = "partial"
    private static let mark = "Kingfisher partial body 1\n"
    /// 1 MiB: four times the largest head that the transport accepts.
    private static let maxHeadBytes = 1 << 20

    private struct Head: Codable {
        let head: PartialHead
        let digest: Data
    }

    /// Writes a file; no process finds it before it is complete.
    static func write(_ body: Data, _ head: PartialHead, to url: URL) throws {
        let folder = url.deletingLastPathComponent()
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let start = try beginning(head, body)
        do {
            let file = try UnnamedFile.makeLinkable(in: folder.path)
            try file.closeAfter {
                try fill(file, [start, body])
                try link(file, to: url)
            }
        } catch let error as Errno where Errno.noUnnamedFiles.contains(error) {
            try writeAside([start, body], url)
        }
    }

    /// Gives the file of a body that was being received the form and name of this one.
    ///
    /// - Returns: Whether it had room for the beginning.
    static func adopt(
        _ file: SpillFile,
        _ body: Data,
        _ head: PartialHead,
        to url: URL
    ) throws -> Bool {
        let start = try beginning(head, body, size: file.start)
        guard start.count == file.start else { return false }
        try file.write(start.bytes, at: -start.count)
        try file.rename(to: url.path)
        return true
    }

    /// Everything before the body; the JSON is filled with spaces to `size` bytes if there is room.
    private static func beginning(_ head: PartialHead, _ body: Data, size: Int = 0) throws -> Data {
        var json = try JSONEncoder().encode(Head(head: head, digest: Data(SHA256.hash(body))))
        // The digits of the length take room too.
        for digits in 1...8 {
            let room = size - mark.utf8.count - digits - 1
            guard "\(room)".utf8.count == digits, room >= json.count else { continue }
            json += Data(repeating: 0x20, count: room - json.count)
            break
        }
        return Data("\(mark)\(json.count)\n".utf8) + json
    }

    private static func fill(_ file: FileDescriptor, _ parts: [Data]) throws {
        for part in parts { _ = try part.withUnsafeBytes { try file.writeAll($0) } }
    }

    private static func link(_ file: FileDescriptor, to url: URL) throws {
        do {
            try UnnamedFile.link(file, to: url.path)
        } catch Errno.fileExists {
            // The part that an earlier interruption has left.
            unlink(url.path)
            try UnnamedFile.link(file, to: url.path)
        }
    }

    /// The extension of files that are renamed when they are complete.
    static let asideExtension = "new"

    private static func writeAside(_ parts: [Data], _ url: URL) throws {
        let aside = url.appendingPathExtension("\(UInt64.random(in: .min ... .max))")
            .appendingPathExtension(asideExtension)
        do {
            let file = try FileDescriptor.open(
                FilePath(aside.path),
                .writeOnly,
                options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: .ownerReadWrite
            )
            try file.closeAfter { try fill(file, parts) }
            guard rename(aside.path, url.path) == 0 else { throw Errno(rawValue: errno) }
        } catch {
            remove(aside)
            throw error
        }
    }

    /// Reads a file; `nil` if it is missing or incomplete.
    ///
    /// The body is memory-mapped.
    static func read(_ url: URL) -> (PartialHead, Data)? {
        guard
            let file = try? FileDescriptor.open(
                FilePath(url.path),
                .readOnly,
                options: .closeOnExec
            )
        else { return nil }
        // Only read, so closing cannot lose data.
        defer { try? file.close() }
        guard let size = try? file.seek(offset: 0, from: .end),
            let all = try? Data.mapping(file, count: Int(size)),
            all.starts(with: mark.utf8)
        else { return nil }
        let rest = all.dropFirst(mark.utf8.count)
        guard let lineEnd = rest.prefix(16).firstIndex(of: 0x0A),
            let count = Int(String(decoding: rest[..<lineEnd], as: UTF8.self)),
            (1...maxHeadBytes).contains(count)
        else { return nil }
        let json = rest[(lineEnd + 1)...].prefix(count)
        let body = rest[(lineEnd + 1)...].dropFirst(count)
        guard let head = try? JSONDecoder().decode(Head.self, from: json),
            head.head.received == body.count, Data(SHA256.hash(body)) == head.digest
        else { return nil }
        return (head.head, body)
    }

    /// The size of the body in a file of this form or of that of ``RunningFile``, without the head;
    /// `fileBytes` if it has neither.
    static func bodyBytes(of url: URL, fileBytes: Int) -> Int {
        guard
            let file = try? FileDescriptor.open(
                FilePath(url.path),
                .readOnly,
                options: .closeOnExec
            )
        else { return fileBytes }
        // Only read, so closing cannot lose data.
        defer { try? file.close() }
        var beginning = Data(count: 64)
        let count = try? beginning.withUnsafeMutableBytes {
            try file.read(fromAbsoluteOffset: 0, into: $0)
        }
        let lines = beginning.prefix(count ?? 0)
            .split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
        guard lines.count == 3,
            let headBytes = Int(String(decoding: lines[1], as: UTF8.self)),
            (1...maxHeadBytes).contains(headBytes)
        else { return fileBytes }
        let start = lines[0].count + lines[1].count + 2 + headBytes
        let isRunning = url.pathExtension == RunningFile.pathExtension
        return max(0, fileBytes - (isRunning ? RunningFile.aligned(start) : start))
    }

    static func remove(_ url: URL) {
        // The file is missing or the folder is not writable; the file is unused in both cases.
        try? FileManager.default.removeItem(at: url)
    }
}

/// The data needed to continue an interrupted body.
struct PartialHead: Sendable, Codable, Equatable {
    struct Field: Sendable, Codable, Equatable {
        let name: String
        let value: String
    }

    /// The URL of the response, after redirects.
    let url: URL
    /// The value for `If-Range`.
    let validator: String
    /// The length of the complete body, if the server stated it.
    let total: Int?
    /// The fields of the response.
    let fields: [Field]
    /// The number of bytes received.
    var received: Int

    /// Makes the head of an interrupted body; `nil` if the rest must not be appended to it.
    ///
    /// - Parameters:
    ///   - response: A 200 response, or the one that ``ResumedAnswer`` made from a 206.
    ///   - received: The number of bytes received.
    init?(_ response: TransferResponse, received: Int) {
        let encoding = response.value(for: "Content-Encoding")?.lowercased() ?? "identity"
        guard response.statusCode == 200, encoding == "identity",
            response.value(for: "Accept-Ranges")?.lowercased() != "none",
            !CacheControl(response.values(for: "Cache-Control")).isNoStore,
            let validator = Self.validator(of: response)
        else { return nil }
        let total = response.expectedLength
        if let total, received >= total { return nil }
        url = response.url
        self.validator = validator
        self.total = total
        fields = response.fields.map { Field(name: $0.name, value: $0.value) }
        self.received = received
    }

    /// The validator that identifies the exact bytes: a strong entity tag (RFC 9110, 8.8.1).
    ///
    /// A weak tag identifies only equivalent versions. A date is not used: a file can change twice
    /// in a second, and servers set dates back.
    static func validator(of response: TransferResponse) -> String? {
        guard let tag = response.value(for: "ETag"), tag.utf8.count > 2, tag.hasPrefix("\""),
            tag.hasSuffix("\""),
            tag.dropFirst().dropLast().utf8.allSatisfy({ $0 > 0x20 && $0 != 0x22 && $0 != 0x7F })
        else { return nil }
        return tag
    }

    /// The modification date of the version, which must not change either.
    var lastModified: String? {
        fields.first { $0.name.lowercased() == "last-modified" }?.value
    }
}
