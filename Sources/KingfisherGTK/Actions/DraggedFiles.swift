#if GTK
import Foundation
import Synchronization

/// Copies of images that were dragged, for programs that take only files.
///
/// The other program may read a file long after the drop, so the latest ones are kept until the
/// process exits.
nonisolated enum DraggedFiles {
    private static let keptCount = 8
    private static let lastNumber = Atomic(0)
    private static let kept = Mutex<[URL]>([])
    private static let folder: URL = {
        let name = "kingfisher-drag-\(getpid())"
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent(name, isDirectory: true)
        atexit { try? FileManager.default.removeItem(at: DraggedFiles.folder) }
        return folder
    }()

    /// Writes a file of a name, readable only by this user; nil if it cannot be written.
    @concurrent
    static func write(_ data: Data, name: String) async -> URL? {
        let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        let own = folder.appendingPathComponent("\(number)", isDirectory: true)
        let file = own.appendingPathComponent(name)
        do {
            try FileManager.default.createDirectory(
                at: own,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            try data.write(to: file)
        } catch {
            // The bytes and the texture are still dragged.
            return nil
        }
        let old = kept.withLock { kept in
            kept.append(own)
            let old = kept.dropLast(keptCount)
            kept.removeFirst(old.count)
            return Array(old)
        }
        for folder in old { try? FileManager.default.removeItem(at: folder) }
        return file
    }
}
#endif
