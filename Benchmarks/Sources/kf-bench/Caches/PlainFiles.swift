import Foundation
import Glibc
import Synchronization

/// Files without a cache, in two variants.
enum PlainFiles {
    /// The reference design on Linux: Foundation's calls, then the file's dates.
    ///
    /// `fileURL` returns the file of a key, named by its SHA-256. A set under a lock holds the
    /// names of files that may exist.
    final class Foundations: Sendable {
        private let fileURL: @Sendable (String) -> URL
        private let names = Mutex<Set<String>>([])

        init(fileURL: @escaping @Sendable (String) -> URL) { self.fileURL = fileURL }

        func store(_ data: Data, for key: String) throws {
            let url = fileURL(key)
            let path = url.path
            try data.write(to: url)
            names.withLock { _ = $0.insert(url.lastPathComponent) }
            let now = Date()
            try FileManager.default.setAttributes(
                [.creationDate: now, .modificationDate: now.addingTimeInterval(604_800)],
                ofItemAtPath: path
            )
        }

        /// Reads a file that has not expired, and extends its expiration asynchronously.
        func read(_ key: String) throws -> Data {
            let url = fileURL(key)
            let path = url.path
            guard names.withLock({ $0.contains(url.lastPathComponent) }) else {
                throw BenchmarkError("never stored")
            }
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            let until = attributes[.modificationDate] as? Date
            guard let until, until > Date() else { throw BenchmarkError("expired") }
            let data = try Data(contentsOf: url)
            Self.prolonging.async {
                let now = Date()
                // The design ignores failures here.
                try? FileManager.default.setAttributes(
                    [.creationDate: now, .modificationDate: now.addingTimeInterval(604_800)],
                    ofItemAtPath: path
                )
            }
            return data
        }

        /// Waits until all expirations are extended.
        static func settle() { prolonging.sync {} }

        private static let prolonging = DispatchQueue(label: "prolonging")
    }

    /// Plain system calls: writes a temporary file and renames it.
    enum POSIX {
        static func store(_ data: Data, at path: String) throws {
            let temporary = path + ".tmp"
            let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            guard file >= 0 else { throw BenchmarkError("cannot open \(temporary)") }
            let written = data.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            close(file)
            guard written == data.count, rename(temporary, path) == 0 else {
                throw BenchmarkError("cannot write \(path)")
            }
        }

        static func read(_ path: String, size: Int) throws -> Data {
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { throw BenchmarkError("cannot open \(path)") }
            defer { close(file) }
            var data = Data(count: size)
            let count = data.withUnsafeMutableBytes {
                Glibc.read(file, $0.baseAddress, $0.count)
            }
            guard count == size else { throw BenchmarkError("\(path) is short") }
            return data
        }
    }

    /// Creates a folder, calls `body` with it and removes it.
    static func withFolder<T>(in parent: URL, _ body: (URL) throws -> T) throws -> T {
        let folder = parent.appendingPathComponent("files-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            // A folder that cannot be removed lies in the build folder and is harmless.
            try? FileManager.default.removeItem(at: folder)
        }
        return try body(folder)
    }
}
