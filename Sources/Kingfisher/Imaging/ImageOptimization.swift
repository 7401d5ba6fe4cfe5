public import Foundation
import KFCodecs

/// Makes files smaller without changing a pixel.
///
/// Not part of Kingfisher for Apple platforms.
///
/// ```swift
/// let file = try Data(contentsOf: URL(filePath: "/srv/photo.jpg"))
/// try ImageOptimization.optimized(file).write(to: URL(filePath: "/srv/photo.jpg"))
/// ```
public enum ImageOptimization {
    /// Writes a JPEG, PNG or GIF again with fewer bytes.
    ///
    /// JPEGs keep their coefficients and get optimised Huffman codes, in one scan or several,
    /// whichever is smaller. PNGs get the channels, filters and compression that take the fewest
    /// bytes, which takes seconds for a photograph. GIFs contain only the changes between frames, with
    /// one palette for all of them if it has room for their colours.
    /// Interlaced and animated PNGs, and JPEGs of several images, stay as they are.
    ///
    /// Reads the file in this process; ``isolated(_:keepsMetadata:)`` is for the files of strangers.
    ///
    /// - Parameters:
    ///   - data: A whole file.
    ///   - keepsMetadata: Whether Exif, XMP, IPTC, comments, texts and further images are kept. Colour
    ///     profiles and the orientation always are. Otherwise they are removed whether or not the file
    ///     gets smaller, as by ``ImageMetadata/reduced(_:to:)``.
    /// - Returns: The file; `data` itself if nothing was gained or removed.
    /// - Throws: ``Failure`` if the file is damaged or of another format.
    public static func optimized(
        _ data: Data,
        keepsMetadata: Bool = true
    ) throws(Failure) -> Data {
        do {
            return try Codecs.optimized(data, keepsMetadata: keepsMetadata)
        } catch {
            throw Failure(reason: "\(error)")
        }
    }

    /// Why a file cannot be optimised.
    public struct Failure: Error, Sendable, Equatable {
        /// A clause such as `webp: optimizing without loss is not supported`.
        public let reason: String
    }
}

extension ImageOptimization.Failure: LocalizedError {
    /// The failure, as a sentence.
    public var errorDescription: String? { "The file cannot be optimised: \(reason)." }
}
