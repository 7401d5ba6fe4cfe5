import Foundation
import Kingfisher
import NIOCore
import NIOFoundationCompat

/// A stored result: the body of a response, and the properties for its head.
final class StoredResult: Sendable, CacheCostCalculable {
    /// The properties stored with the body.
    struct Facts: Sendable, Codable, Equatable {
        /// The content type.
        var contentType: String
        /// The extension of the file's name.
        var fileExtension: String
        /// Width and height in pixels; nil for sources passed on without decoding, and for JSON.
        var width: Int?
        var height: Int?
        /// The factor by which the result differs from the size without `dpr`.
        var dpr: Double?
        /// The hash of the body; see ``CacheKeys/validator(of:)``.
        var entityTag: String
        /// The source's modification date as text.
        var lastModified: String?
        /// The source's fields of the same names, if they are passed on.
        var cacheControl: String?
        var expires: String?
        /// How many seconds before the result the source was made or confirmed.
        var sourceAge: Int?
        /// Fields of the source that are passed on, by name.
        var passedFields: [String: String] = [:]
        /// The size of the source in bytes.
        var sourceSize: Int
        /// When the result was made, in seconds since 1970.
        var created: Int
        /// How many seconds it may be used; nil for the configured time.
        var lifetime: Double?
        /// Whether the source ended early; nil if not.
        var isTruncated: Bool?
    }

    /// The properties from which the head of a response is made.
    let facts: Facts
    /// The body; shared, not copied, by responses.
    let body: ByteBuffer

    /// Makes a result.
    init(facts: Facts, body: ByteBuffer) {
        self.facts = facts
        self.body = body
    }

    /// The size in memory; 1 KiB for the facts.
    var cacheCost: Int { body.readableBytes + 1024 }
}

// MARK: - On disk

extension StoredResult {
    /// Begins each file, so that another version's is not read.
    private static let mark: [UInt8] = Array("KFR2".utf8)

    /// The result as one file: a mark, the length of the facts, the facts and the body.
    func encoded() throws -> Data {
        let facts = try JSONEncoder().encode(facts)
        var data = Data(capacity: 8 + facts.count + body.readableBytes)
        data.append(contentsOf: Self.mark)
        withUnsafeBytes(of: UInt32(facts.count).littleEndian) { data.append(contentsOf: $0) }
        data.append(facts)
        data.append(contentsOf: body.readableBytesView)
        return data
    }

    /// Reads ``encoded()``; nil for anything else.
    convenience init?(encoded data: Data) {
        guard data.count >= 8, data.prefix(4).elementsEqual(Self.mark) else { return nil }
        let count = data.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        let rest = data.dropFirst(8)
        guard count <= rest.count,
            let facts = try? JSONDecoder().decode(Facts.self, from: rest.prefix(count))
        else { return nil }
        self.init(facts: facts, body: ByteBuffer(data: rest.dropFirst(count)))
    }
}
