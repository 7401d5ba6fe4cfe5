import Foundation
import Testing

/// The memory that the library's functions hold while they wait.
///
/// Each asynchronous function has a frame for what must outlive a suspension. It is kept for as long
/// as the load waits, and thousands may wait. Inlined copies of options and errors have made one of
/// them five times as large without anything else showing it.
@Suite(.timeLimit(.minutes(1)))
struct AsyncFrameTests {
    /// What marks the library's functions among the mangled names.
    private static let library = "$s10Kingfisher"

    private static var isOptimised: Bool {
        #if DEBUG
        false
        #else
        true
        #endif
    }

    @Test(.enabled(if: isOptimised, "other frames are not what programs ship"))
    func `no function holds more than 4,000 bytes while it waits`() throws {
        let frames = try FrameSizes(ofProgram: KFProgram.executable).sizes
            .filter { $0.key.hasPrefix(Self.library) }
        #expect(frames.count > 300, "the program has no symbols")
        let longest = frames.filter { $0.value > 4000 }
        #expect(longest.isEmpty, "mark what copies large values in them as @inline(never)")
    }
}

/// The frame sizes in a program's descriptors of asynchronous functions.
///
/// The symbol of a descriptor ends in `Tu`. It is a relative address of the code and a number of
/// bytes, 32 bits each. ELF, 64 bits, little-endian.
private struct FrameSizes {
    /// By mangled name.
    private(set) var sizes: [String: Int] = [:]
    private let program: Data

    /// - Throws: Errors of reading the file.
    init(ofProgram file: URL) throws {
        program = try Data(contentsOf: file, options: .mappedIfSafe)
        let sections = self.sections
        for table in sections where table.type == 2 {
            let names = sections[table.link].offset
            for symbol in stride(from: table.offset, to: table.offset + table.size, by: 24) {
                let name = names + number(at: symbol, as: UInt32.self)
                let section = number(at: symbol + 6, as: UInt16.self)
                guard sections.indices.contains(section), section > 0 else { continue }
                let end = program[name...].firstIndex(of: 0) ?? program.endIndex
                guard program[name..<end].suffix(2).elementsEqual("Tu".utf8) else { continue }
                let address = number(at: symbol + 8, as: UInt64.self)
                let descriptor = address - sections[section].address + sections[section].offset
                sizes[String(decoding: program[name..<end], as: UTF8.self)] =
                    number(at: descriptor + 4, as: UInt32.self)
            }
        }
    }

    private struct Section {
        let type, address, offset, size, link: Int
    }

    private var sections: [Section] {
        let (start, size) = (number(at: 0x28, as: UInt64.self), number(at: 0x3a, as: UInt16.self))
        return (0..<number(at: 0x3c, as: UInt16.self)).map { index in
            let header = start + index * size
            return Section(
                type: number(at: header + 4, as: UInt32.self),
                address: number(at: header + 16, as: UInt64.self),
                offset: number(at: header + 24, as: UInt64.self),
                size: number(at: header + 32, as: UInt64.self),
                link: number(at: header + 40, as: UInt32.self)
            )
        }
    }

    private func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Int {
        program.withUnsafeBytes { bytes in
            Int(Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type)))
        }
    }
}
