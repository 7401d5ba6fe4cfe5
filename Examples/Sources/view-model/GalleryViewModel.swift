import Foundation
import Kingfisher
import Observation

/// The state of a screen with many images, observable from any toolkit.
@MainActor
@Observable
final class GalleryViewModel {
    enum Phase {
        case waiting
        case loading(fraction: Double)
        case loaded(KFCrossPlatformImage, CacheType)
        case failed(String)
    }

    private(set) var phases: [URL: Phase] = [:]

    var loadedCount: Int {
        phases.values.filter { if case .loaded = $0 { true } else { false } }.count
    }

    @ObservationIgnored private let manager: KingfisherManager
    @ObservationIgnored private var tasks: [URL: Task<Void, Never>] = [:]
    private let processor = DownsamplingImageProcessor(size: CGSize(width: 160, height: 160))

    init(manager: KingfisherManager = .shared) {
        self.manager = manager
    }

    func phase(of url: URL) -> Phase { phases[url] ?? .waiting }

    /// Called when a cell becomes visible.
    func appear(_ url: URL) {
        guard tasks[url] == nil else { return }
        if case .loaded = phase(of: url) { return }
        phases[url] = .loading(fraction: 0)
        tasks[url] = Task { [weak self] in
            await self?.load(url)
            self?.tasks[url] = nil
        }
    }

    /// Called when a cell is no longer visible; cancels a load that has not finished.
    func disappear(_ url: URL) {
        tasks.removeValue(forKey: url)?.cancel()
        if case .loading = phase(of: url) { phases[url] = .waiting }
    }

    /// Waits for the loads of all visible cells.
    func settle() async {
        while let task = tasks.values.first { await task.value }
    }

    private func load(_ url: URL) async {
        do {
            let result = try await manager.retrieveImage(
                with: url,
                options: [.processor(processor), .scaleFactor(2), .cacheOriginalImage],
                progressBlock: { [weak self] received, total in
                    let fraction = Double(received) / Double(max(1, total))
                    Task { @MainActor in self?.note(fraction, of: url) }
                }
            )
            phases[url] = .loaded(result.image, result.cacheType)
        } catch let error as KingfisherError where error.isTaskCancelled {
            phases[url] = .waiting
        } catch is CancellationError {
            phases[url] = .waiting
        } catch {
            phases[url] = .failed(error.localizedDescription)
        }
    }

    private func note(_ fraction: Double, of url: URL) {
        if case .loading = phase(of: url) { phases[url] = .loading(fraction: fraction) }
    }
}
