public import Foundation
import Synchronization
import SystemPackage

extension DiskStorage {
    /// Values in the files of a folder, by key; any thread may use it, and every call may block.
    ///
    /// Two storages on one folder share one index.
    public final class Backend<T: DataTransformable>: Sendable where T: Sendable {
        /// The folder.
        public let directoryURL: URL

        private let settings: Mutex<Config>
        /// The owner of the folder, which all caches of the folder share.
        let disk: DiskCache
        var store: DiskStore { disk.store }
        var queue: DiskWriteQueue { disk.queue }

        /// The settings; a new limit applies to the next store.
        public var config: Config {
            get { settings.withLock { $0 } }
            set {
                settings.withLock { $0 = newValue }
                apply(newValue)
            }
        }

        /// Opens a folder, making it when it is missing.
        ///
        /// - Throws: ``KingfisherError`` with `cannotCreateDirectory`.
        public convenience init(config: Config) throws {
            try self.init(config: config, clock: .system)
        }

        /// Opens a folder, and takes time from a clock of the caller's, as tests do.
        ///
        /// A folder that is open already keeps the clock it was opened with.
        ///
        /// - Throws: ``KingfisherError`` with `cannotCreateDirectory`.
        public convenience init(config: Config, clock: WallClock) throws {
            self.init(notThrowing: config, clock: clock)
            do throws(Errno) {
                try store.files.makeDirectory(store.directory)
            } catch {
                throw KingfisherError.cacheError(
                    reason: .cannotCreateDirectory(path: directoryURL.path, error: error)
                )
            }
        }

        /// Opens a folder; as long as that fails, every store and read does.
        init(notThrowing config: Config, clock: WallClock = .system) {
            directoryURL = config.directoryURL
            settings = Mutex(config)
            let options = DiskStore.Options(transformer: config.transformer)
            disk = DiskCache.shared(at: config.directoryURL) { path in
                DiskStore(directory: path, clock: clock, options: options)
            }
            apply(config)
        }

        private func apply(_ config: Config) {
            store.sizeLimit = Int(clamping: config.sizeLimit)
            store.syncs = config.synchronizesWrites
        }

        /// Stores a value, instead of an earlier one of the key if there is one.
        ///
        /// Nothing is stored when the rule has expired already.
        ///
        /// - Parameters:
        ///   - value: The value.
        ///   - key: The key to find it by.
        ///   - expiration: The rule for this value instead of that of the settings.
        ///   - writeOptions: With `.withoutOverwriting` a value that is there already, and has not
        ///     expired, is an error. The others change nothing: every write is atomic.
        ///   - forcedExtension: An extension for the file's name.
        /// - Throws: ``KingfisherError``; what was stored before is still there then.
        public func store(
            value: T,
            forKey key: String,
            expiration: StorageExpiration? = nil,
            writeOptions: Data.WritingOptions = [],
            forcedExtension: String? = nil
        ) throws {
            let data: Data
            do {
                data = try value.toData()
            } catch {
                throw KingfisherError.cacheError(
                    reason: .cannotConvertToData(object: value, error: error)
                )
            }
            do {
                let change = DiskWriteQueue.Operation.Change.store(
                    .ready(data),
                    key: loggedKey(key),
                    expiration: expiration ?? settings.withLock { $0.expiration },
                    replacing: !writeOptions.contains(.withoutOverwriting)
                )
                try queue.perform(change, on: fileName(key, forcedExtension))
            } catch {
                throw storeError(error, key: key, forcedExtension: forcedExtension, data: data)
            }
        }

        /// Returns the value of a key; nil when it is missing, has expired or is damaged.
        ///
        /// - Throws: ``KingfisherError`` when the file is there but cannot be read.
        public func value(
            forKey key: String,
            forcedExtension: String? = nil,
            extendingExpiration: ExpirationExtending = .cacheTime
        ) throws -> T? {
            let name = fileName(key, forcedExtension)
            guard let data = try data(named: name, extending: extendingExpiration) else {
                return nil
            }
            do {
                return try T.fromData(data)
            } catch {
                throw loadError(error, name: name)
            }
        }

        /// The bytes of a file, nil for a miss.
        ///
        /// Makes no URL: that takes as long as the rest of a small read.
        func data(
            named name: String,
            extending: ExpirationExtending
        ) throws(KingfisherError) -> Data? {
            try requireReady()
            do throws(DiskError) {
                return try disk.read(name, extending: extending)?.data
            } catch {
                throw loadError(error, name: name)
            }
        }

        func loadError(_ error: any Error, name: String) -> KingfisherError {
            let url = directoryURL.appendingPathComponent(name, isDirectory: false)
            return .cacheError(reason: .cannotLoadDataFromDisk(url: url, error: error))
        }

        /// Whether there is a valid value now; prolongs nothing and reads no file.
        public func isCached(forKey key: String, forcedExtension: String? = nil) -> Bool {
            disk.hasFile(fileName(key, forcedExtension))
        }

        /// Whether there is a value that is valid at a date.
        public func isCached(
            forKey key: String,
            referenceDate: Date,
            forcedExtension: String? = nil
        ) -> Bool {
            store.hasFile(
                fileName(key, forcedExtension),
                at: referenceDate.timeIntervalSinceReferenceDate
            )
        }

        /// Removes the value of a key.
        ///
        /// - Throws: An error that says so when there is none.
        public func remove(forKey key: String, forcedExtension: String? = nil) throws {
            try queue.perform(.removal, on: fileName(key, forcedExtension))
        }

        /// Removes every value.
        public func removeAll() throws {
            try queue.performAlone { [store] () throws(DiskError) in try store.removeAll() }
        }

        /// The file of a key, whether or not it exists.
        public func cacheFileURL(forKey key: String, forcedExtension: String? = nil) -> URL {
            directoryURL.appendingPathComponent(
                fileName(key, forcedExtension),
                isDirectory: false
            )
        }

        /// Removes what has expired, and returns the files.
        ///
        /// One that cannot be removed does not keep the others.
        public func removeExpiredValues() throws -> [URL] {
            urls(store.removeExpired())
        }

        /// Removes the least recently used values until half the limit is reached, if it is passed.
        public func removeSizeExceededValues() throws -> [URL] {
            urls(store.trim())
        }

        /// The bytes of all files, known without touching the disk.
        public func totalSize() throws -> UInt {
            UInt(clamping: store.totalSize)
        }

        /// What the layer has done so far, and what it holds.
        ///
        /// - Complexity: O(1).
        public var statistics: DiskStatistics { store.statistics }

        /// Reads the index of the folder, unless that was done.
        func open() {
            // What is in the way is told to the first who stores or reads.
            try? store.prepare()
        }

        func fileName(_ key: String, _ forcedExtension: String?) -> String {
            settings.withLock { $0.naming }.name(forKey: key, forcedExtension: forcedExtension)
        }

        /// What the log keeps of a key.
        func loggedKey(_ key: String) -> String {
            if config.hashesKeysInIndex { return FileNaming().name(forKey: key) }
            return CacheEntryName.isAmbiguous(key) ? key.withoutUsers : key
        }

        private func urls(_ cleaning: DiskCleaning) -> [URL] {
            cleaning.removed.map { directoryURL.appendingPathComponent($0, isDirectory: false) }
        }

        /// Tries once more to open a folder that could not be opened.
        private func requireReady() throws(KingfisherError) {
            guard isReady else {
                throw KingfisherError.cacheError(
                    reason: .diskStorageIsNotReady(cacheURL: directoryURL)
                )
            }
        }

        var isReady: Bool { store.isOpen || (try? store.prepare()) != nil }

        func storeError(
            _ error: DiskError,
            key: String,
            forcedExtension: String?,
            data: Data
        ) -> KingfisherError {
            if case .cannotCreateDirectory = error {
                return .cacheError(reason: .diskStorageIsNotReady(cacheURL: directoryURL))
            }
            let url = cacheFileURL(forKey: key, forcedExtension: forcedExtension)
            return .cacheError(
                reason: .cannotCreateCacheFile(fileURL: url, key: key, data: data, error: error)
            )
        }
    }
}
