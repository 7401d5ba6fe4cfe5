import Foundation
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// Each trait in the table of processors, for a processor of every type.
struct ProcessorTraitsTests {
    private static let size = CGSize(width: 40, height: 40)
    private static let resizing = ResizingImageProcessor(referenceSize: size)
    private static let downsampling = DownsamplingImageProcessor(size: size)
    private static let blur = BlurImageProcessor(blurRadius: 2)
    private static let crop = CroppingImageProcessor(size: CGSize(width: 9, height: 5))
    private static let frame = PaddingImageProcessor(all: 50)
    private static let start = DefaultImageProcessor.default

    static let examples: [any ImageProcessor] =
        GoldenCase.all.map(\.processor) + [
            start, OriginalBytesProcessor(), ViewSizeProcessor(size: size, covers: true),
            ProfileKeepingProcessor(crop), AnimatedImageProcessor(blur, format: .WebP),
            AnimatedImageProcessor(maxFrameCount: 3),
            ResizingImageProcessor(referenceSize: size, mode: .aspectFill, prefersSpeed: true),
            FlippingImageProcessor(.vertical) |> blur,
        ]
        + NSCompositingOperation.allCases.map {
            CompositingImageProcessor(
                compositingOperation: $0,
                alpha: 0.5,
                backgroundColor: .red
            )
        }

    /// The types of the examples for which the condition holds.
    private static func types(where holds: (any ImageProcessor) -> Bool) -> Set<String> {
        Set(examples.filter(holds).map { "\(type(of: $0))" })
    }

    private static let allTypes = types { _ in true }

    private static func request(
        _ processor: any ImageProcessor,
        scale: CGFloat = 1
    ) -> DecodeRequest {
        DecodeRequest(KingfisherParsedOptionsInfo([.processor(processor), .scaleFactor(scale)]))
    }

    @Test func `every processor of the library is in the table, and in these tests`() throws {
        var declared = try Self.declared()
        #expect(declared == Self.allTypes)
        // A worker has no use for it.
        declared.remove("OriginalBytesProcessor")
        #expect(declared == Set(PortableProcessors.types.map { "\($0)" }))
    }

    @Test func `every public processor is in the article, and its identifier in a test`() throws {
        let names = try Self.declared(public: true)
        #expect(names.count > 15)
        let article = Self.repository
            .appendingPathComponent("Sources/Kingfisher/Kingfisher.docc/Processing.md")
        let topics = try String(contentsOf: article, encoding: .utf8)
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("ProcessorIdentifierTests.swift")
        let identifiers = try String(contentsOf: tests, encoding: .utf8)
        for name in names {
            let isTopic = topics.contains("- ``\(name)``")
            #expect(isTopic, "\(name)")
            let isDefault = name == "DefaultImageProcessor"
            let isTested = identifiers.contains(isDefault ? name : "\(name)(")
            #expect(isTested, "\(name)")
        }
    }

    /// They have no numbers of their own, or wrap another processor.
    private static let plain: Set = [
        "AnimatedImageProcessor", "DefaultImageProcessor", "ProfileKeepingProcessor",
    ]

    /// The files that list processors, with the processors that each of them need not have: those
    /// without numbers, those that sizes make, and compositing, which blending stands for.
    private static let lists: [(path: String, others: Set<String>)] = [
        (
            "Tests/KingfisherTests/Processing/ProcessorFuzzTests.swift",
            ["BlackWhiteProcessor", "FlippingImageProcessor"]
        ),
        ("Tests/KingfisherTests/Processing/ScaleFactorTests.swift", []),
        (
            "Tests/KingfisherTests/Processing/DegenerateInputTests.swift",
            ["BlackWhiteProcessor", "FlippingImageProcessor", "TintImageProcessor"]
        ),
        (
            "Tools/Sources/kf/Shared/ProcessorForm.swift",
            ["CompositingImageProcessor", "DownsamplingImageProcessor", "ResizingImageProcessor"]
        ),
        ("Examples/Gallery/Sources/gallery/ProcessorsPage.swift", ["CompositingImageProcessor"]),
        // Those of the original.
        (
            "Sources/Kingfisher/Display/KFOptionSetter+Processing.swift",
            [
                "BlendImageProcessor", "BorderImageProcessor", "ColorControlsProcessor",
                "CompositingImageProcessor", "FlippingImageProcessor",
                "PaddingImageProcessor", "RotatingImageProcessor", "SharpeningImageProcessor",
                "SmartCroppingImageProcessor", "TrimmingImageProcessor",
                "WatermarkImageProcessor",
            ]
        ),
    ]

    @Test(arguments: lists)
    func `lists of processors are complete`(_ path: String, _ others: Set<String>) throws {
        let file = Self.repository.appendingPathComponent(path)
        let text = try String(contentsOf: file, encoding: .utf8)
        let missing = try Self.declared(public: true).filter { !text.contains("\($0)(") }
        #expect(missing == Self.plain.union(others))
    }

    private static let repository = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    /// The names of the processors in the sources of the library.
    private static func declared(public isPublic: Bool = false) throws -> Set<String> {
        let library = repository.appendingPathComponent("Sources/Kingfisher/")
        var declared: Set<String> = []
        let files = FileManager.default.enumerator(at: library, includingPropertiesForKeys: nil)
        for case let file as URL in try #require(files) where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            let names = text.matches(
                of: /^(public |package )?struct (\w+): ImageProcessor/.anchorsMatchLineEndings()
            )
            for name in names where !isPublic || name.1 == "public " {
                declared.insert(String(name.2))
            }
        }
        return declared
    }

    @Test func `processors of one type with other settings have other identifiers`() {
        func settings(of processor: any ImageProcessor) -> [String] {
            Mirror(reflecting: processor).children.filter { $0.label != "identifier" }
                .map { "\($0.value)" }
        }
        for (place, one) in Self.examples.enumerated() {
            for other in Self.examples[..<place]
            where type(of: one) == type(of: other) && settings(of: one) != settings(of: other) {
                #expect(one.identifier != other.identifier)
            }
        }
    }

    @Test func `processors that draw take a shared bitmap, and make the same of it`() throws {
        let others: Set = [
            "AnimatedImageProcessor", "OriginalBytesProcessor", "ProfileKeepingProcessor",
        ]
        #expect(
            Self.types { Self.request($0).takesBitmap } == Self.allTypes.subtracting(others)
        )
        let data = TestImage.png(width: 60, height: 45)
        let whole = try #require(KFCrossPlatformImage(data: data))
        let options = KingfisherParsedOptionsInfo(nil)
        for processor in Self.examples where Self.request(processor).takesBitmap {
            let made = processor.process(item: .data(data), options: options)?.bitmap
            let drawn = processor.process(item: .image(whole), options: options)?.bitmap
            let isSized =
                Traits(of: processor).decodedSize(PixelSize(width: 60, height: 45), 1) != nil
            #expect(isSized ? made?.size == drawn?.size : made == drawn, "\(processor.identifier)")
        }
    }

    @Test func `a processor gets bytes rather than an image if it is the library's own`() {
        #expect(Self.types { Traits(of: $0).prefersBytes } == Self.allTypes)
        let custom = CountingProcessor()
        #expect(!Traits(of: custom).prefersBytes)
        #expect(!Traits(of: custom |> Self.blur).prefersBytes)
        #expect(Traits(of: Self.blur |> custom).prefersBytes)
    }

    @Test func `only resizing is finished with the decode`() {
        let bitmap = KFCrossPlatformImage(bitmap: TestScene.opaque(width: 7, height: 5))
        let own = PixelSize(width: 400, height: 300)
        // It would have another size if it were resized again. The chain of the examples begins so.
        let found = Self.types {
            Self.request($0).image(bitmap, of: own)?.bitmap?.size == bitmap.bitmap?.size
                && Self.request($0).size(of: own) != own
        }
        #expect(
            found == [
                "DownsamplingImageProcessor", "ResizingImageProcessor", "ViewSizeProcessor",
                "ProcessorChain",
            ]
        )
        let chain = Self.request(
            Self.start |> Self.downsampling |> FlippingImageProcessor(.vertical)
        )
        #expect(chain.image(bitmap, of: own)?.bitmap == bitmap.kf.flipped(.vertical).bitmap)
    }

    @Test func `crops decode a part of a file, after resizing too`() throws {
        let keeping = Self.types { Self.request($0).keepsPart }
        #expect(keeping == ["CroppingImageProcessor", "PaddingImageProcessor"])
        // Of a part, only the rows down to its end are read.
        let whole = TestImage.jpeg(width: 640, height: 480)
        let data = whole.prefix(whole.count / 2)
        let top = CroppingImageProcessor(size: CGSize(width: 16, height: 4), anchor: .zero)
        let cut = PaddingImageProcessor(bottom: -450)
        let options = KingfisherParsedOptionsInfo(nil)
        let resizing = ResizingImageProcessor(referenceSize: CGSize(width: 320, height: 240))
        for processor in [top, cut, top |> Self.blur, resizing |> top] as [any ImageProcessor] {
            #expect(
                processor.process(item: .data(data), options: options) != nil,
                "\(processor.identifier)"
            )
        }
        for processor in [Self.start, Self.blur |> top, Self.frame] as [any ImageProcessor] {
            #expect(
                processor.process(item: .data(data), options: options) == nil,
                "\(processor.identifier)"
            )
        }
    }

    @Test func `speed is the wish of the first step that does more than decode`() {
        let fast = ResizingImageProcessor(referenceSize: Self.size, prefersSpeed: true)
        #expect(Self.request(fast).prefersSpeed)
        #expect(Self.request(Self.start |> fast |> Self.blur).prefersSpeed)
        #expect(!Self.request(Self.blur |> fast).prefersSpeed)
        #expect(!Self.request(Self.resizing).prefersSpeed)
    }

    @Test func `workers get every setting of a processor`() throws {
        for processor in Self.examples where PortableProcessors.contain(processor) {
            var writer = ProcessorWriter()
            writer.write(PortableProcessor(processor))
            let (bytes, memory) = (writer.wire.bytes, writer.memory[...])
            let made = try bytes.withUnsafeBytes { bytes throws in
                var reader = ProcessorReader(WireReader(bytes), memory: memory)
                return try PortableProcessor(from: &reader).processor
            }
            #expect(made.identifier == processor.identifier)
            #expect(type(of: made) == type(of: processor))
        }
        #expect(
            Self.types { !PortableProcessors.contain($0) } == ["OriginalBytesProcessor"]
        )
    }

    @Test(arguments: [(15, true), (16, false), (100, false)])
    func `workers get processors in at most 15 others`(depth: Int, isPortable: Bool) throws {
        var processor: any ImageProcessor = Self.blur
        for _ in 0..<depth { processor = ProfileKeepingProcessor(processor) }
        #expect(PortableProcessors.contain(processor) == isPortable)
        var writer = ProcessorWriter()
        writer.write(PortableProcessor(processor))
        let (bytes, memory) = (writer.wire.bytes, writer.memory[...])
        let identifier = bytes.withUnsafeBytes { bytes in
            var reader = ProcessorReader(WireReader(bytes), memory: memory)
            return try? PortableProcessor(from: &reader).processor.identifier
        }
        #expect(identifier == (isPortable ? processor.identifier : nil))
    }

    @Test func `few processors hand the file of an animation on`() {
        let options = IsolatedOptions(KingfisherParsedOptionsInfo(nil))
        #expect(
            Self.types { ParcelRules($0, options).keepsRequestFile } == [
                "AnimatedImageProcessor", "DefaultImageProcessor", "ViewSizeProcessor",
            ]
        )
        let view = ViewSizeProcessor(size: Self.size, covers: false)
        #expect(ParcelRules(Self.start |> view, options).keepsRequestFile)
        #expect(!ParcelRules(view |> Self.blur, options).keepsRequestFile)
        #expect(!ParcelRules(AnimatedImageProcessor(Self.blur), options).keepsRequestFile)
    }

    // MARK: The memory budget

    /// The size of the result in the table is that of the result.
    @Test(arguments: [1, 2] as [CGFloat])
    func `the budget knows the size of every result`(scale: CGFloat) throws {
        let bitmap = TestScene.transparent(width: 60, height: 45)
        let image = KFCrossPlatformImage(bitmap: bitmap, scale: scale)
        let options = KingfisherParsedOptionsInfo([.scaleFactor(scale)])
        for processor in Self.examples where Self.request(processor).takesBitmap {
            let traits = Traits(of: processor)
            // What these cut off is not known before, or less than they get.
            guard traits.keptPart == nil || traits.drawnSize != nil,
                !(processor is TrimmingImageProcessor || processor is SmartCroppingImageProcessor),
                case .drawing = traits.kind
            else { continue }
            let drawn = (traits.drawnSize ?? traits.decodedSize)(bitmap.size, scale) ?? bitmap.size
            let made = processor.process(item: .image(image), options: options)?.bitmap?.size
            #expect(abs((made?.width ?? 0) - drawn.width) <= 1, "\(processor.identifier)")
            #expect(abs((made?.height ?? 0) - drawn.height) <= 1, "\(processor.identifier)")
        }
    }

    @Test func `a file costs its decode, or the largest input and output of a step`() {
        let whole = 4 * 400 * 300
        let framed = 4 * 500 * 400
        let half = DownsamplingImageProcessor(size: CGSize(width: 200, height: 200))
        let larger = ResizingImageProcessor(referenceSize: CGSize(width: 500, height: 400))
        let costs: [(any ImageProcessor, Int)] = [
            (Self.start, whole), (Self.blur, whole), (CountingProcessor(), whole),
            // The rows of the decoder are more than the result.
            (Self.downsampling, whole / 16), (half, 4 * 200 * 150), (larger, framed),
            (Self.frame, whole + framed), (RotatingImageProcessor(degrees: 90), 2 * whole),
            (Self.frame |> Self.frame, framed + 4 * 600 * 500),
            (Self.frame |> CountingProcessor(), whole + framed),
            (half |> Self.frame, 4 * 200 * 150 + 4 * 300 * 250),
            (Self.blur |> Self.downsampling, whole + 4 * 40 * 30),
            (ProfileKeepingProcessor(Self.frame), whole + framed),
            (Self.start |> AnimatedImageProcessor(Self.frame), whole + framed),
            (AnimatedImageProcessor(half), 4 * 200 * 150),
            // Nothing is decoded.
            (OriginalBytesProcessor(), 0),
        ]
        for (processor, cost) in costs { #expect(Self.cost(processor) == cost, "\(processor)") }
    }

    @Test func `an animation costs three canvases, or a frame with its result`() {
        #expect(Self.cost(AnimatedImageProcessor(Self.blur), frames: 2) == 3 * 4 * 400 * 300)
        #expect(Self.cost(AnimatedImageProcessor(Self.blur), frames: nil) == 3 * 4 * 400 * 300)
        let wide = PaddingImageProcessor(all: 200)
        let framed = 4 * 400 * 300 + 4 * 800 * 700
        #expect(Self.cost(AnimatedImageProcessor(wide), frames: 2) == framed)
        #expect(Self.cost(Self.blur, frames: 9, preloaded: 5_000_000) == 5_000_000)
        #expect(Self.cost(Self.frame, frames: 9, preloaded: 9) == 4 * 400 * 300 + 4 * 500 * 400)
    }

    @Test func `a refused result costs nothing, and a scale counts`() {
        let whole = 4 * 400 * 300
        let limits = KingfisherOptionsInfoItem.resultLimits(
            ResultLimits(maxPixelCount: .max, maxSide: 450)
        )
        #expect(Self.cost(Self.frame |> Self.frame, [limits]) == whole)
        #expect(Self.cost(Self.frame, [.scaleFactor(2)]) == whole + 4 * 600 * 500)
        let image = KFCrossPlatformImage(bitmap: TestScene.opaque(width: 40, height: 30))
        let cost = WorkCost(KingfisherParsedOptionsInfo(nil))
        #expect(cost.of(.image(image), by: Self.blur, preloads: false) == image.cacheCost)
        #expect(
            cost.of(.image(image), by: Self.frame, preloads: false) == 4_800 + 4 * 140 * 130
        )
    }

    private static func cost(
        _ processor: any ImageProcessor,
        _ options: KingfisherOptionsInfo = [],
        frames: Int? = 1,
        preloaded: Int = 0
    ) -> Int {
        let header = FileHeader(
            size: PixelSize(width: 400, height: 300),
            frameCount: frames,
            preloadedBytes: preloaded
        )
        return WorkCost(KingfisherParsedOptionsInfo(options)).of(header, by: processor)
    }
}
