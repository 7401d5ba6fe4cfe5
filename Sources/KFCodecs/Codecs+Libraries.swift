import CKFCodecShims

extension Codecs {
    /// The library that has to be installed to write a format, or to read one that is only read; nil
    /// if there is none to add.
    package static func missingLibrary(for format: FileFormat) -> String? {
        do throws(CodecError) {
            if format == .avif {
                _ = try AVIFLibrary.load()
                if kf_avif_has_encoder() == 0 { return "libavif with an encoder of AV1" }
            }
            try OptionalFormat(format)?.check()
            return nil
        } catch {
            guard case .missingLibrary(_, let name) = error else { return nil }
            return name
        }
    }
}
