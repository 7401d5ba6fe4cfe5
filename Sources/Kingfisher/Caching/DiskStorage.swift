public import Foundation

/// The disk layer of a cache.
public enum DiskStorage {
    /// The settings of the disk layer.
    public struct Config: Sendable {
        /// The most bytes that all files may have together; 0 sets no limit.
        public var sizeLimit: UInt

        /// The rule for files that are stored without one of their own.
        public var expiration: StorageExpiration = .days(7)

        /// An extension for every file name.
        public var pathExtension: String?

        /// Whether a file is named by the SHA-256 of its key, or by the key itself.
        public var usesHashedFileName = true

        /// Whether a hashed name ends in the extension that is found in the key.
        public var autoExtAfterHashedFileName = false

        /// Computes the folder from a base folder and the cache's name.
        public var cachePathBlock: @Sendable (_ directory: URL, _ cacheName: String) -> URL = {
            $0.appendingPathComponent($1, isDirectory: true)
        }

        /// Whether a store ends only when its bytes are on the storage medium (`fsync`).
        ///
        /// Without it a store that was reported complete survives the end of the process, but may
        /// be missing after a power cut; it is never wrong. With it a store takes as long as the
        /// medium does, milliseconds on most.
        public var synchronizesWrites = false

        /// Whether the index keeps a hash of each key instead of the key.
        ///
        /// The index is a file in the cache's folder. Names and passwords in URLs never reach it;
        /// with this setting, tokens in paths and queries do not either, and
        /// ``DiskStorage/Entry/key`` is the hash.
        public var hashesKeysInIndex = false

        /// What turns bytes into those of the files, such as ``AESGCMTransformer``; nil leaves them
        /// as they are.
        ///
        /// All storages that are open on one folder use the first one's. Files that were written
        /// otherwise count as damaged.
        public var transformer: (any DiskDataTransformer)?

        /// The name of the cache, a part of its folder's name.
        public let name: String

        let directory: URL?

        /// Makes settings.
        ///
        /// - Parameters:
        ///   - name: A part of the folder's name.
        ///   - sizeLimit: In bytes; 0 sets no limit.
        ///   - fileManager: Is asked where the user's cache folder is, and nothing else. Files are
        ///     read and written by system calls, so a subclass that overrides methods such as
        ///     `fileExists(atPath:)` has no effect on the cache.
        ///   - directory: The base folder; nil for the user's cache folder.
        public init(
            name: String,
            sizeLimit: UInt,
            fileManager: FileManager = .default,
            directory: URL? = nil
        ) {
            self.name = name
            self.sizeLimit = sizeLimit
            self.directory =
                directory
                ?? fileManager.urls(for: .cachesDirectory, in: .userDomainMask).first
        }

        var directoryURL: URL {
            let base = directory ?? FileManager.default.temporaryDirectory
            return cachePathBlock(base, "com.onevcat.Kingfisher.ImageCache.\(containedName)")
        }

        /// The name, with its slashes escaped if it would lead out of the base folder.
        private var containedName: String {
            let name = name.replacingOccurrences(of: "\0", with: "%00")
            guard name.split(separator: "/").contains("..") else { return name }
            return name.replacingOccurrences(of: "%", with: "%25")
                .replacingOccurrences(of: "/", with: "%2F")
        }

        var naming: FileNaming {
            FileNaming(
                usesHash: usesHashedFileName,
                pathExtension: pathExtension,
                addsExtensionOfKey: autoExtAfterHashedFileName
            )
        }
    }
}
