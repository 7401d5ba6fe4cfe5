import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// The spy of `Scripts/isolation.sh` sees what it shall see.
@Suite(.enabled(if: DecoderSpy.isLoaded))
struct DecoderSpyTests {
    @Test func `a JPEG that is decoded here ends the process`() async {
        await #expect(processExitsWith: .exitCode(86)) {
            _ = KFCrossPlatformImage(data: TestImage.jpeg())
        }
    }

    @Test func `a PNG that is decoded here ends the process`() async {
        await #expect(processExitsWith: .exitCode(86)) {
            _ = KFCrossPlatformImage(data: TestImage.png())
        }
    }

    @Test func `a GIF that is decoded here ends the process`() async {
        await #expect(processExitsWith: .exitCode(86)) {
            _ = KFCrossPlatformImage(data: TestImage.gif)
        }
    }

    @Test func `a WebP whose size is read by its library here ends the process`() async {
        await #expect(processExitsWith: .exitCode(86)) {
            let image = KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 8, height: 8))
            _ = image.kf.data(format: .WebP).flatMap { KFCrossPlatformImage(data: $0) }
        }
    }

    @Test func `an AVIF whose header is read here ends the process`() async {
        await #expect(processExitsWith: .exitCode(86)) {
            let image = KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 8, height: 8))
            _ = try image.kf.data(format: .AVIF).map { try ImageFileInfo(data: $0) }
        }
    }

    @Test func `a permission lasts as long as it says`() async {
        await #expect(processExitsWith: .exitCode(86)) {
            let image = DecoderSpy.permitting { KFCrossPlatformImage(data: TestImage.png()) }
            guard image != nil else { fatalError("it was not decoded") }
            _ = KFCrossPlatformImage(data: TestImage.png())
        }
    }
}
