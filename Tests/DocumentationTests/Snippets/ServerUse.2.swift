// Made from Sources/Kingfisher/Kingfisher.docc/ServerUse.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

func thumbnails(of urls: [URL], by manager: KingfisherManager) async -> [URL: Data] {
    await withTaskGroup(of: (URL, Data?).self) { group in
        for url in urls {
            group.addTask {
                let size = CGSize(width: 200, height: 200)
                let result = try? await manager.retrieveImage(
                    with: url,
                    options: [
                        .processor(DownsamplingImageProcessor(size: size)),
                        .callbackQueue(.untouch),
                    ]
                )
                return (url, result?.image.kf.jpegRepresentation(compressionQuality: 0.8))
            }
        }
        var thumbnails: [URL: Data] = [:]
        for await (url, data) in group { thumbnails[url] = data }
        return thumbnails
    }
}
