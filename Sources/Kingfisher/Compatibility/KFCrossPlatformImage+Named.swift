public import Foundation

extension KFCrossPlatformImage {
    /// Reads and decodes an image from a bundle's resources; nil if there is none of that name.
    ///
    /// Asset catalogues exist only on Apple's platforms, so this looks for files. A name without an
    /// extension matches `.png`, `.jpg`, `.jpeg`, `.webp`, `.avif` and `.gif`, in this order. If
    /// there is no file at one pixel per point, files named `@2x` or `@3x` are used with that
    /// scale. Nothing is cached: every call reads the file.
    ///
    /// - Parameters:
    ///   - name: The name of the file, with or without an extension.
    ///   - bundle: `Bundle.module` for the resources of a package's target; nil for the main
    ///     bundle.
    public convenience init?(named name: String, in bundle: Bundle? = nil) {
        let extensions = ["png", "jpg", "jpeg", "webp", "avif", "gif"]
        let suffix = (name as NSString).pathExtension.lowercased()
        let isWhole = extensions.contains(suffix)
        let base = isWhole ? (name as NSString).deletingPathExtension : name
        let bundle = bundle ?? .main
        for scale in 1...3 {
            let file = scale == 1 ? base : "\(base)@\(scale)x"
            for suffix in isWhole ? [(name as NSString).pathExtension] : extensions {
                guard let url = bundle.url(forResource: file, withExtension: suffix),
                    // Nil is the documented result for a file that cannot be read.
                    let data = try? Data(contentsOf: url)
                else { continue }
                self.init(data: data, scale: CGFloat(scale))
                return
            }
        }
        return nil
    }
}
