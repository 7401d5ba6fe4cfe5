#if Redis
internal import CKFRedisShim
import Foundation

/// A reply of a server.
enum RedisReply: Sendable, Equatable {
    case none
    case status(String)
    case bytes(Data)
    case integer(Int64)
    case list([RedisReply])
    case error(String)

    /// Converts a reply of hiredis, which nests at most seven lists.
    init(_ reply: UnsafeRawPointer?) {
        switch kf_redis_reply_type(reply) {
        case KF_REDIS_STATUS: self = .status(Self.text(of: reply))
        case KF_REDIS_BYTES: self = .bytes(Self.bytes(of: reply))
        case KF_REDIS_INTEGER: self = .integer(kf_redis_reply_integer(reply))
        case KF_REDIS_ERROR: self = .error(Self.text(of: reply))
        case KF_REDIS_LIST:
            self = .list(
                (0..<kf_redis_reply_count(reply)).map {
                    RedisReply(kf_redis_reply_element(reply, $0))
                }
            )
        default: self = .none
        }
    }

    private static func bytes(of reply: UnsafeRawPointer?) -> Data {
        var count = 0
        guard let bytes = kf_redis_reply_bytes(reply, &count), count > 0 else { return Data() }
        return Data(bytes: bytes, count: count)
    }

    private static func text(of reply: UnsafeRawPointer?) -> String {
        String(decoding: bytes(of: reply).prefix(500), as: UTF8.self)
    }
}

/// The parser of a connection's replies.
///
/// Used on one thread.
final class RedisReader {
    private let reader: UnsafeMutableRawPointer
    /// The bytes received since the last complete reply; an endless reply must not fill the memory.
    private var pending = 0
    private let limit: Int

    /// Makes a parser that refuses replies of more than `limit` bytes.
    init(limit: Int) throws(RedisError) {
        guard let reader = kf_redis_reader_new() else { throw RedisError("Out of memory.") }
        self.reader = reader
        self.limit = limit
    }

    deinit { kf_redis_reader_free(reader) }

    /// Adds received bytes.
    func feed(_ bytes: UnsafeRawBufferPointer) throws(RedisError) {
        pending = min(pending, limit) + bytes.count
        guard pending <= limit else { throw RedisError("A reply of Redis is too large.") }
        guard kf_redis_reader_feed(reader, bytes.baseAddress, bytes.count) == 0 else {
            throw RedisError("Out of memory for a reply of Redis.")
        }
    }

    /// Returns the next complete reply; nil if there is none.
    func next() throws(RedisError) -> RedisReply? {
        var reply: UnsafeMutableRawPointer?
        switch kf_redis_reader_next(reader, &reply) {
        case 0: return nil
        case 1:
            defer { kf_redis_reply_free(reply) }
            pending = 0
            return RedisReply(reply)
        default: throw RedisError("The server does not speak Redis' protocol.")
        }
    }
}

/// Commands in Redis' protocol, in which every word is a string with its length.
enum RedisCommand {
    static func append(_ words: [Data], to bytes: inout Data) {
        bytes.append(contentsOf: "*\(words.count)\r\n".utf8)
        for word in words {
            bytes.append(contentsOf: "$\(word.count)\r\n".utf8)
            bytes.append(word)
            bytes.append(contentsOf: "\r\n".utf8)
        }
    }
}
#endif
