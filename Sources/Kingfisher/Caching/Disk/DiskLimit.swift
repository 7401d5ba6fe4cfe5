import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The default size limit of a disk cache.
enum DiskLimit {
    /// One gigabyte, or a twentieth of the free space if that is less.
    static func defaultBytes(directory: String) -> Int {
        guard let free = freeBytes(directory) else { return gigabyte }
        return min(gigabyte, free / 20)
    }

    private static let gigabyte = 1_000_000_000

    /// The free bytes on the disk of a folder, which need not exist yet.
    private static func freeBytes(_ directory: String) -> Int? {
        var path = directory
        var found = statvfs()
        while statvfs(path, &found) != 0 {
            let parent = (path as NSString).deletingLastPathComponent
            if parent.isEmpty || parent == path { return nil }
            path = parent
        }
        let (bytes, isTooMany) = Int(clamping: found.f_bavail)
            .multipliedReportingOverflow(by: Int(clamping: found.f_frsize))
        return isTooMany ? .max : bytes
    }
}
