extension URLOption {
    /// All options, in the order in which canonical texts name them.
    static let all: [URLOption] =
        size + geometry + colour + watermark + output + information + delivery + limits

    /// The option with a long or short name.
    static func named(_ name: String) -> URLOption? { byName[name] }

    private static let byName: [String: URLOption] = {
        let names = all.flatMap { option in
            ([option.name] + option.shortNames).map { ($0, option) }
        }
        return Dictionary(uniqueKeysWithValues: names)
    }()

    /// Options of imgproxy that this service does not have, so that the error can say so.
    static let unsupported: Set<String> = [
        "resizing_algorithm", "ra", "background_alpha", "bga", "blur_areas", "ba",
        "blur_detections", "bd", "draw_detections", "dd", "colorize", "col", "color_profile", "cp",
        "icc", "crop_aspect_ratio", "car", "dpi", "duotone", "dt",
        "enforce_thumbnail", "eth", "hashsum", "hs",
        "jxl_options", "jxlo", "normalize", "norm", "objects_position", "op", "objw",
        "pages", "pgs", "preserve_hdr", "ph", "style", "st",
        "video_thumbnail_animation", "vta", "video_thumbnail_keyframes", "vtk",
        "video_thumbnail_tile", "vtt", "watermark_rotate", "wmr",
        "watermark_shadow", "wmsh",
    ]
}
