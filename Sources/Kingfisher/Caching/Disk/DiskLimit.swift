import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// How much of the disk a cache may use if nobody says so.
enum DiskLimit {
    /// One gigabyte, or a twentieth of what is free on the disk of a folder, if that is less.
    static func defaultBytes(directory: String) -> Int {
        guard let free = freeBytes(directory) else { return gigabyte }
        return min(gigabyte, free / 20)
    }

    private static let gigabyte = 1_000_000_000

    /// The bytes that are free where a folder is or will be.
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
