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

        /// The name of the cache, a part of its folder's name.
        public let name: String

        let directory: URL?

        /// Makes settings.
        ///
        /// - Parameters:
        ///   - name: A part of the folder's name.
        ///   - sizeLimit: In bytes; 0 sets no limit.
        ///   - fileManager: Tells where the user's cache folder is.
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
            return cachePathBlock(base, "com.onevcat.Kingfisher.ImageCache.\(name)")
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
