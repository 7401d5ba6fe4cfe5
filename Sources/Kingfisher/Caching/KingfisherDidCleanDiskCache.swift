public import Foundation

extension Notification.Name {
    // swift-format-ignore: AlwaysUseLowerCamelCase, the name that user code knows.
    /// Posted on the main queue after cleaning has removed files from a disk cache.
    ///
    /// The object is the cache; the user info has the removed file names under
    /// ``KingfisherDiskCacheCleanedHashKey``.
    public static let KingfisherDidCleanDiskCache = Notification.Name(
        "com.onevcat.Kingfisher.KingfisherDidCleanDiskCache"
    )
}

// swift-format-ignore: AlwaysUseLowerCamelCase, the name that user code knows.
/// The user info key of the removed file names, a `[String]`.
public let KingfisherDiskCacheCleanedHashKey = "com.onevcat.Kingfisher.cleanedHash"
