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
    static let unsupported = Set(missing.flatMap(\.names))

    /// Options of imgproxy with the reason why this service does not have them.
    struct Missing: Sendable {
        /// Each long name is followed by its short ones.
        let names: [String]
        let reason: String
    }

    static let missing: [Missing] = [
        Missing(
            names: [
                "objects_position", "op", "objw", "blur_detections", "bd", "draw_detections", "dd",
            ],
            reason: "there are no neural networks, which find objects"
        ),
        Missing(
            names: ["resizing_algorithm", "ra"],
            reason: "images are scaled by one exact resampler (Lanczos)"
        ),
        Missing(
            names: ["enforce_thumbnail", "eth"],
            reason: "images are decoded from all of their pixels, straight to the size"
        ),
        Missing(
            names: ["preserve_hdr", "ph"],
            reason: "results have eight bits a sample; high dynamic range is fitted to them"
        ),
        Missing(
            names: ["color_profile", "cp", "icc"],
            reason: "`strip_color_profile` chooses between sRGB and the colours of the source"
        ),
        Missing(
            names: ["pages", "pgs"],
            reason: "`page` draws one page of a document"
        ),
        Missing(
            names: [
                "video_thumbnail_animation", "vta", "video_thumbnail_keyframes", "vtk",
                "video_thumbnail_tile", "vtt",
            ],
            reason: "`video_thumbnail_second` takes one frame, at its exact time; "
                + "`kf` makes clips and sheets of videos"
        ),
        Missing(
            names: ["dpi"],
            reason: "results state no pixels per inch; documents are drawn with 144"
        ),
        Missing(
            names: ["hashsum", "hs"],
            reason: "sources are not compared with sums; sign URLs that name their version"
        ),
        Missing(
            names: ["style", "st"],
            reason: "SVG files are passed on in the style that they have"
        ),
        Missing(
            names: [
                "background_alpha", "bga", "blur_areas", "ba", "colorize", "col",
                "crop_aspect_ratio", "car", "duotone", "dt", "normalize", "norm",
                "watermark_rotate", "wmr", "watermark_shadow", "wmsh",
            ],
            reason: "these effects are not drawn here; draw them into the files that are served"
        ),
    ]
}
