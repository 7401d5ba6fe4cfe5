// Made from Sources/Kingfisher/Kingfisher.docc/GettingStarted.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
guard CommandLine.arguments.count == 2, let url = URL(string: CommandLine.arguments[1]) else {
    print("usage: hello URL")
    exit(64)
}
let size = CGSize(width: 400, height: 400)
do {
    let result = try await KingfisherManager.shared.retrieveImage(
        with: url,
        options: [.processor(DownsamplingImageProcessor(size: size)), .waitForCache]
    )
    let file = URL(fileURLWithPath: "small.jpg")
    try result.image.kf.jpegRepresentation(compressionQuality: 0.8)?.write(to: file)
    print(result.image.size.width, "×", result.image.size.height, "from", result.cacheType)
} catch {
    print("hello: \(error.localizedDescription)")
    exit(1)
}
}
