import Synchronization

/// What is noted of an answer as its picture reaches the layers of the caches.
///
/// Never before: a record without its picture would make an older one look fresh, and have the
/// server confirm it for ever.
struct HTTPNotes: Sendable {
    var image: Note?
    var original: Note?

    /// The note of one picture.
    final class Note: Sendable {
        private struct Progress {
            var isThere = false
            /// The file's checksum; the outer optional is nil until the store has ended.
            var written: UInt64??
        }

        private let record: HTTPRecord?
        private let name: String
        private let records: HTTPRecords
        private let progress = Mutex(Progress())

        /// Makes a note; without a record if there is nothing to remember, and what was remembered
        /// is of another picture.
        init(_ record: HTTPRecord?, _ name: String, in records: HTTPRecords) {
            self.record = record
            self.name = name
            self.records = records
        }

        /// Whoever looks finds the picture: in memory, or where it waits to be written.
        func isThere(willReachDisk: Bool) {
            guard let record else { return records.remove(name) }
            records.remember(record, name, isOfMemoryAlone: !willReachDisk)
            let written = progress.withLock { progress in
                progress.isThere = true
                return progress.written
            }
            if let written { records.pictureIsOnDisk(written, record, name) }
        }

        /// The picture was written, or could not be; the disk may be faster than who stores.
        func wasWritten(_ isOnDisk: Bool) {
            guard let record else { return }
            // What was written instead of it is another picture.
            let checksum = isOnDisk ? DiskWriteQueue.written : nil
            let isThere = progress.withLock { progress in
                progress.written = .some(checksum)
                return progress.isThere
            }
            if isThere { records.pictureIsOnDisk(checksum, record, name) }
        }
    }
}
