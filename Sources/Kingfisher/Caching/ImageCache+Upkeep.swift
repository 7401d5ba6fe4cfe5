import Foundation
import Synchronization

extension ImageCache {
    /// Periodic tasks of the cache; they end with the cache.
    struct Upkeep {
        var cleaning: RepeatingTimer?
        var pressure: MemoryPressureWatch?
    }

    func startUpkeep() {
        // Ten minutes: files live for days, and a sweep only reads the index.
        let timer = WallClock.system.every(600) { [weak self] in self?.cleanExpiredDiskCache() }
        upkeep.withLock { $0.cleaning = timer }
        heed(.system)
    }

    /// Frees memory when a source reports memory pressure; replaces the previous source.
    func heed(_ source: MemoryPressureSource) {
        let watch = source.watch { [weak self] in self?.giveMemoryBack() }
        let old = upkeep.withLock { upkeep in
            defer { upkeep.pressure = watch }
            return upkeep.pressure
        }
        // Released here, outside the lock.
        _ = old
    }

    /// Evicts images until half of the total cost remains.
    ///
    /// While memory stays short, the source calls again.
    private func giveMemoryBack() {
        memoryStorage.store.shrink(toCost: memoryStorage.store.totalCost / 2)
    }
}
