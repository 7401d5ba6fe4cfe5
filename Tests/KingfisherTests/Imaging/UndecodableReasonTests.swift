import Foundation
import KFCodecs
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// Processing errors say what is wrong with the bytes.
struct UndecodableReasonTests {
    @Test func `an animation above the limits names the limit`() throws {
        // A canvas of 65,535 × 65,535.
        var gif = TestImage.gif
        gif.replaceSubrange(6..<10, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(try #require(UndecodableReason.find(in: gif)).contains("the limit is"))
        let options = KingfisherParsedOptionsInfo(nil)
        let resize = ResizingImageProcessor(referenceSize: CGSize(width: 4, height: 3))
        #expect(
            AnimatedImageProcessor(resize).process(item: .data(gif), options: options) == nil
        )
    }

    @Test func `a broken frame is named`() throws {
        // The second frame's first code is not in its table.
        var gif = TestImage.gif
        let blocks = gif.indices.filter { gif[$0] == 0x2C }
        let frame = try #require(blocks.dropFirst().first)
        // Layout of a frame: 10 bytes of descriptor, 12 of colour table, the code size, the block
        // length.
        let codes = try #require(gif[frame...].firstRange(of: Data([0x08, 0x0E]))?.upperBound)
        gif.replaceSubrange(codes..<(codes + 14), with: Data(repeating: 0xFF, count: 14))
        #expect(try #require(UndecodableReason.find(in: gif)).contains("frame 2 of 3"))
    }

    @Test func `impossible settings and undecodable bytes have different reasons`() throws {
        #expect(UndecodableReason.find(in: TestImage.png()) == nil)
        let text = Data("text".utf8)
        #expect(try #require(UndecodableReason.find(in: text)).contains("not an image"))
    }

    @Test func `a still is not decoded in full for an animated format`() async throws {
        var options = KingfisherParsedOptionsInfo(nil)
        let small = ResizingImageProcessor(referenceSize: CGSize(width: 10, height: 10))
        options.processor = AnimatedImageProcessor(small, format: .WebP)
        let budget = ByteBudget(limit: 1 << 30)
        let data = TestImage.png(width: 400, height: 400)
        let image = try await ImageMaker(budget: budget)
            .image(of: .data(data), options: options)
        #expect(image.pixelWidth == 10)
        #expect(budget.peak == 400 * 400 * 4 / 16)
    }

    @Test func `only an image beyond the limits is too large`() throws {
        var jpeg = TestImage.jpeg()
        #expect(!UndecodableReason.isTooLarge(Data("<html>".utf8)))
        #expect(!UndecodableReason.isTooLarge(jpeg))
        // The header of the frame: its marker, length and depth, and then both sides.
        let frame = try #require(jpeg.firstRange(of: Data([0xFF, 0xC0]))).lowerBound
        jpeg.replaceSubrange(frame + 5..<frame + 9, with: [255, 255, 255, 255])
        #expect(UndecodableReason.isTooLarge(jpeg))
    }
}
