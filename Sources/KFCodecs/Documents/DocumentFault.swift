package import KFPixels

/// Why no image was made of a part of a document.
package enum DocumentFault: Error, Sendable, Equatable {
    /// The library is loaded when it is first needed, and is not installed.
    ///
    /// `package` is the name of Debian's package.
    case missingLibrary(String, package: String)
    /// The document is encrypted, and the password is missing or wrong.
    case password
    /// The document has fewer pages.
    case noPage(count: Int)
    /// The bytes are no such document, or a damaged one.
    case damaged(String)
    /// The image would be above the limits of decoding.
    case tooLarge(PixelSize)
    /// A byte that is needed is not in the parts of the file that are there.
    case missing(offset: Int)
    /// There is no memory for the image.
    case outOfMemory
}
