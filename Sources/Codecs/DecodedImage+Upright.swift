import Pixels

extension DecodedImage {
    /// Turns a picture that was decoded as it is stored; the only place where that happens.
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
