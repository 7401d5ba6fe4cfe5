import Foundation

/// The most bytes of a file: the value of `--target-size`, such as `100kB`, `1.5MB` or `20000`.
struct TargetSize: Sendable, Equatable {
    let bytes: Int

    /// - Throws: As ``ByteCount/init(_:)``.
    init(_ text: String) throws { bytes = try ByteCount(text).bytes }

    /// The file of the highest quality that is not larger, found by halving.
    ///
    /// - Parameters:
    ///   - most: The highest quality, 1 to 100.
    ///   - hasMetadata: Whether the file has metadata, which take a part of the bytes.
    ///   - encode: Encodes with a quality.
    /// - Returns: The file, or nil if the format cannot hold the image.
    /// - Throws: A ``Failure`` if even the lowest quality gives a larger file, and the error of
    ///   `encode`.
    func file(
        upTo most: Int,
        hasMetadata: Bool = false,
        _ encode: (_ quality: Int) throws -> Data?
    ) throws -> Data? {
        var (low, high) = (1, max(1, most))
        var best: Data?
        var smallest: Int?
        while low <= high {
            let quality = (low + high) / 2
            guard let data = try encode(quality) else { return nil }
            smallest = min(smallest ?? data.count, data.count)
            if data.count <= bytes {
                best = data
                low = quality + 1
            } else {
                high = quality - 1
            }
        }
        if let best { return best }
        throw Failure(
            "the smallest file has \(Readable.bytes(smallest ?? 0)), not "
                + "\(Readable.bytes(bytes)); make the image smaller with -p downsample:SIZE"
                + (hasMetadata ? ", or leave --keep out" : "")
        )
    }
}
