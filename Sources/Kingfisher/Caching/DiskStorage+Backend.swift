public import Foundation
import Synchronization
import SystemPackage

extension DiskStorage {
    /// Stores values in the files of a folder, by key.
    ///
    /// All methods can be called on any thread and may block.
    ///
    /// Storages of the same folder share one index.
    public final class Backend<T: DataTransformable>: Sendable where T: Sendable {
        /// The folder.
        public let directoryURL: URL

        private let settings: Mutex<Config>
        /// The disk cache of the folder, shared by all caches of the folder.
        let disk: DiskCache
        var store: DiskStore { disk.store }
        var queue: DiskWriteQueue { disk.queue }

        /// The settings; a new size limit applies from the next store.
        public var config: Config {
            get { settings.withLock { $0 } }
            set {
                settings.change { $0 = newValue }
                apply(newValue)
            }
        }

        /// Opens a folder, and creates it if it is missing.
        ///
        /// - Parameter config: The settings.
        /// - Throws: ``KingfisherError`` with `cannotCreateDirectory`.
        public convenience init(config: Config) throws {
            try self.init(config: config, clock: .system)
        }

        /// Opens a folder with the caller's clock, for tests.
        ///
        /// If the folder is already open, its clock is not replaced.
        ///
        /// - Parameters:
        ///   - config: The settings.
        ///   - clock: The source of the time.
        /// - Throws: ``KingfisherError`` with `cannotCreateDirectory`.
        public convenience init(config: Config, clock: WallClock) throws {
            self.init(notThrowing: config, clock: clock)
            do throws(Errno) {
                try store.files.makeDirectory(store.folder.path)
            } catch {
                throw KingfisherError.cacheError(
                    reason: .cannotCreateDirectory(path: directoryURL.path, error: error)
                )
            }
        }

        /// Opens a folder; while that fails, every store and read fails.
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
            store.sharesFiles = config.sharesFiles
        }

        /// Stores a value, replacing an earlier value of the key.
        ///
        /// Nothing is stored if the expiration has already passed.
        ///
        /// - Parameters:
        ///   - value: The value.
        ///   - key: The key of the value.
        ///   - expiration: Overrides the expiration of the settings.
        ///   - writeOptions: With `.withoutOverwriting` an existing value that has not expired is
        ///     an error. Other options have no effect: every write is atomic.
        ///   - forcedExtension: An extension for the name of the file.
        /// - Throws: ``KingfisherError``; the earlier value is then unchanged.
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
                    division: KeyDivision(ofText: key),
                    expiration: expiration ?? settings.withLock { $0.expiration },
                    replacing: !writeOptions.contains(.withoutOverwriting)
                )
                try queue.perform(change, on: fileName(key, forcedExtension))
            } catch {
                throw storeError(error, key: key, forcedExtension: forcedExtension, data: data)
            }
        }

        /// Returns the value of a key; nil if it is missing, expired or damaged.
        ///
        /// - Parameters:
        ///   - key: The key of the value.
        ///   - forcedExtension: The extension with which the value was stored.
        ///   - extendingExpiration: How the read extends the expiration.
        /// - Returns: The value, or nil.
        /// - Throws: ``KingfisherError`` if the file exists but cannot be read.
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

        /// Returns the bytes of a file; nil for a miss.
        ///
        /// Does not make a URL, which would take as long as the rest of a small read.
        func data(
            named name: String,
            extending: ExpirationExtending
        ) throws(KingfisherError) -> Data? {
            try requireReady()
            do throws(DiskError) {
                return try disk.read(name, .any, extending: extending)?.data
            } catch {
                throw loadError(error, name: name)
            }
        }

        func loadError(_ error: any Error, name: String) -> KingfisherError {
            let url = directoryURL.appendingPathComponent(name, isDirectory: false)
            return .cacheError(reason: .cannotLoadDataFromDisk(url: url, error: error))
        }

        /// Whether there is a valid value; extends no expiration and reads no file.
        ///
        /// - Parameters:
        ///   - key: The key of the value.
        ///   - forcedExtension: The extension with which the value was stored.
        /// - Returns: Whether the value is valid and its file can be read.
        public func isCached(forKey key: String, forcedExtension: String? = nil) -> Bool {
            disk.ask(fileName(key, forcedExtension), .any, effort: .file).isThere
        }

        /// Whether there is a value that is valid at a date.
        ///
        /// - Parameters:
        ///   - key: The key of the value.
        ///   - referenceDate: The date.
        ///   - forcedExtension: The extension with which the value was stored.
        /// - Returns: Whether the value is valid then and its file can be read.
        public func isCached(
            forKey key: String,
            referenceDate: Date,
            forcedExtension: String? = nil
        ) -> Bool {
            let time = referenceDate.timeIntervalSinceReferenceDate
            return store.ask(fileName(key, forcedExtension), effort: .file, at: time).isThere
        }

        /// Removes the value of a key.
        ///
        /// - Parameters:
        ///   - key: The key of the value.
        ///   - forcedExtension: The extension with which the value was stored.
        /// - Throws: An error if there is no value or its file cannot be removed.
        public func remove(forKey key: String, forcedExtension: String? = nil) throws {
            try queue.perform(.removal, on: fileName(key, forcedExtension))
        }

        /// Removes all values.
        ///
        /// - Throws: An error if files cannot be removed.
        public func removeAll() throws {
            try queue.removeAll()
        }

        /// Returns the URL of a key's file, whether or not it exists.
        ///
        /// - Parameters:
        ///   - key: The key.
        ///   - forcedExtension: An extension for the name of the file.
        /// - Returns: The URL.
        public func cacheFileURL(forKey key: String, forcedExtension: String? = nil) -> URL {
            directoryURL.appendingPathComponent(
                fileName(key, forcedExtension),
                isDirectory: false
            )
        }

        /// Removes expired values, and returns the URLs of their files.
        ///
        /// A file that cannot be removed does not affect the others.
        ///
        /// - Returns: The URLs of the removed files.
        /// - Throws: Never; exists for compatibility.
        public func removeExpiredValues() throws -> [URL] {
            urls(store.removeExpired())
        }

        /// Removes the least recently used values down to half of the size limit, if it is
        /// exceeded.
        ///
        /// - Returns: The URLs of the removed files.
        /// - Throws: Never; exists for compatibility.
        public func removeSizeExceededValues() throws -> [URL] {
            urls(store.trim())
        }

        /// The total size of the files in bytes, as the index knows it.
        ///
        /// On file systems that cannot write files without a name, the folder is listed, to find the
        /// temporary files of processes that died.
        ///
        /// - Returns: The size in bytes.
        /// - Throws: Never; exists for compatibility.
        public func totalSize() throws -> UInt {
            UInt(clamping: store.totalSize)
        }

        /// The statistics of the storage, and its contents.
        ///
        /// - Complexity: O(1).
        public var statistics: DiskStatistics { store.statistics }

        /// Reads the index of the folder, unless it has been read.
        func open() {
            // An error is reported to the first caller that stores or reads.
            try? store.prepare()
        }

        func fileName(_ key: String, _ forcedExtension: String?) -> String {
            settings.withLock { $0.naming }.name(forKey: key, forcedExtension: forcedExtension)
        }

        /// The form of a key in the log.
        func loggedKey(_ key: String, _ digest: KeyDigest = KeyDigest()) -> String {
            if config.hashesKeysInIndex { return digest.text(of: key) }
            return key.withoutUsers
        }

        private func urls(_ cleaning: DiskCleaning) -> [URL] {
            cleaning.removed.map { directoryURL.appendingPathComponent($0, isDirectory: false) }
        }

        /// Retries opening a folder that could not be opened.
        private func requireReady() throws(KingfisherError) {
            guard (try? store.prepare()) != nil else {
                throw KingfisherError.cacheError(
                    reason: .diskStorageIsNotReady(cacheURL: directoryURL)
                )
            }
        }

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
