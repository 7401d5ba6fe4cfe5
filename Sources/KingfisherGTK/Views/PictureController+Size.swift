#if GTK
import CGTK
import CKFGTK
import Foundation
import Kingfisher

/// Images that are decoded again in a larger size.
extension PictureController {
    /// Called while the view is painted, when nothing may be changed.
    func isPainted() {
        guard needsReload || animation.needsLargerFrames else { return }
        sizing.onceStill { [weak self] in self?.reloadIfNeeded() }
    }

    private var needsReload: Bool {
        guard let load = shownLoad, load.isGuessed || load.decodedFor != nil,
            animation.player == nil, let image = content.image, let box = sizing.box
        else { return false }
        if load.isGuessed, box.factor(of: image.size) < 2 / 3 { return true }
        guard let decodedFor = load.decodedFor else { return false }
        let isLarger =
            box.size.width > decodedFor.width || box.size.height > decodedFor.height
        // An image with fewer pixels than requested has no more detail.
        return (isLarger || CGFloat(sizing.density) > image.scale)
            && image.fills(decodedFor, covers: box.covers)
    }

    private func reloadIfNeeded() {
        if let image = content.image, animation.needsLargerFrames {
            animation.replaceFrames(of: image)
        }
        guard pending == nil, binding.identifier == nil, needsReload,
            let load = shownLoad, let box = sizing.box
        else { return }
        var options = sizing.sized(load.options, for: box).givingTexture
        options.transition = .none
        options.keepCurrentImageWhileLoading = true
        options.onFailureImage = .none
        isRefining = true
        keeping(picture) {
            _ = binding.load(
                load.source,
                into: self,
                placeholder: nil,
                options: options,
                by: load.manager,
                completion: { [weak self] result in
                    self?.isRefining = false
                    guard case .success = result else { return }
                    load.decodedFor = box.size
                    load.isGuessed = false
                }
            )
        }
    }
}

extension KFCrossPlatformImage {
    /// Whether the image was scaled down to a box, rather than being smaller itself.
    fileprivate func fills(_ box: CGSize, covers: Bool) -> Bool {
        // Rounding may lose one pixel.
        let wide = size.width + 1 >= box.width
        let high = size.height + 1 >= box.height
        return covers ? wide && high : wide || high
    }
}
#endif
