// Made from Sources/Kingfisher/Kingfisher.docc/Pipeline.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
@MainActor
final class Cell {
    private let interest = ImageInterest(.prefetch)
    let view = KFCrossPlatformImageView()

    func show(_ url: URL) {
        view.kf.setImage(with: url, options: [.interest(interest)])
    }

    /// Called in each frame while the list moves.
    func moved(secondsUntilSeen seconds: Double?) {
        switch seconds {
        case nil: interest.deadline = .gone
        case 0?: interest.deadline = .now
        case let seconds?: interest.deadline = .after(.seconds(seconds))
        }
    }
}
}
