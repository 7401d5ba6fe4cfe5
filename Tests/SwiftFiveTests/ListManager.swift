// As programs of that time were written.
// swift-format-ignore-file: OnlyOneTrailingClosureArgument
import Dispatch
import Foundation
import Kingfisher

/// Receives the events of a list; held weakly.
protocol ListManagerDelegate: AnyObject {
    func listManager(_ manager: ListManager, didLoad image: KFCrossPlatformImage, at index: Int)
    func listManager(_ manager: ListManager, didFail error: KingfisherError, at index: Int)
}

/// A class in the style of programs before actors: without isolation, with state that closures
/// change, confined to the main queue by convention.
class ListManager {
    weak var delegate: ListManagerDelegate?
    private(set) var images: [Int: KFCrossPlatformImage] = [:]
    private(set) var tasks: [Int: DownloadTask] = [:]
    let progress = Progress(totalUnitCount: 0)
    private let manager: KingfisherManager

    init(manager: KingfisherManager) {
        self.manager = manager
    }

    func load(_ urls: [URL]) {
        for (index, url) in urls.enumerated() {
            tasks[index] = manager.retrieveImage(
                with: url,
                options: [.callbackQueue(.mainAsync)],
                progressBlock: { received, total in
                    self.progress.totalUnitCount = total
                    self.progress.completedUnitCount = received
                }
            ) { [weak self] result in
                guard let self = self else { return }
                self.tasks[index] = nil
                switch result {
                case .success(let value):
                    self.images[index] = value.image
                    DispatchQueue.main.async {
                        self.delegate?.listManager(self, didLoad: value.image, at: index)
                    }
                case .failure(let error):
                    DispatchQueue.main.async {
                        self.delegate?.listManager(self, didFail: error, at: index)
                    }
                }
            }
        }
    }

    func cancel() {
        for task in tasks.values { task.cancel() }
    }
}
