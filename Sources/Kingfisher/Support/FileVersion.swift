public import Foundation

/// The name of a file's content at one moment, which is part of every key made from a path.
///
/// Content that is replaced within the granularity of the file system's clock, a few milliseconds,
/// by as many bytes keeps its name.
@_spi(Server)
public enum FileVersion {
    /// The time of the last change and the size: `<nanoseconds since 1970>-<bytes>`.
    public static func text(_ status: stat) -> String {
        "\(SystemTime.modified(status))-\(status.st_size)"
    }

    /// The version of the file at a path; nil if the file system does not know it.
    ///
    /// Follows symbolic links, as reading does.
    static func text(ofFileAt path: String) -> String? {
        var status = stat()
        // A file that cannot be found cannot be read either, and reading reports the error.
        guard stat(path, &status) == 0 else { return nil }
        return text(status)
    }
}
