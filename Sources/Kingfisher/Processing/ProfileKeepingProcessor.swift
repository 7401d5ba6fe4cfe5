import Foundation
import KFCodecs

/// Keeps the colours of a file in its own RGB profile, while another processor works on them.
///
/// Not part of Kingfisher for Apple platforms. Other processors decode to sRGB, which cuts off the
/// colours of wide-gamut photographs. The image of this one has the profile of its file, as
/// ``KingfisherWrapper/colorProfile``, and is encoded with it:
///
/// ```swift
/// let small = DownsamplingImageProcessor(size: CGSize(width: 800, height: 800))
/// let options: KingfisherOptionsInfo = [.processor(ProfileKeepingProcessor(small))]
/// ```
///
/// The image is for encoding, as JPEG, PNG, WebP or AVIF, and not for display: views take its
/// channels for sRGB. So do colours and watermarks that the other processor draws.
///
/// Caches keep such images apart from those in sRGB. One that is read from disk is in sRGB again;
/// its file, which `retrieveData` returns, has the profile.
///
/// Files in sRGB, animations, grey and CMYK profiles, damaged ones and those above 256 KiB are
/// decoded to sRGB as usual.
public struct ProfileKeepingProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.ProfileKeepingProcessor(<processor>)`.
    public let identifier: String

    /// The processor that receives the bytes.
    public let processor: any ImageProcessor

    /// Makes a processor.
    ///
    /// - Parameter processor: Receives the bytes; the default only decodes them.
    public init(_ processor: any ImageProcessor = DefaultImageProcessor.default) {
        self.processor = processor
        identifier = "com.onevcat.Kingfisher.ProfileKeepingProcessor(\(processor.identifier))"
    }

    /// Decodes and processes bytes in the colours of their profile.
    ///
    /// An image keeps the colours that it has. See ``ImageProcessor/process(item:options:)``.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image):
            let result = processor.process(item: item, options: options)
            return result?.kf.withColorProfile(image.kf.colorProfile)
        case .data(let data) where options.isolated:
            // Reached when a custom processor passes its bytes on.
            guard PortableProcessors.contain(self) else {
                return processor.process(item: item, options: options)
            }
            return IsolatedDecoding.imageForBlockingCaller(of: data, by: self, options)
        case .data(let data):
            // Frames that are decoded later would be in sRGB.
            guard options.onlyLoadFirstFrame || (try? Codecs.inspect(data))?.frameCount == 1 else {
                return processor.process(item: item, options: options)
            }
            let scope = ProfileScope()
            let result = scope.run { processor.process(item: item, options: options) }
            return result?.kf.withColorProfile(scope.profile)
        }
    }
}
