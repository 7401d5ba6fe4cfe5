import Foundation
import Testing

@testable import Kingfisher

/// A setting that is no part of the identifier would give the cached images of another processor.
struct ProcessorSettingsTests {
    /// The stored properties of a processor, without its identifier.
    private func settings(_ processor: any ImageProcessor) -> [String: String] {
        let children = Mirror(reflecting: processor).children
        return children.reduce(into: [:]) { all, child in
            if let label = child.label, label != "identifier" { all[label] = "\(child.value)" }
        }
    }

    /// The processors that the message of one to a worker becomes if a bit of it changes.
    private func neighbours(of processor: any ImageProcessor) -> [any ImageProcessor] {
        var writer = ProcessorWriter()
        writer.write(PortableProcessor(processor))
        let (message, memory) = (writer.wire.bytes, writer.memory)
        return message.indices.flatMap { place in
            [1, 2, 16, 64].compactMap { (bit: UInt8) in
                var bytes = message
                bytes[place] ^= bit
                return bytes.withUnsafeBytes { bytes in
                    var reader = ProcessorReader(WireReader(bytes), memory: memory[...])
                    return try? PortableProcessor(from: &reader).processor
                }
            }
        }
    }

    @Test func `a change of any setting alone changes the identifier`() {
        var (all, found): (Set<String>, Set<String>) = ([], [])
        for processor in ProcessorTraitsTests.examples
        where PortableProcessors.contain(processor) && !(processor is ProcessorChain) {
            let (name, own) = ("\(type(of: processor))", settings(processor))
            all.formUnion(own.keys.map { "\(name).\($0)" })
            for other in neighbours(of: processor) where type(of: other) == type(of: processor) {
                let changed = settings(other).filter { own[$0.key] != $0.value }
                guard changed.count == 1, other.identifier != processor.identifier else { continue }
                found.formUnion(changed.keys.map { "\(name).\($0)" })
            }
        }
        #expect(all.count > 20)
        #expect(all.subtracting(found) == [])
    }
}
