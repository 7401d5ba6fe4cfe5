import KFPixels

extension DecodedImage {
    /// Applies the orientation to a bitmap in stored order.
    ///
    /// Decoders rotate only here.
    static func upright(
        _ stored: Bitmap,
        _ info: ImageInfo,
        isPartial: Bool = false
    ) throws(CodecError) -> DecodedImage {
        let bitmap = try CodecError.wrapping { () throws(PixelError) in
            try reorient(stored, info.orientation)
        }
        return DecodedImage(bitmap: bitmap, info: info, isPartial: isPartial)
    }
}
