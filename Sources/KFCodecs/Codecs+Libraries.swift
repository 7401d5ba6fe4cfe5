extension Codecs {
    /// The library that has to be installed to read or write a format; nil if there is none to add.
    package static func missingLibrary(for format: FileFormat) -> String? {
        do throws(CodecError) {
            if format == .avif { _ = try AVIFLibrary.load() }
            try OptionalFormat(format)?.check()
            return nil
        } catch {
            guard case .missingLibrary(_, let name) = error else { return nil }
            return name
        }
    }
}
