import Foundation
import Synchronization

extension ImageCache {
    /// What the cache does without being asked; it ends with the cache.
    struct Upkeep {
        var cleaning: RepeatingTimer?
        var pressure: MemoryPressureWatch?
    }

    func startUpkeep() {
        // Ten minutes: files live for days, and a sweep looks at the index alone.
        let timer = WallClock.system.every(600) { [weak self] in self?.cleanExpiredDiskCache() }
        upkeep.withLock { $0.cleaning = timer }
        heed(.system)
    }

    /// Lets go of memory when a source says so, instead of the source before.
    func heed(_ source: MemoryPressureSource) {
        let watch = source.watch { [weak self] in self?.giveMemoryBack() }
        let old = upkeep.withLock { upkeep in
            defer { upkeep.pressure = watch }
            return upkeep.pressure
        }
        // It ends here, outside of the lock.
        _ = old
    }

    /// Evicts until half of the costs are left.
    ///
    /// One step: as long as memory stays short, the source calls again.
    private func giveMemoryBack() {
        memoryStorage.store.shrink(toCost: memoryStorage.store.totalCost / 2)
    }
}
