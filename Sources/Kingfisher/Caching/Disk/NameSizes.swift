/// The bytes that names of entries take beside their files.
struct NameSizes: Sendable {
    /// Their records in the log.
    var log = 0
    /// Their entries in the folder.
    var folder = 0

    /// The part that counts as size of a cache.
    ///
    /// The first 64 KiB do not count, so that a small cache has the size of its files. A log below
    /// this size is not rewritten either.
    var counted: Int { max(log &+ folder - 65_536, 0) }

    static func += (sizes: inout NameSizes, other: NameSizes) {
        sizes.log += other.log
        sizes.folder += other.folder
    }

    static func -= (sizes: inout NameSizes, other: NameSizes) {
        sizes.log -= other.log
        sizes.folder -= other.folder
    }
}
