import Foundation
import TestSupport
import Testing

@testable import Kingfisher

struct ImageFileInfoTests {
    @Test func `an animation reports frames, duration and rounds`() throws {
        let info = try ImageFileInfo(data: TestImage.gif)
        #expect(info.format == .GIF)
        #expect(info.formatName == "gif")
        #expect(info.size == CGSize(width: 8, height: 6))
        #expect(info.frameCount == 3)
        #expect(info.duration.map { abs($0 - 0.4) < 0.001 } == true)
        #expect(info.loopCount != nil)
    }

    @Test func `a still has neither time nor rounds`() throws {
        for data in [TestImage.stillGIF, TestImage.png()] {
            let info = try ImageFileInfo(data: data)
            #expect(info.frameCount == 1)
            #expect(info.loopCount == nil)
            #expect(info.duration == nil)
            #expect(info.orientation == 1)
            #expect(info.size == info.storedSize)
        }
    }

    @Test func `every prefix gives the same answer, or asks for more`() throws {
        let whole = try ImageFileInfo(data: TestImage.png())
        var known = 0
        for count in 0..<TestImage.png().count {
            do throws(ImageFileInfo.Failure) {
                let info = try ImageFileInfo(data: TestImage.png().prefix(count))
                #expect(info.size == whole.size)
                known += 1
            } catch {
                guard case .needsMoreData = error else {
                    Issue.record("\(count) bytes: \(error)")
                    continue
                }
            }
        }
        #expect(known > 0)
    }

    @Test func `stills whose header needs no C library are read in the program`() throws {
        let still = TestImage.png()
        #expect(ImageFileInfo.isReadSafely(still))
        #expect(ImageFileInfo.isReadSafely(Data("no image".utf8)))
        #expect(!ImageFileInfo.isReadSafely(TestImage.gif))
        let fixtures = try IsolatedDecodingTests.fixtures()
        for name in ["444.avif", "lossless.jxl", "420.heic", "lzw.tiff", "sized.svg"] {
            let file = try #require(fixtures.first { $0.name == name }?.data)
            #expect(!ImageFileInfo.isReadSafely(file), "\(name)")
        }
    }

    @Test func `bytes that are not an image are reported as such`() {
        #expect(throws: ImageFileInfo.Failure.self) {
            try ImageFileInfo(data: Data("<html><body>not found</body></html>".utf8))
        }
        let error = ImageFileInfo.Failure.unreadable("the bytes are not an image of a known format")
        #expect(error.localizedDescription.contains("not an image of a known format"))
    }
}
