public import Foundation

extension KFCrossPlatformImage {
    /// Reads and decodes an image of a bundle's resources; nil when there is none of that name.
    ///
    /// Asset catalogues exist on Apple's platforms alone, so this looks for files. A name without
    /// an extension finds `.png`, `.jpg`, `.jpeg`, `.webp`, `.avif` and `.gif`, in this order. If
    /// there is no file at one pixel per point, those whose names end in `@2x` or `@3x` are taken,
    /// with that scale. Nothing is remembered: every call reads the file.
    ///
    /// - Parameters:
    ///   - name: The file's name, with or without an extension.
    ///   - bundle: Where to look: `Bundle.module` for the resources of a package's target, the
    ///     program's own bundle if nil.
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
                    // The initialiser's contract is nil for anything that cannot be shown.
                    let data = try? Data(contentsOf: url)
                else { continue }
                self.init(data: data, scale: CGFloat(scale))
                return
            }
        }
        return nil
    }
}
