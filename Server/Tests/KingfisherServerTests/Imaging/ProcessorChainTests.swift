import Foundation
import Kingfisher
import Testing

@testable import KingfisherServer

struct ProcessorChainTests {
    private let facts: SourceFacts

    init() throws {
        let header = try ImageFileInfo(data: TestPicture.quartersPNG(400, 200))
        facts = SourceFacts(header, byteCount: 1000)
    }

    /// The job for a PNG of 400 × 200 pixels.
    private func job(
        _ format: OutputFormat = .png,
        mark: KFCrossPlatformImage? = nil,
        _ change: (inout ProcessingOptions) -> Void
    ) throws -> RenderJob {
        var options = ProcessingOptions()
        change(&options)
        var plan = RenderPlan(
            options: options,
            of: facts,
            rotates: true,
            watermarkOpacity: 1,
            bounds: ResultBounds()
        )
        (plan.format, plan.watermark) = (format, mark)
        return try RenderJob(facts, plan, RendererSettings(), frames: 1)
    }

    @Test("A request for a size is one step, which decodes to it")
    func oneStep() throws {
        let processor = try job { ($0.width, $0.height) = (100, 100) }.processor
        let step = try #require(processor as? ResizingImageProcessor)
        #expect(step.referenceSize == CGSize(width: 100, height: 50))
        #expect(try job { _ in }.processor is ResizingImageProcessor)
    }

    @Test("Everything that changes the image changes the identifier, and nothing else does")
    func identifiers() throws {
        var watermark = ProcessingOptions.Watermark(opacity: 1)
        watermark.x = 5
        let changes: [(inout ProcessingOptions) -> Void] = [
            { _ in }, { $0.width = 100 }, { $0.height = 60 }, { $0.rotation = 90 },
            { $0.flipsHorizontally = true }, { $0.flipsVertically = true },
            { $0.crop = .init(width: 10, height: 10) },
            { $0.crop = .init(width: 10, height: 10, gravity: .smart) },
            { $0.crop = .init(width: 10, height: 10, gravity: .focus(x: 0, y: 0)) },
            { $0.padding = .init(top: 1, right: 0, bottom: 0, left: 0) },
            { $0.padding = .init(top: 0, right: 1, bottom: 0, left: 0) },
            { $0.blur = 2 }, { $0.sharpen = 2 }, { $0.pixelate = 2 }, { $0.pixelate = 3 },
            { $0.brightness = 1 }, { $0.contrast = 2 }, { $0.saturation = 2 },
            { $0.monochromeIntensity = 0.5 }, { $0.monochromeIntensity = 1 },
            {
                $0.monochromeIntensity = 1
                $0.monochromeColour = .init(red: 1, green: 0, blue: 0)
            },
            { $0.cornerRadius = 3 }, { $0.watermark = watermark },
            { $0.watermark = .init(opacity: 1) }, { $0.watermark = .init(opacity: 0.5) },
            { $0.trim = .init(threshold: 1) }, { $0.trim = .init(threshold: 2) },
            {
                $0.trim = .init(threshold: 2)
                $0.trim?.equalVertically = true
            },
            {
                $0.trim = .init(threshold: 2)
                $0.width = 100
            },
            {
                $0.trim = .init(threshold: 2)
                $0.blur = 3
            },
        ]
        let mark = TestPicture.quarters(10, 10)
        let names = try changes.map { try job(mark: mark, $0).processor.identifier }
        #expect(Set(names).count == changes.count)
        #expect(try changes.map { try job(mark: mark, $0).processor.identifier } == names)
        let other = TestPicture.quarters(10, 12)
        for change in [
            { $0.watermark = watermark },
            {
                $0.watermark = watermark
                $0.trim = .init(threshold: 1)
            },
        ]
            as [(inout ProcessingOptions) -> Void]
        {
            let one = try job(mark: mark, change).processor.identifier
            #expect(try job(mark: other, change).processor.identifier != one)
        }
        // The result is the same, and so is its name.
        let fill = try job { ($0.width, $0.height, $0.resizingType) = (100, 50, .fill) }
        #expect(try job { $0.width = 100 }.processor.identifier == fill.processor.identifier)
    }

    @Test("A background is drawn only where something is transparent")
    func background() throws {
        let white = ProcessingOptions.Colour.white
        #expect(try job(.jpeg) { _ in }.processor is ResizingImageProcessor)
        #expect(try job { $0.background = white }.processor is ResizingImageProcessor)
        let padded = try job(.jpeg) { $0.padding = .init(top: 1, right: 1, bottom: 1, left: 1) }
        #expect(padded.processor.identifier.contains("BlendImageProcessor"))
    }
}
