import Foundation
import TestSupport
import Testing

@testable import Kingfisher

struct HTTPRecordsTests {
    private let folder: TemporaryDirectory
    private let records: HTTPRecords

    init() throws {
        folder = try TemporaryDirectory()
        records = HTTPRecords(images: DiskCache(store: DiskStore(directory: folder.url.path)))
    }

    private func record(_ tag: String) throws -> HTTPRecord {
        let response = TransferResponse(
            url: URL(filePath: "/a"),
            statusCode: 200,
            fields: [("ETag", tag)]
        )
        return try #require(HTTPRecord(response, time: Date()) { _ in nil })
    }

    @Test func `an image has its record as long as it lives, however many there are`() async throws
    {
        let record = try record("\"1\"")
        let images = (0..<10_000).map { _ in KFCrossPlatformImage() }
        for (number, image) in images.enumerated() { records.stored(image, record, "\(number)") }
        for number in [0, 4_095, 4_096, 9_999] {
            #expect(await records.record(of: .object(images[number]), "\(number)") == record)
        }
    }

    @Test func `another image of the name has no record`() async throws {
        let (image, other) = (KFCrossPlatformImage(), KFCrossPlatformImage())
        records.stored(image, try record("\"1\""), "a")
        #expect(await records.record(of: .object(other), "a") == nil)
        #expect(await records.record(of: .file(1), "a") == nil)
    }

    @Test func `an image that was read has the record of its file, and no other`() async throws {
        let (image, other) = (KFCrossPlatformImage(), KFCrossPlatformImage())
        let record = try record("\"1\"")
        records.wrote(1, record, "a")
        records.read(image, from: 1, "a")
        #expect(await records.record(of: .object(image), "a") == record)
        records.read(other, from: 2, "a")
        #expect(await records.record(of: .object(other), "a") == nil)
    }
}
