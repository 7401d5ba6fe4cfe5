// Made from Sources/Kingfisher/Kingfisher.docc/Recipes.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

@MainActor
func showWithIndicator(_ url: URL, in view: KFCrossPlatformImageView) {
    view.kf.indicatorType = .activity
    view.kf.setImage(with: url)
}
