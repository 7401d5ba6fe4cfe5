#if GTK
import Foundation
import Kingfisher

extension ViewLoader {
    // MARK: Larger versions

    /// Whether the still image has too few pixels for the view, or far too many.
    var needsReload: Bool {
        guard let load = shownLoad, load.isGuessed || load.decodedFor != nil,
            content.animation.player == nil, let image = content.image, let box = sizing.box
        else { return false }
        return load.needsReload(image, in: box, density: sizing.density)
    }

    /// Loads the image again in the present size of the view, unless a load waits or runs.
    func reloadIfNeeded() {
        guard pending == nil, binding.identifier == nil, needsReload, let load = shownLoad,
            let box = sizing.box
        else { return }
        let refinement = Refinement { [content] in content.show($0) }
        self.refinement = refinement
        binding.load(
            load.source,
            into: refinement,
            placeholder: nil,
            options: sizing.sized(load.options, for: box).givingTexture.refining,
            by: load.manager,
            completion: { [weak self, weak refinement] result in
                guard let self, let refinement, self.refinement === refinement else { return }
                self.refinement = nil
                guard case .success = result else { return }
                load.decodedFor = box.size
                load.isGuessed = false
            }
        )
    }

    // MARK: The size of the file

    /// Reads the size of the file before the load ends.
    func readFileSize(of load: PendingLoad, _ result: RetrieveImageResult) {
        Task { [weak self] in
            load.fileSize = await load.readFileSize(of: result, onlyFromCache: false)
            // The image was shown, even if another one or nothing follows by now.
            guard let self, content.canvas.isAlive else { return load.finish(.success(result)) }
            keeping(picture) { settle(load, .success(result)) }
        }
    }

    /// The size of the current image's file in logical pixels.
    ///
    /// The first call for an image that was decoded in another size returns that, and requests the
    /// size of the file; ``onSettled`` is called when that is known.
    var naturalSize: CGSize? {
        guard content.showsImage, let image = content.image else { return nil }
        guard let load = shownLoad, load.decodedFor != nil else { return image.size }
        guard let size = load.fileSize else {
            requestFileSize(of: load)
            return image.size
        }
        return size.scaled(by: 1 / load.options.scaleFactor)
    }

    /// Whether ``naturalSize`` will not change any more for the image of a load.
    func knowsNaturalSize(of load: PendingLoad) -> Bool {
        load.decodedFor == nil || load.fileSize != nil
    }

    private func requestFileSize(of load: PendingLoad) {
        guard !load.isFileSizeRequested else { return }
        load.isFileSizeRequested = true
        Task { [weak self] in
            // Decoding to a size keeps the file in the cache.
            let size = await load.readFileSize(of: nil, onlyFromCache: true)
            guard let self, content.canvas.isAlive, shownLoad === load else { return }
            load.fileSize = size ?? content.image?.size.scaled(by: load.options.scaleFactor)
            keeping(picture) { onSettled?(load) }
        }
    }
}
#endif
