import Foundation
import Synchronization

/// Information about an entry's bytes, such as the record of their HTTP response.
///
/// Memory stores it with the image; the disk writes it with the bytes, in one record of the log.
/// Pending bytes and their readers share one object, so that a change also affects pending bytes.
final class EntryMetadata: Sendable {
    /// In bytes; larger metadata is not written, so that a server cannot fill the disk with header
    /// fields.
    static let maximalSize = 16_384

    private struct State {
        var bytes: Data
        /// The decoded value, once it was requested.
        var value: (any Sendable)?
        var checksum: UInt64?
    }

    private let state: Mutex<State>

    /// Makes the metadata of bytes to be written.
    init(_ value: any Sendable, encoded bytes: Data) {
        state = Mutex(State(bytes: bytes, value: value))
    }

    /// Makes the metadata of bytes that were read.
    init(_ bytes: Data, of checksum: UInt64) {
        state = Mutex(State(bytes: bytes, checksum: checksum))
    }

    /// The encoded metadata.
    var bytes: Data { state.withLock { $0.bytes } }

    /// The checksum of the bytes it belongs to; nil until they are written.
    var checksum: UInt64? { state.withLock { $0.checksum } }

    /// Returns the decoded metadata, decoding it once; nil if decoding fails.
    func value<Value: Sendable>(_ decode: (Data) -> Value?) -> Value? {
        let (value, bytes) = state.withLock { ($0.value, $0.bytes) }
        if let value = value as? Value { return value }
        guard let decoded = decode(bytes) else { return nil }
        return state.withLock { state in
            // Replaced meanwhile, or decoded by another thread.
            if let value = state.value as? Value { return value }
            state.value = decoded
            return decoded
        }
    }

    /// Replaces the metadata; the caller must write it.
    func replace(by value: any Sendable, encoded bytes: Data) {
        state.withLock { ($0.value, $0.bytes) = (value, bytes) }
    }

    /// Records the checksum of the written bytes.
    func wasWritten(with checksum: UInt64) { state.withLock { $0.checksum = checksum } }
}

/// The reason why a name has no entry, such as the record of a 404.
struct DiskAbsence: Sendable, Equatable {
    /// Seconds since the reference date.
    var expiry: TimeInterval
    var metadata: Data
}
