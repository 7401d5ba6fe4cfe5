import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Files written again with fewer bytes and the same pixels.
@Suite(.timeLimit(.minutes(1)))
struct OptimizingTests {
    @Test(arguments: Fixture.all("jpg"))
    func `JPEG: every pixel, the profile and the orientation stay`(fixture: Fixture) throws {
        let file = try fixture.data
        for keepsMetadata in [true, false] {
            let smaller = try Codecs.optimized(file, keepsMetadata: keepsMetadata)
            #expect(smaller.count <= file.count)
            let (before, after) = (try Codecs.decode(file), try Codecs.decode(smaller))
            #expect(before.bitmap == after.bitmap)
            #expect(before.info.orientation == after.info.orientation)
            #expect(before.info.hasColorProfile == after.info.hasColorProfile)
            if keepsMetadata { #expect(try FileMetadata(of: file) == FileMetadata(of: smaller)) }
        }
    }

    @Test func `JPEG: an encoder's standard codes are replaced`() throws {
        let size = PixelSize(width: 320, height: 240)
        let bitmap = try Bitmap(size: size, isOpaque: true) { pixels, stride in
            for y in 0..<240 {
                for x in 0..<320 {
                    let pixel = pixels + y * stride + x * 4
                    pixel[0] = UInt8(x * 255 / 320)
                    pixel[1] = UInt8(y)
                    pixel[2] = UInt8((x * y / 40) & 255)
                    pixel[3] = 255
                }
            }
        }
        let file = try Codecs.encode(bitmap, as: .jpeg)
        let smaller = try Codecs.optimized(file)
        #expect(smaller.count < file.count * 95 / 100)
        #expect(try Codecs.decode(smaller).bitmap == Codecs.decode(file).bitmap)
    }

    @Test func `JPEG: damaged files and files of several images are left alone`() throws {
        let file = try Fixture(name: "baseline.jpg").data
        #expect(throws: CodecError.self) { try Codecs.optimized(file.prefix(file.count / 2)) }
        let segment = [0xFF, 0xE2] + Bytes.big(8, 2) + Array("MPF\0".utf8) + [0, 0]
        let several = file.inserting(segment, at: 2) + file
        #expect(try Codecs.optimized(several) == several)
    }

    @Test(arguments: Fixture.all("png").filter { !$0.name.contains("claims") })
    func `PNG: every pixel stays`(fixture: Fixture) throws {
        let file = try fixture.data
        let smaller = try Codecs.optimized(file)
        #expect(smaller.count <= file.count)
        let (before, after) = (try FrameDecoder(file), try FrameDecoder(smaller))
        #expect(try before.frame(at: 0) == after.frame(at: 0))
        #expect(before.info.hasColorProfile == after.info.hasColorProfile)
        #expect(before.info.orientation == after.info.orientation)
        if before.info.bitsPerChannel == 16 { #expect(after.info.bitsPerChannel == 16) }
    }

    @Test func `PNG: noise of every kind keeps its pixels`() throws {
        for (type, depths) in PNGSample.depths {
            for depth in depths {
                let sample = PNGSample(
                    width: 61,
                    height: 23,
                    colorType: type,
                    depth: depth,
                    level: 1
                )
                let file = sample.file
                let smaller = try Codecs.optimized(file)
                #expect(smaller.count <= file.count)
                #expect(try Codecs.decode(smaller).bitmap == Codecs.decode(file).bitmap)
            }
        }
    }

    @Test func `PNG: needless alpha, colours and depth of samples go`() throws {
        func file(_ type: Int, _ pixel: (Int) -> [UInt8]) -> Data {
            var rows: [UInt8] = []
            for y in 0..<64 { rows += [0] + (0..<64).flatMap { pixel(y * 64 + $0) } }
            var file = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
            let size = Bytes.big(64, 4) + Bytes.big(64, 4)
            file += PNGSample.chunk("IHDR", size + [8, UInt8(type), 0, 0, 0])
            file += PNGSample.chunk("tEXt", Array("Comment\0none".utf8))
            file += PNGSample.chunk("IDAT", PNGSample.compress(rows, level: 1))
            return file + PNGSample.chunk("IEND", [])
        }
        let random = { (index: Int) -> UInt8 in
            var generator = SplitMix64(seed: UInt64(index))
            return UInt8(truncatingIfNeeded: generator.next() >> 13)
        }
        // The colour type of the result, and its bits.
        for (source, type, bits) in [
            (file(6) { [random($0), random($0 + 7), random($0 + 9), 255] }, 2, 8),
            (file(6) { [random($0), random($0), random($0), 255] }, 0, 8),
            (file(2) { $0 % 3 == 0 ? [9, 8, 7] : [200, 1, 2] }, 3, 1),
            (file(6) { [random($0), random($0), random($0), random($0 + 5000)] }, 4, 8),
            (file(6) { $0 % 5 == 0 ? [1, 2, 3, 0] : [4, 5, 6, UInt8(100 + $0 % 3)] }, 3, 2),
        ] {
            let smaller = try Codecs.optimized(source)
            #expect(Int(smaller[25]) == type && Int(smaller[24]) == bits)
            #expect(try Codecs.decode(smaller).bitmap == Codecs.decode(source).bitmap)
            #expect(smaller.range(of: Data("tEXt".utf8)) != nil)
            let bare = try Codecs.optimized(source, keepsMetadata: false)
            #expect(bare.range(of: Data("tEXt".utf8)) == nil)
        }
    }

    @Test(arguments: Fixture.all("gif"))
    func `GIF: every frame and delay stays`(fixture: Fixture) throws {
        let file = try fixture.data
        let smaller = try Codecs.optimized(file)
        #expect(smaller.count <= file.count)
        let (before, after) = (try FrameDecoder(file), try FrameDecoder(smaller))
        #expect(before.delays == after.delays && before.loopCount == after.loopCount)
        for index in 0..<before.frameCount {
            #expect(try before.frame(at: index) == after.frame(at: index))
        }
    }

    @Test func `other formats are refused`() throws {
        let file = try Fixture(name: "lossy.webp").data
        #expect(throws: CodecError.self) { try Codecs.optimized(file) }
    }
}
