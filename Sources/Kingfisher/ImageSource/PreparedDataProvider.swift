import Foundation
import KFCodecs
import KFPixels

/// What a load gives to its provider.
struct ProviderContext: Sendable {
    let downloader: ImageDownloader
    let options: KingfisherParsedOptionsInfo
}

/// The content of a provider of this library.
enum ProvidedContent: Sendable {
    case file(Data)
    /// An image that was drawn or decoded for the load, from which no file was made yet.
    case pixels(Bitmap)

    /// The file; pixels are encoded as a PNG on the threads for decoding, within their budget.
    ///
    /// - Throws: ``DocumentError/outOfMemory``, `CancellationError`.
    func file(by maker: ImageMaker = .direct, priority: Float = 0.5) async throws -> Data {
        switch self {
        case .file(let data): return data
        case .pixels(let bitmap):
            return try await maker.run(bytes: bitmap.size.byteCount, priority: priority) {
                do throws(CodecError) {
                    return try Codecs.encode(bitmap, as: .png)
                } catch {
                    throw DocumentError.outOfMemory
                }
            }
        }
    }
}

/// A provider that makes its content as the load asks for it.
protocol PreparedDataProvider: ImageDataProvider {
    /// The content for a load, or for a direct call without one.
    func content(for context: ProviderContext?) async throws -> ProvidedContent
}
