// Images that do not come from a URL: generated, from a file, from bytes.
import Exhibition
import Foundation
import Kingfisher

/// Generates an avatar: a square in a colour derived from the name.
struct AvatarProvider: ImageDataProvider {
    let name: String

    /// Providers with equal keys provide the same image.
    var cacheKey: String { "avatar-\(name)" }

    func data() async throws -> Data {
        let hue = CGFloat(name.unicodeScalars.reduce(0) { $0 + Int($1.value) } % 360) / 360
        let color = KFCrossPlatformColor(hue: hue, saturation: 0.6, brightness: 0.8, alpha: 1)
        func byte(_ value: CGFloat) -> UInt8 { UInt8((value * 255).rounded()) }
        let pixel = [byte(color.red), byte(color.green), byte(color.blue), 255]
        let pixels = Data((0..<64 * 64).flatMap { _ in pixel })
        let image = KFCrossPlatformImage(premultipliedRGBA: pixels, width: 64, height: 64)
        guard let data = image?.kf.pngRepresentation() else { throw CocoaError(.fileReadUnknown) }
        return data
    }
}

@main
struct DataProvider {
    static func main() async throws {
        let manager = KingfisherManager(downloader: .default, cache: try temporaryCache())

        let anna = Source.provider(AvatarProvider(name: "Anna"))
        let first = try await manager.retrieveImage(with: anna, options: [.waitForCache])
        check(first.image.size == CGSize(width: 64, height: 64), "an avatar is 64 by 64")
        let again = try await manager.retrieveImage(with: anna)
        check(again.cacheType == .memory, "and is made only once")

        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("avatar-\(UUID().uuidString).png")
        defer { try? FileManager.default.removeItem(at: file) }
        try await AvatarProvider(name: "Ben").data().write(to: file)
        let ben = try await manager.retrieveImage(
            with: .provider(LocalFileImageDataProvider(fileURL: file))
        )
        check(ben.image.size.width == 64, "a local file can be a source")

        let bytes = try await AvatarProvider(name: "Clara").data()
        let clara = try await manager.retrieveImage(
            with: .provider(RawImageDataProvider(data: bytes, cacheKey: "clara"))
        )
        check(clara.image.size.width == 64, "and so can bytes")

        do {
            let broken = Base64ImageDataProvider(base64String: "?", cacheKey: "broken")
            _ = try await manager.retrieveImage(with: .provider(broken))
            check(false, "invalid base64 is an error")
        } catch {
            check(true, error.localizedDescription)
        }
    }
}
