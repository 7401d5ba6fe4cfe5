import Foundation
import Kingfisher
import KingfisherTesting
import Testing

struct ScriptedPictureTests {
    /// The pixel at a position as red, green, blue, alpha.
    private func pixel(_ image: KFCrossPlatformImage, x: Int, y: Int) -> [UInt8] {
        image.withPremultipliedRGBA { pixels, bytesPerRow in
            (0..<4).map { pixels[y * bytesPerRow + x * 4 + $0] }
        }
    }

    @Test func `a solid image survives PNG to the bit`() throws {
        let color = KFCrossPlatformColor(red: 1, green: 0.4, blue: 0, alpha: 1)
        let data = ScriptedPicture.solid(color, width: 7, height: 5).data()
        let image = try #require(KFCrossPlatformImage(data: data))
        #expect(image.size == CGSize(width: 7, height: 5))
        #expect(pixel(image, x: 0, y: 0) == [255, 102, 0, 255])
        #expect(pixel(image, x: 6, y: 4) == [255, 102, 0, 255])
    }

    @Test func `a gradient goes from the left colour to the right one`() {
        let image = ScriptedPicture.gradient(from: .black, to: .white, width: 3, height: 2).image
        #expect((0..<3).map { pixel(image, x: $0, y: 1)[0] } == [0, 128, 255])
    }

    @Test func `transparency is kept`() throws {
        let color = KFCrossPlatformColor(red: 0, green: 0, blue: 1, alpha: 0.5)
        let data = ScriptedPicture.solid(color).data()
        let image = try #require(KFCrossPlatformImage(data: data))
        #expect(pixel(image, x: 3, y: 3) == [0, 0, 128, 128])
    }

    @Test func `JPEG is JPEG, and near the colour`() throws {
        let data = ScriptedPicture.solid(.green, width: 32, height: 32).data(as: .jpeg)
        #expect(data.kf.imageFormat == .JPEG)
        let middle = pixel(try #require(KFCrossPlatformImage(data: data)), x: 16, y: 16)
        #expect(middle[0] < 8 && middle[1] > 247 && middle[2] < 8)
    }

    @Test func `a side of no pixels is a mistake`() async {
        await #expect(processExitsWith: .failure) {
            _ = ScriptedPicture.solid(.red, width: 0, height: 4)
        }
    }
}
