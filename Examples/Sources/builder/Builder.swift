// The builder: KF.url(…) with processing and callbacks, set to a custom view.
import Exhibition
import Foundation
import Kingfisher

/// A stand-in for a view: any type with an image becomes a target by conforming to the protocol.
@MainActor
final class Card: KingfisherHasImageComponent {
    var image: KFCrossPlatformImage? {
        didSet { print("       card shows \(image.map { "\($0.size)" } ?? "nothing")") }
    }
}

@main
struct Builder {
    @MainActor
    static func main() async throws {
        let exhibition = try Exhibition()
        let cache = try temporaryCache()
        let card = Card()

        await withCheckedContinuation { continuation in
            KF.url(exhibition.url("/photo.jpg"))
                .targetCache(cache)
                .placeholder(KFCrossPlatformImage())
                .resizing(referenceSize: CGSize(width: 120, height: 120), mode: .aspectFill)
                .cropping(size: CGSize(width: 120, height: 120))
                .roundCorner(radius: .widthFraction(0.5))
                .serialize(as: .PNG)
                .retry(maxCount: 2, interval: .seconds(0))
                .onProgress { received, total in print("       \(received) of \(total) bytes") }
                .onSuccess { result in
                    print("       from \(result.cacheType)")
                    continuation.resume()
                }
                .onFailure { error in
                    print("       \(error.localizedDescription)")
                    continuation.resume()
                }
                .set(to: card)
        }
        check(card.image?.size == CGSize(width: 120, height: 120), "the card shows a round image")

        // The overload with a list of options does the same.
        card.kf.setImage(with: URL(string: "not a place"), options: [.onFailureImage(nil)]) {
            result in
            guard case .failure(let error) = result else { return }
            print("       \(error.localizedDescription)")
        }
        await card.kf.waitUntilLoaded()
        check(card.image == nil, "after a failure the card shows the failure image, here none")
    }
}
