import FoundationEssentials

extension ContiguousBytes {
    /// Lends the bytes; Foundation's own method loses the type of the error.
    func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(CodecError) -> Result
    ) throws(CodecError) -> Result {
        try withUnsafeBytes { bytes in
            Swift.Result { () throws(CodecError) -> Result in try body(bytes) }
        }.get()
    }
}
