import Foundation

/// An entry of a disk index without its texts.
struct DiskNode: Sendable {
    var size: Int
    var checksum: UInt64
    var modified: Int64
    var access: TimeInterval
    var expiry: TimeInterval
    var lifetime: TimeInterval
    var text: DiskTexts.Place
    var unwritten = DiskIndex.Unwritten.nothing
    var older: Int32
    var newer: Int32
    var metadata: LogPlace
    var division: KeyDivision
    /// The number of the file, if several entries share it.
    var file = DiskFiles.none

    init(_ entry: DiskEntry, text: DiskTexts.Place) {
        size = entry.size
        checksum = entry.checksum
        modified = entry.modified
        access = entry.access
        expiry = entry.expiry
        lifetime = entry.lifetime
        self.text = text
        older = -1
        newer = -1
        metadata = entry.metadata
        division = entry.division
    }

    /// Whether other entries have the same file.
    var sharesFile: Bool { file != DiskFiles.none }

    /// Whether its file is the one with these properties.
    ///
    /// No two files have the same: a store makes sure of it.
    func hasFile(_ checksum: UInt64, _ size: Int, _ modified: Int64) -> Bool {
        self.checksum == checksum && self.size == size && self.modified == modified
    }
}
