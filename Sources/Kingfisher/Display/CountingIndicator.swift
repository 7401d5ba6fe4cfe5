import Foundation

/// A view that is visible while at least one load runs.
@MainActor
final class CountingIndicator: Indicator {
    let view: IndicatorView
    private var running = 0

    init(view: IndicatorView) {
        self.view = view
        view.isHidden = true
    }

    /// Shows a picture, animated if its data are; an empty view when it cannot be decoded.
    convenience init(imageData: Data) {
        let options = ImageCreatingOptions(preloadAll: true)
        let image = KingfisherWrapper<KFCrossPlatformImage>.image(data: imageData, options: options)
        let imageView = KFCrossPlatformImageView(
            frame: CGRect(origin: .zero, size: image?.size ?? .zero)
        )
        imageView.image = image
        self.init(view: imageView)
    }

    func startAnimatingView() {
        running += 1
        view.isHidden = false
    }

    func stopAnimatingView() {
        running = max(0, running - 1)
        view.isHidden = running == 0
    }

    func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy {
        .intrinsicSize
    }
}
