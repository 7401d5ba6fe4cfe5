import Foundation
import KFCodecs
import KFPixels

/// A setting of a processor that can be sent to workers.
protocol PortableValue: SendableMetatype {
    func write(to writer: inout ProcessorWriter)

    init(from reader: inout ProcessorReader) throws(WireError)
}

/// A processor inside another one, of which ``PortableProcessors/contain(_:)`` is true.
struct PortableProcessor: PortableValue {
    let processor: any ImageProcessor

    init(_ processor: any ImageProcessor) { self.processor = processor }

    func write(to writer: inout ProcessorWriter) {
        guard let known = processor.builtIn,
            let place = PortableProcessors.types.firstIndex(where: { $0 == type(of: known) })
        else {
            preconditionFailure("\(processor.identifier) is not in PortableProcessors.types")
        }
        writer.write(place)
        known.write(to: &writer)
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        processor = try reader.processor()
    }
}

extension Array: PortableValue where Element: PortableValue {
    func write(to writer: inout ProcessorWriter) {
        writer.write(count)
        for element in self { writer.write(element) }
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self = []
        for _ in 0..<(try reader.wire.int(in: 1...PortableProcessors.maxSteps)) {
            append(try reader.value())
        }
    }
}

extension Optional: PortableValue where Wrapped: PortableValue {
    func write(to writer: inout ProcessorWriter) {
        writer.write(self != nil)
        if let self { writer.write(self) }
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self = try reader.value() ? .some(try reader.value()) : nil
    }
}

extension Int: PortableValue {
    func write(to writer: inout ProcessorWriter) { writer.wire.write(self) }
    init(from reader: inout ProcessorReader) throws(WireError) { self = try reader.wire.int() }
}

extension Bool: PortableValue {
    func write(to writer: inout ProcessorWriter) { writer.wire.write(self) }
    init(from reader: inout ProcessorReader) throws(WireError) { self = try reader.wire.bool() }
}

extension CGFloat: PortableValue {
    func write(to writer: inout ProcessorWriter) { writer.wire.write(Double(self)) }
    init(from reader: inout ProcessorReader) throws(WireError) {
        self.init(try reader.wire.double())
    }
}

/// A value that is made of others.
protocol PortableRecord: PortableValue {
    static var form: PortableForm<Self> { get }
}

extension PortableRecord {
    func write(to writer: inout ProcessorWriter) { Self.form.write(self, &writer) }
    init(from reader: inout ProcessorReader) throws(WireError) {
        self = try Self.form.read(&reader)
    }
}

extension CGSize: PortableRecord {
    static let form = PortableForm<Self>({ Self(width: $0, height: $1) }, { ($0.width, $0.height) })
}

extension CGPoint: PortableRecord {
    static let form = PortableForm<Self>({ Self(x: $0, y: $1) }, { ($0.x, $0.y) })
}

extension KFCrossPlatformColor: PortableRecord {
    static let form = PortableForm(Self.init(red:green:blue:alpha:)) {
        ($0.red, $0.green, $0.blue, $0.alpha)
    }
}

extension Border: PortableRecord {
    static let form = PortableForm(Self.init(color:lineWidth:radius:roundingCorners:)) {
        ($0.color, $0.lineWidth, $0.radius, $0.roundingCorners)
    }
}

extension RectCorner: PortableRecord {
    static let form = PortableForm(Self.init(rawValue:)) { $0.rawValue }
}

extension Radius: PortableValue {
    func write(to writer: inout ProcessorWriter) {
        let (kind, number) =
            switch self {
            case .widthFraction(let fraction): (0, fraction)
            case .heightFraction(let fraction): (1, fraction)
            case .point(let point): (2, point)
            }
        writer.write(kind)
        writer.write(number)
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        switch try reader.wire.int(in: 0...2) {
        case 0: self = .widthFraction(try reader.value())
        case 1: self = .heightFraction(try reader.value())
        default: self = .point(try reader.value())
        }
    }
}

/// One of a few values, of which the first stands for those that are not among them.
protocol PortableChoice: PortableValue, Equatable {
    static var choices: [Self] { get }
}

extension PortableChoice {
    func write(to writer: inout ProcessorWriter) {
        writer.write(Self.choices.firstIndex(of: self) ?? 0)
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self = Self.choices[try reader.wire.int(in: 0...(Self.choices.count - 1))]
    }
}

extension ContentMode: PortableChoice {
    static var choices: [Self] { [.none, .aspectFit, .aspectFill] }
}

extension FlipDirection: PortableChoice { static var choices: [Self] { allCases } }

extension CGBlendMode: PortableChoice { static var choices: [Self] { allCases } }

extension NSCompositingOperation: PortableChoice { static var choices: [Self] { allCases } }

/// The formats of animations; one in every other format fails.
extension ImageFormat: PortableChoice {
    static let choices =
        [.unknown] + FileFormat.allCases.map { ImageFormat($0) }.filter(\.holdsAnimations)
}

/// An image whose pixels are sent beside the message.
struct PortableImage: PortableValue {
    let image: KFCrossPlatformImage

    init(_ image: KFCrossPlatformImage) { self.image = image }

    func write(to writer: inout ProcessorWriter) {
        writer.write(image.scale)
        let bitmap = image.bitmap
        writer.write(bitmap != nil)
        guard let bitmap else { return }
        writer.write(bitmap.width)
        writer.write(bitmap.height)
        writer.write(bitmap.isOpaque)
        writer.pass { () throws(WorkerFailure) in try SealedMemory(bitmap.rows) }
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        let scale: CGFloat = try reader.value()
        guard try reader.value() else {
            image = KFCrossPlatformImage(bitmap: nil, scale: scale)
            return
        }
        let sides = 1...PixelLimits.maxDimension
        let size = PixelSize(
            width: try reader.wire.int(in: sides),
            height: try reader.wire.int(in: sides)
        )
        let isOpaque: Bool = try reader.value()
        let pixels = try reader.memory(missing: "the pixels are missing")
        let mapping = try SealedMapping(pixels, maxBytes: size.byteCount)
        let bitmap = try mapping.shared.bitmap(size, offset: 0, isOpaque: isOpaque)
        image = KFCrossPlatformImage(bitmap: bitmap, scale: scale)
    }
}

/// Bytes that are too many for a message are sent beside it.
extension Data: PortableValue {
    func write(to writer: inout ProcessorWriter) {
        // Sealed memory is never empty.
        writer.write(!isEmpty)
        if !isEmpty { writer.pass { () throws(WorkerFailure) in try .holding(self) } }
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        guard try reader.value() else {
            self.init()
            return
        }
        let bytes = try reader.memory(missing: "the bytes are missing")
        self = try ImageParcel.Body.memory(bytes).file(maxBytes: .max)
    }
}
