import CKFIsolationShim
import Foundation
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// Messages and memory of another process are not believed.
struct WireTests {
    @Test func `values come back as they were written`() throws {
        var writer = WireWriter()
        writer.write(-7)
        writer.write(0.25)
        writer.write(true)
        writer.write("ein Bild für später")
        writer.write(nil as Int?) { $0.write($1) }
        writer.write(9 as Int?) { $0.write($1) }
        try writer.bytes.withUnsafeBytes { bytes in
            var reader = WireReader(bytes)
            #expect(try reader.int() == -7)
            #expect(try reader.double() == 0.25)
            #expect(try reader.bool())
            #expect(try reader.string(maxBytes: 100) == "ein Bild für später")
            let none = try reader.optional { reader throws(WireError) in try reader.int() }
            let some = try reader.optional { reader throws(WireError) in try reader.int() }
            #expect(none == nil)
            #expect(some == 9)
            try reader.end()
        }
    }

    @Test(arguments: [Int.min, -1, 5, 1000, .max])
    func `a length that reaches outside is refused`(_ length: Int) {
        var writer = WireWriter()
        writer.write(length)
        writer.write(true)
        let bytes = writer.bytes
        #expect(throws: WireError.self) {
            try bytes.withUnsafeBytes { bytes in
                var reader = WireReader(bytes)
                return try reader.string(maxBytes: .max)
            }
        }
    }

    @Test func `an answer cut anywhere is refused`() throws {
        let memory = try SealedMemory.holding(Data(count: 100))
        let result = try SealedMapping(memory, maxBytes: 100).shared
        let place = ImageParcel.Place(offset: 64, count: 9)
        let answers: [(IsolatedAnswer, fixed: Int)] = [
            (.image(ImageParcel(place: place, body: .bytes(result))), 24),
            (.tooLarge(PixelSize(width: 3, height: 4)), 24), (.reason("it is damaged"), 30),
            (.file(.bytes(result)), 8),
        ]
        for (answer, fixed) in answers {
            let whole = answer.message()
            #expect(whole.bytes.count == fixed)
            _ = try IsolatedAnswer(whole)
            for count in 0..<whole.bytes.count {
                var cut = whole
                cut.bytes.removeLast(whole.bytes.count - count)
                #expect(throws: WireError.self) { try IsolatedAnswer(cut) }
            }
            var longer = whole
            longer.bytes.append(0)
            #expect(throws: WireError.self) { try IsolatedAnswer(longer) }
        }
    }

    @Test func `memory that may still change is refused`() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("bytes").path
        try Data(count: 100).write(to: folder.file("bytes"))
        let file = SealedMemory.adopting(open(path, O_RDWR | O_CLOEXEC))
        #expect(throws: WireError.self) { try SealedMapping(file, maxBytes: 1000) }
        let open = SealedMemory.adopting(kf_memory_create())
        ftruncate(open.descriptor, 100)
        #expect(throws: WireError.self) { try SealedMapping(open, maxBytes: 1000) }
        let null = SealedMemory.adopting(Glibc.open("/dev/null", O_RDWR | O_CLOEXEC))
        #expect(throws: WireError.self) { try SealedMapping(null, maxBytes: 1000) }
    }

    @Test func `sealed memory is mapped, and too much of it refused`() throws {
        let memory = try SealedMemory.holding(Data("some bytes".utf8))
        #expect(memory.size == 10)
        let mapping = try SealedMapping(memory, maxBytes: 10)
        #expect(Array(mapping.bytes) == Array("some bytes".utf8))
        #expect(throws: WireError.self) { try SealedMapping(memory, maxBytes: 9) }
        #expect(throws: WireError.self) { try mapping.shared.slice(offset: 1, count: 10) }
        #expect(throws: WireError.self) { try mapping.shared.slice(offset: .max, count: .max) }
        #expect(throws: WireError.self) { try mapping.shared.slice(offset: -1, count: 1) }
        // Nobody can change it any more, with whichever rights.
        #expect(ftruncate(memory.descriptor, 5) != 0)
        #expect(write(memory.descriptor, "x", 1) != 1)
    }
}
