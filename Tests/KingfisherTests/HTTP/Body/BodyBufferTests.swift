import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Kingfisher

struct BodyBufferTests {
    private func append(_ data: Data, to body: inout BodyBuffer) throws {
        try body.append(data.bytes)
    }

    @Test(arguments: [0, 1, 99, 100, 101, 1000])
    func `pieces make the whole, in memory and in a file`(threshold: Int) throws {
        var body = BodyBuffer(threshold: threshold)
        var expected = Data()
        for index in 0..<50 {
            let piece = Data(repeating: UInt8(index), count: index % 7)
            try append(piece, to: &body)
            expected += piece
        }
        #expect(body.count == expected.count)
        #expect(body.isInFile == (expected.count > threshold))
        #expect(try body.data() == expected)
        for offset in [0, 1, 60, expected.count, expected.count + 5] {
            #expect(body.copy(from: offset) == expected.dropFirst(offset))
        }
    }

    @Test func `a value that was read before does not see later pieces`() throws {
        for threshold in [2, 100] {
            var body = BodyBuffer(threshold: threshold)
            try append(Data("abc".utf8), to: &body)
            let before = try body.data()
            try append(Data("def".utf8), to: &body)
            #expect(before == Data("abc".utf8))
            #expect(try body.data() == Data("abcdef".utf8))
        }
    }

    @Test func `a mapped body outlives its buffer, and its file has no name`() throws {
        let data: Data
        do {
            var body = BodyBuffer(threshold: 10)
            try append(Data(repeating: 7, count: 100_000), to: &body)
            data = try body.data()
            let folder = "/proc/self/fd"
            let targets = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
            }
            let named = targets.filter {
                $0.contains(".kingfisher-body-") && !$0.hasSuffix(" (deleted)")
            }
            #expect(named.isEmpty)
        }
        #expect(data == Data(repeating: 7, count: 100_000))
    }
}
