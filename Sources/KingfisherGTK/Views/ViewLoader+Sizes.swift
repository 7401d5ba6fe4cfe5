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
}
#endif
