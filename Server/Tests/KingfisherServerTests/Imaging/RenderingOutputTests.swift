import Foundation
import Kingfisher
import KingfisherTesting
import Testing

@testable import KingfisherServer

/// Formats, qualities, limits, errors and information.
struct RenderingOutputTests {
    private let bench: RenderBench

    init() throws { bench = try RenderBench() }

    @Test("Every format that is written is what it says", arguments: OutputFormat.allCases)
    func formats(format: OutputFormat) async throws {
        let source = try TestPicture.quartersPNG(40, 20)
        guard format.isWritable else {
            let error = try await bench.failure(source, as: format) { $0.width = 20 }
            #expect(error.status == 422)
            return
        }
        let result = try await bench.render(source, as: format) { $0.width = 20 }
        #expect(result.result.format == format.imageFormat)
        #expect(result.size == [20, 10])
        #expect(result.quarters == "rgbw")
    }

    @Test("A lower quality makes a smaller file; quality of the format comes first")
    func quality() async throws {
        let source = try #require(TestPicture.photo(200, 150).pngData())
        var sizes: [Int] = []
        for quality in [10, 40, 80, 100] {
            let result = try await bench.render(source, as: .jpeg) { $0.quality = quality }
            #expect(result.result.quality == quality)
            sizes.append(result.result.data.count)
        }
        #expect(sizes == sizes.sorted())
        #expect(Set(sizes).count == 4)
        let plain = try await bench.render(source, as: .webp) { _ in }
        #expect(plain.result.quality == 79)
        let named = try await bench.render(source, as: .webp) {
            $0.quality = 20
            $0.formatQuality = [.webp: 30]
        }
        #expect(named.result.quality == 30)
    }

    @Test("JPEGs are progressive only where the configuration says so", arguments: ["", "1", "0"])
    func progressive(_ value: String) async throws {
        let source = try #require(TestPicture.photo(200, 150).pngData())
        let variables = value.isEmpty ? [:] : ["IMGPROXY_JPEG_PROGRESSIVE": value]
        let configuration = try ServiceConfiguration(environment: variables)
        let settings = configuration.rendererSettings(watermark: nil)
        let result = try await RenderBench(settings).render(source, as: .jpeg) { _ in }
        #expect(try ImageFileInfo(data: result.result.data).isProgressive == (value == "1"))
    }

    @Test("The configured effort and speed reach the encoders")
    func efforts() async throws {
        let source = try #require(TestPicture.photo(200, 150).pngData())
        for (format, small, fast) in [(OutputFormat.webp, 6, 0), (.avif, 4, 10)] {
            var sizes: [Int] = []
            for effort in [small, fast] {
                var settings = RendererSettings()
                settings.efforts = [format: effort]
                let result = try await RenderBench(settings).render(source, as: format) { _ in }
                sizes.append(result.result.data.count)
            }
            #expect(sizes[0] < sizes[1])
        }
    }

    @Test("PNGs have few colours where the configuration says so")
    func colours() async throws {
        let source = try #require(TestPicture.photo(200, 150).pngData())
        var sizes: [Int] = []
        for count in [nil, 256, 16] {
            var settings = RendererSettings()
            settings.maxColorCount = count
            let result = try await RenderBench(settings).render(source, as: .png) { _ in }
            // Byte 25 is the colour type; 3 has a palette.
            #expect((result.result.data[25] == 3) == (count != nil))
            sizes.append(result.result.data.count)
        }
        #expect(sizes[0] > sizes[1] && sizes[1] > sizes[2])
    }

    @Test("max_bytes lowers the quality until the file fits, or to the lowest one")
    func maxBytes() async throws {
        let source = try #require(TestPicture.photo(200, 150).pngData())
        let plain = try await bench.render(source, as: .jpeg) { _ in }
        let limit = plain.result.data.count / 2
        let small = try await bench.render(source, as: .jpeg) { $0.maximalBytes = limit }
        #expect(small.result.data.count <= limit)
        let quality = try #require(small.result.quality)
        let next = try await bench.render(source, as: .jpeg) { $0.quality = quality + 1 }
        #expect(next.result.data.count > limit)
        let tiny = try await bench.render(source, as: .jpeg) { $0.maximalBytes = 10 }
        #expect(tiny.result.quality == ResultEncoder.lowestQuality)
        let png = try await bench.render(source, as: .png) { $0.maximalBytes = 10 }
        #expect(png.result.data.count > 10)
    }

    @Test("autoquality finds the highest quality with the size, within its range")
    func autoqualityBySize() async throws {
        let bench = try RenderBench()
        let file = ScriptedPicture.gradient(from: .red, to: .blue, width: 300, height: 200).data()
        func rendered(_ target: Double?, _ low: Int = 10) async throws -> RenderedImage {
            try await bench.render(file, as: .jpeg) { options in
                options.autoQuality = .init()
                options.autoQuality?.method = .size
                options.autoQuality?.target = target
                options.autoQuality?.minimum = low
                options.autoQuality?.maximum = 95
            }.result
        }
        let best = try await rendered(1e9)
        #expect(best.quality == 95)
        let limit = best.data.count - 100
        let fitting = try await rendered(Double(limit))
        #expect(fitting.data.count <= limit)
        let quality = try #require(fitting.quality)
        #expect((10..<95).contains(quality))
        // One step more would be too large.
        let next = try await bench.render(file, as: .jpeg) { $0.quality = quality + 1 }
        #expect(next.result.data.count > limit)
        #expect(try await rendered(1, 60).quality == 60)
        // Without a target there is no search: the configured one is a distance.
        #expect(try await rendered(nil).quality == RendererSettings().quality)
    }

    @Test("autoquality finds the lowest quality with the distance, and a smaller distance a higher")
    func autoQuality() async throws {
        let image = TestPicture.photo(160, 120)
        let source = try #require(image.pngData())
        let original = LumaPlane(image)
        var found: [Int] = []
        for target in [0.05, 0.02, 0.005, 0.001] {
            var wanted = ProcessingOptions.AutoQuality()
            (wanted.target, wanted.minimum, wanted.maximum) = (target, 10, 99)
            wanted.allowedError = 0
            let result = try await bench.render(source, as: .jpeg) { [wanted] in
                $0.autoQuality = wanted
            }
            let quality = try #require(result.result.quality)
            let distance = LumaPlane(result.image).dissimilarity(to: original)
            #expect(distance <= target || quality == 99)
            if quality > 10 {
                let lower = try #require(image.encoded(as: .jpeg, quality: quality - 1))
                let worse = try #require(KFCrossPlatformImage(data: lower))
                #expect(LumaPlane(worse).dissimilarity(to: original) > target)
            }
            found.append(quality)
        }
        #expect(found == found.sorted())
        #expect(Set(found).count > 1)
    }

    @Test("A search without time takes the safe end of its range")
    func searchTime() throws {
        let image = TestPicture.photo(60, 40)
        var rule = ResultEncoder.Rule(format: .jpeg, quality: 80, searchTime: .zero)
        rule.similarity = SimilarityTarget(distance: 1, qualities: 20...90)
        let similar = ResultEncoder(rule)
        _ = try #require(similar.file(of: image))
        #expect(similar.outcome?.quality == 90)
        rule.similarity = nil
        rule.maxBytes = 1_000
        let small = ResultEncoder(rule)
        _ = try #require(small.file(of: image))
        #expect(small.outcome?.quality == ResultEncoder.lowestQuality)
        rule.searchTime = .seconds(60)
        let searched = ResultEncoder(rule)
        _ = try #require(searched.file(of: image))
        #expect(try #require(searched.outcome).quality > ResultEncoder.lowestQuality)
    }

    @Test("A search ends with its current encoding when no client waits any more")
    func cancelledSearch() throws {
        let image = TestPicture.photo(60, 40)
        var rule = ResultEncoder.Rule(format: .jpeg, quality: 80, searchTime: .seconds(3600))
        rule.maxBytes = 1_000
        let (searched, cancelled) = (ResultEncoder(rule), ResultEncoder(rule))
        _ = searched.file(of: image)
        cancelled.cancel()
        _ = cancelled.file(of: image)
        #expect(try #require(searched.outcome).encodings > 3)
        #expect(try #require(cancelled.outcome).encodings == 2)
    }

    @Test("DSSIM is 0 for equal images, grows with the change and is 1 for other sizes")
    func dissimilarity() {
        let image = TestPicture.photo(40, 30)
        let plane = LumaPlane(image)
        #expect(plane.dissimilarity(to: LumaPlane(image)) == 0)
        let soft = plane.dissimilarity(to: LumaPlane(image.kf.blurred(withRadius: 2)))
        let softer = plane.dissimilarity(to: LumaPlane(image.kf.blurred(withRadius: 8)))
        #expect(0 < soft && soft < softer && softer <= 1)
        #expect(plane.dissimilarity(to: LumaPlane(TestPicture.photo(41, 30))) == 1)
        // By hand: two constant planes, SSIM = (2·100·120 + C₁) / (100² + 120² + C₁).
        let grey = LumaPlane(TestPicture.image(8, 8) { _, _ in [100, 100, 100, 255] })
        let lighter = LumaPlane(TestPicture.image(8, 8) { _, _ in [120, 120, 120, 255] })
        let expected = (1 - (24_000 + 6.5025) / (24_400 + 6.5025)) / 2
        #expect(abs(grey.dissimilarity(to: lighter) - expected) < 1e-9)
    }

    @Test("Transparent parts become the background, white by default, in formats without alpha")
    func flatten() async throws {
        let file = try #require(TestPicture.image(20, 20) { _, _ in [0, 0, 0, 0] }.pngData())
        #expect(try await bench.render(file, as: .jpeg) { _ in }.colour(0.5, 0.5) == "w")
        #expect(try await bench.render(file, as: .png) { _ in }.colour(0.5, 0.5) == "-")
        let red = try await bench.render(file, as: .webp) {
            $0.background = .init(red: 255, green: 0, blue: 0)
        }
        #expect(red.colour(0.5, 0.5) == "r")
    }

    @Test("The source is passed on only if asked for, and never SVG")
    func passedOn() async throws {
        let source = try TestPicture.quartersPNG(40, 20)
        let raw = try await bench.render(source, as: .jpeg) { ($0.isRaw, $0.width) = (true, 10) }
        #expect(raw.result.data == source)
        #expect(raw.result.isSource)
        let skipped = try await bench.render(source) {
            ($0.skipProcessing, $0.width) = ([.png], 10)
        }
        #expect(skipped.result.data == source)
        let other = try await bench.render(source, as: .jpeg) {
            ($0.skipProcessing, $0.width) = ([.png], 10)
        }
        #expect(other.size == [10, 5])
        let plain = try await bench.render(source) { _ in }
        #expect(!plain.result.isSource)
        let drawing = Data("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>".utf8)
        #expect(try await bench.failure(drawing) { $0.isRaw = true }.status == 422)
    }

    @Test("Sources above a limit and files that are no image are refused with status 422")
    func limits() async throws {
        let source = try TestPicture.quartersPNG(2000, 600)
        var settings = RendererSettings()
        settings.limits.megapixels = 1
        let small = try RenderBench(settings)
        #expect(try await small.failure(source) { _ in }.status == 422)
        #expect(try await small.failure(source) { $0.limits.megapixels = 9 }.status == 422)
        settings.allowsLimitsInURL = true
        let open = try RenderBench(settings)
        _ = try await open.render(source) { ($0.limits.megapixels, $0.width) = (9, 10) }
        #expect(try await open.failure(source) { $0.limits.fileSize = 10 }.status == 422)
        let most = try await open.render(source) {
            ($0.limits.megapixels, $0.limits.resultDimension) = (9, 100)
        }
        #expect(most.size == [100, 30])
        settings.limits.animationFrames = 10
        let moving = try RenderBench(settings)
        let gif = try TestAnimation.gif(frames: 2)
        _ = try await moving.render(gif, as: .gif) { $0.limits.frameMegapixels = 1 }
        let frames = try await moving.failure(gif, as: .gif) {
            $0.limits.frameMegapixels = 0.0001
        }
        #expect(frames.status == 422)
        for file in [Data(), Data("no image".utf8), Data(source.prefix(source.count / 2))] {
            #expect(try await bench.failure(file) { $0.width = 10 }.status == 422)
        }
        let huge = try await bench.failure(source) {
            ($0.width, $0.height, $0.enlarge) = (1 << 62, 1 << 62, true)
        }
        #expect(huge.status == 422)
    }

    @Test("A result larger than its format allows is refused with status 422")
    func formatLimits() async throws {
        let source = try TestPicture.quartersPNG(17_000, 1)
        #expect(try await bench.render(source) { _ in }.size == [17_000, 1])
        #expect(try await bench.failure(source, as: .webp) { _ in }.status == 422)
        #expect(try await bench.render(source, as: .webp) { $0.width = 16_383 }.size[0] == 16_383)
        // The size after trimming is known only while the image is made.
        let border = TestPicture.image(200, 400) { x, y in
            x < 170 && y == 200 ? [0, 0, 0, 255] : [255, 255, 255, 255]
        }
        let trimmed = try await bench.failure(#require(border.pngData()), as: .webp) {
            ($0.trim, $0.height, $0.enlarge) = (.init(threshold: 10), 100, true)
        }
        #expect(trimmed.status == 422)
        #expect(trimmed.message.contains("too large for webp"))
        guard OutputFormat.avif.isWritable else { return }
        // The decoders of AV1 need not read more than 35,651,584 pixels, and some do not.
        let large = try await bench.failure(TestPicture.quartersPNG(1, 1), as: .avif) {
            ($0.resizingType, $0.enlarge) = (.force, true)
            ($0.width, $0.height) = (5971, 5971)
        }
        #expect(large.status == 422)
    }

    @Test("Damaged files fail with status 422 or are rendered", arguments: OutputFormat.allCases)
    func damaged(format: OutputFormat) async throws {
        guard format.isWritable else { return }
        let photo = TestPicture.photo(40, 30)
        let file = try #require(photo.encoded(as: format, quality: 80))
        for place in stride(from: 0, to: file.count, by: max(1, file.count / 20)) {
            var changed = file
            changed[place] ^= 0x5A
            for damaged in [file.prefix(place), changed] {
                do {
                    let result = try await bench.render(Data(damaged)) { $0.width = 20 }
                    #expect(result.size[0] <= 20)
                } catch let error as ServiceError {
                    #expect(error.status == 422, "\(error)")
                }
            }
        }
    }

    @Test("A cancelled request fails with status 499")
    func cancelled() async throws {
        let source = try TestPicture.quartersPNG(40, 20)
        let bench = bench
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await bench.failure(source) { $0.width = 10 }
        }
        #expect(try await task.value.status == 499)
    }

    @Test("Information has the header, placeholders and colours")
    func information() async throws {
        let source = try TestPicture.oriented(6, 160, 80)
        var options = ProcessingOptions()
        (options.wantsThumbHash, options.wantsBlurHash) = (true, true)
        let info = try await bench.renderer.information(of: source, options: options)
        #expect((info.format, info.mimeType) == ("jpeg", "image/jpeg"))
        #expect((info.width, info.height, info.orientation) == (160, 80, 6))
        #expect((info.size, info.frames, info.hasAlpha) == (source.count, 1, false))
        #expect(info.thumbHash.flatMap { Data(base64Encoded: $0) }?.isEmpty == false)
        #expect(info.blurHash?.isEmpty == false)
        #expect(info.palette.count == 4)
        #expect(info.dominantColor?.count == 7)
        let text = try #require(String(data: JSONEncoder().encode(info), encoding: .utf8))
        #expect(text.contains("\"has_alpha\":false"))
        #expect(text.contains("\"dominant_color\":\"#"))
    }

    @Test("A palette has the colours of the image, the most frequent first")
    func palette() {
        let image = TestPicture.image(20, 10) { x, _ in
            x < 12 ? [200, 0, 0, 255] : x < 17 ? [0, 0, 200, 255] : [0, 100, 0, 128]
        }
        let palette = Palette(of: image).colours(atMost: 5)
        #expect(palette.map(\.hexadecimal) == ["c80000", "0000c8", "00c700"])
        #expect(
            Palette(of: TestPicture.image(2, 2) { _, _ in [0, 0, 0, 0] }).colours(atMost: 5) == []
        )
    }
}
