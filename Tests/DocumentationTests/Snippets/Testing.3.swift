// Made from Sources/Kingfisher/Kingfisher.docc/Testing.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher
import KingfisherTesting

@MainActor
func load(_ url: URL, with bench: ImageTestBench) async throws -> KFCrossPlatformImage? {
    let view = KFCrossPlatformImageView(frame: .zero)
    view.kf.setImage(
        with: url,
        options: [.downloader(bench.downloader), .targetCache(bench.cache)]
    )
    await bench.transport.started(1)
    // Here the view shows its placeholder.
    try bench.transport.transfer(0).complete(ScriptedPicture.solid(.blue).data())
    await view.kf.waitUntilLoaded()
    return view.image
}
