// Made from Sources/Kingfisher/Kingfisher.docc/Recipes.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

@MainActor
func showProgressively(_ url: URL, in view: KFCrossPlatformImageView) {
    view.kf.setImage(with: url, options: [.progressiveJPEG(ImageProgressive())])
}
