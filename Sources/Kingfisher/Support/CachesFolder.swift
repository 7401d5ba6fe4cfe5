public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The user's folder for files that programs can make again.
@_spi(Programs) public enum CachesFolder {
    /// `XDG_CACHE_HOME`, or `.cache` in the home folder; the temporary folder without either.
    @_spi(Programs) public static var url: URL {
        url(ProcessInfo.processInfo.environment, home: homeOfUser)
    }

    /// As above, for an environment.
    ///
    /// A relative path counts as none, as the XDG Base Directory Specification says: it would make
    /// folders wherever the program is started.
    static func url(_ environment: [String: String], home: () -> String?) -> URL {
        func absolute(_ path: String?) -> String? {
            path.flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
        }
        if let caches = absolute(environment["XDG_CACHE_HOME"]) {
            return URL(fileURLWithPath: caches, isDirectory: true)
        }
        if let home = absolute(environment["HOME"]) ?? absolute(home()) {
            return URL(fileURLWithPath: home, isDirectory: true)
                .appendingPathComponent(".cache", isDirectory: true)
        }
        let temporary = absolute(environment["TMPDIR"]) ?? "/tmp"
        return URL(fileURLWithPath: temporary, isDirectory: true)
    }

    private static func homeOfUser() -> String? {
        guard let user = getpwuid(getuid()), let path = user.pointee.pw_dir else { return nil }
        return String(cString: path)
    }
}
