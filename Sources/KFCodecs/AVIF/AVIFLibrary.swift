import CKFCodecShims

/// Loads libavif when the first AVIF file is read or written; `kf_avif.h` states why.
package enum AVIFLibrary {
    private static let installed = find("libavif.so")

    /// The library's functions.
    ///
    /// - Throws: ``CodecError/missingLibrary(_:name:)``.
    static func load() throws(CodecError) -> kf_avif {
        guard let installed else { throw .missingLibrary(.avif, name: name) }
        return installed
    }

    /// The library, and its packages in Debian.
    private static let name = "libavif 1.x (package libavif16) or 0.11 (package libavif15)"

    /// Loads the library now if it is installed: later, files may no longer be opened.
    package static func prepare() { _ = installed }

    /// The functions of a library whose file name is followed by a number.
    ///
    /// - Returns: Nil without such a file, and for one of another layout.
    static func find(_ name: String) -> kf_avif? { kf_avif_load(name)?.pointee }
}

extension kf_avif {
    /// What a result means, in libavif's words.
    func text(of result: avifResult) -> String {
        avifResultToString(result).map(String.init(cString:)) ?? "result \(result.rawValue)"
    }
}
