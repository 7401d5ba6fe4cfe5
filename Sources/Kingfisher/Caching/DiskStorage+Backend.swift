public import Foundation
import Synchronization

extension DiskStorage {
    /// Values in the files of a folder, by key; any thread may use it, and every call may block.
    ///
    /// Two storages on one folder share one index.
    public final class Backend<T: DataTransformable>: Sendable where T: Sendable {
        /// The folder.
        public let directoryURL: URL

        private let settings: Mutex<Config>
        let store: DiskStore
        /// Changes that are made behind the caller.
        let queue: DiskWriteQueue
        /// Why the folder could not be made, nil when it could.
        let failure: KingfisherError?

        /// The settings; a new limit applies to the next store.
        public var config: Config {
            get { settings.withLock { $0 } }
            set {
                settings.withLock { $0 = newValue }
                store.sizeLimit = Int(clamping: newValue.sizeLimit)
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
            if let failure { throw failure }
        }

        /// Opens a folder; when that fails, every store does.
        init(notThrowing config: Config, clock: WallClock = .system) {
            directoryURL = config.directoryURL
            settings = Mutex(config)
            store = DiskStoreRegistry.store(at: config.directoryURL) {
                DiskStore(directory: $0, clock: clock)
            }
            queue = DiskWriteQueue(store: store)
            store.sizeLimit = Int(clamping: config.sizeLimit)
            do {
                try FileManager.default.createDirectory(
                    at: config.directoryURL,
                    withIntermediateDirectories: true
                )
                failure = nil
            } catch {
                failure = .cacheError(
                    reason: .cannotCreateDirectory(path: config.directoryURL.path, error: error)
                )
            }
        }

        /// Stores a value, instead of an earlier one of the key if there is one.
        ///
        /// Nothing is stored when the rule has expired already.
        ///
        /// - Parameters:
        ///   - value: The value.
        ///   - key: The key to find it by.
        ///   - expiration: The rule for this value instead of that of the settings.
        ///   - writeOptions: Kept for callers that give them; every write is atomic.
        ///   - forcedExtension: An extension for the file's name.
        /// - Throws: ``KingfisherError``; what was stored before is still there then.
        public func store(
            value: T,
            forKey key: String,
            expiration: StorageExpiration? = nil,
            writeOptions: Data.WritingOptions = [],
            forcedExtension: String? = nil
        ) throws {
            try requireReady()
            let config = config
            let data: Data
            do {
                data = try value.toData()
            } catch {
                throw KingfisherError.cacheError(
                    reason: .cannotConvertToData(object: value, error: error)
                )
            }
            do {
                try store.store(
                    data,
                    named: config.naming.name(forKey: key, forcedExtension: forcedExtension),
                    key: key,
                    expiration: expiration ?? config.expiration
                )
            } catch {
                let url = cacheFileURL(forKey: key, forcedExtension: forcedExtension)
                throw KingfisherError.cacheError(
                    reason: .cannotCreateCacheFile(fileURL: url, key: key, data: data, error: error)
                )
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
            try requireReady()
            let url = cacheFileURL(forKey: key, forcedExtension: forcedExtension)
            do {
                let data = try store.data(
                    named: url.lastPathComponent,
                    extending: extendingExpiration
                )
                return try data.map(T.fromData)
            } catch {
                throw KingfisherError.cacheError(
                    reason: .cannotLoadDataFromDisk(url: url, error: error)
                )
            }
        }

        /// Whether there is a valid value now; prolongs nothing and touches no disk.
        public func isCached(forKey key: String, forcedExtension: String? = nil) -> Bool {
            failure == nil && store.contains(fileName(key, forcedExtension))
        }

        /// Whether there is a value that is valid at a date.
        public func isCached(
            forKey key: String,
            referenceDate: Date,
            forcedExtension: String? = nil
        ) -> Bool {
            failure == nil
                && store.contains(
                    fileName(key, forcedExtension),
                    at: referenceDate.timeIntervalSinceReferenceDate
                )
        }

        /// Removes the value of a key.
        ///
        /// - Throws: An error that says so when there is none.
        public func remove(forKey key: String, forcedExtension: String? = nil) throws {
            try store.remove(fileName(key, forcedExtension))
        }

        /// Removes every value.
        public func removeAll() throws {
            try store.removeAll()
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

        /// Reads the index of the folder, unless that was done.
        func open() {
            guard failure == nil else { return }
            // What is in the way is told to the first who stores or reads.
            try? store.prepare()
        }

        func fileName(_ key: String, _ forcedExtension: String?) -> String {
            config.naming.name(forKey: key, forcedExtension: forcedExtension)
        }

        private func urls(_ cleaning: DiskCleaning) -> [URL] {
            cleaning.removed.map { directoryURL.appendingPathComponent($0, isDirectory: false) }
        }

        func requireReady() throws {
            guard failure != nil else { return }
            throw KingfisherError.cacheError(
                reason: .diskStorageIsNotReady(cacheURL: directoryURL)
            )
        }
    }
}
