/// What is noted of a response as its image reaches the layers of the caches.
///
/// Never before: a record without its image would be nobody's.
struct HTTPNotes: Sendable {
    var image: Note?
    var original: Note?

    /// The note of one entry.
    struct Note: Sendable {
        /// Nil if nothing is remembered of the response.
        let record: HTTPRecord?
        let name: String
        let records: HTTPRecords

        /// Memory has the image.
        func isThere(_ image: KFCrossPlatformImage) { records.stored(image, record, name) }

        /// The entry was written, or could not be.
        func wasWritten(_ isOnDisk: Bool) {
            guard let record, isOnDisk, let checksum = DiskWriteQueue.written else { return }
            records.wrote(checksum, record, name)
        }
    }
}
