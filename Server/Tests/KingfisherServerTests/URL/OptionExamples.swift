import Foundation

@testable import KingfisherServer

enum OptionExamples {
    /// Valid segments of every option, with their meaning.
    static let all: [OptionExample] = sizes + places + colours + outputs + deliveries

    private static let sizes = [
        OptionExample("resize:fill:300:400:1:1") { options in
            options.resizingType = .fill
            (options.width, options.height, options.enlarge) = (300, 400, true)
            options.extend.isOn = true
        },
        OptionExample("resize:force::200:0:0") { options in
            options.resizingType = .force
            options.height = 200
        },
        OptionExample("resize:::5") { $0.height = 5 },
        OptionExample("resize:fit:1:2:f:t:noea:3:-4") { options in
            (options.width, options.height) = (1, 2)
            options.extend.isOn = true
            options.extend.gravity = .compass(.northEast, x: 3, y: -4)
        },
        OptionExample("size:300::true") { ($0.width, $0.enlarge) = (300, true) },
        OptionExample("size:1:2:0:1:fp:0.25:1") { options in
            (options.width, options.height) = (1, 2)
            options.extend.isOn = true
            options.extend.gravity = .focus(x: 0.25, y: 1)
        },
        OptionExample("resizing_type:fit") { $0.resizingType = .fit },
        OptionExample("resizing_type:fill") { $0.resizingType = .fill },
        OptionExample("resizing_type:fill-down") { $0.resizingType = .fillDown },
        OptionExample("resizing_type:force") { $0.resizingType = .force },
        OptionExample("resizing_type:auto") { $0.resizingType = .auto },
        OptionExample("width:640") { $0.width = 640 },
        OptionExample("width:1000000") { $0.width = 1_000_000 },
        OptionExample("width:0") { $0.width = 0 },
        OptionExample("height:+480") { $0.height = 480 },
        OptionExample("min-width:10") { $0.minimalWidth = 10 },
        OptionExample("min-height:11") { $0.minimalHeight = 11 },
        OptionExample("zoom:2") { ($0.zoomX, $0.zoomY) = (2, 2) },
        OptionExample("zoom:0.5:3") { ($0.zoomX, $0.zoomY) = (0.5, 3) },
        OptionExample("zoom::3") { $0.zoomY = 3 },
        OptionExample("dpr:2.5") { $0.dpr = 2.5 },
        OptionExample("dpr:1") { $0.dpr = 1 },
        OptionExample("enlarge:t") { $0.enlarge = true },
        OptionExample("enlarge:True") { $0.enlarge = true },
        OptionExample("enlarge:False") { $0.enlarge = false },
        OptionExample("extend:1") { $0.extend.isOn = true },
        OptionExample("extend:1:so") { options in
            options.extend.isOn = true
            options.extend.gravity = .compass(.south, x: 0, y: 0)
        },
        OptionExample("extend_aspect_ratio:true:we:0.5") { options in
            options.extendAspectRatio.isOn = true
            options.extendAspectRatio.gravity = .compass(.west, x: 0.5, y: 0)
        },
    ]

    private static let places = [
        OptionExample("gravity:sm") { $0.gravity = .smart },
        OptionExample("gravity:fp:0:0.75") { $0.gravity = .focus(x: 0, y: 0.75) },
        OptionExample("gravity:noea:10:0.1") {
            $0.gravity = .compass(.northEast, x: 10, y: 0.1)
        },
        OptionExample("gravity::1:2") { $0.gravity = .compass(.centre, x: 1, y: 2) },
        OptionExample("gravity:no") { $0.gravity = .compass(.north, x: 0, y: 0) },
        OptionExample("gravity:so") { $0.gravity = .compass(.south, x: 0, y: 0) },
        OptionExample("gravity:ea") { $0.gravity = .compass(.east, x: 0, y: 0) },
        OptionExample("gravity:we") { $0.gravity = .compass(.west, x: 0, y: 0) },
        OptionExample("gravity:nowe") { $0.gravity = .compass(.northWest, x: 0, y: 0) },
        OptionExample("gravity:soea") { $0.gravity = .compass(.southEast, x: 0, y: 0) },
        OptionExample("gravity:sowe") { $0.gravity = .compass(.southWest, x: 0, y: 0) },
        OptionExample("crop:100:0.5") { $0.crop = .init(width: 100, height: 0.5) },
        OptionExample("crop::50:sm") { options in
            options.crop = .init(width: 0, height: 50, gravity: .smart)
        },
        OptionExample("crop:1:2:no:3:4") { options in
            let gravity = ProcessingOptions.Gravity.compass(.north, x: 3, y: 4)
            options.crop = .init(width: 1, height: 2, gravity: gravity)
        },
        OptionExample("crop:0:0:sm") { $0.crop = nil },
        OptionExample("trim:5") { $0.trim = .init(threshold: 5) },
        OptionExample("trim:0") { $0.trim = .init(threshold: 0) },
        OptionExample("trim::Ff00aA:1:t") { options in
            options.trim = .init(threshold: 10)
            options.trim?.colour = .init(red: 255, green: 0, blue: 170)
            options.trim?.equalHorizontally = true
            options.trim?.equalVertically = true
        },
        OptionExample("padding:1") { $0.padding = .init(top: 1, right: 1, bottom: 1, left: 1) },
        OptionExample("padding:1:2") { $0.padding = .init(top: 1, right: 2, bottom: 1, left: 2) },
        OptionExample("padding:1:2:3") {
            $0.padding = .init(top: 1, right: 2, bottom: 3, left: 2)
        },
        OptionExample("padding:1:2:3:4") {
            $0.padding = .init(top: 1, right: 2, bottom: 3, left: 4)
        },
        OptionExample("padding::2") { $0.padding = .init(top: 0, right: 2, bottom: 0, left: 2) },
        OptionExample("padding:1:0::4") {
            $0.padding = .init(top: 1, right: 0, bottom: 1, left: 4)
        },
        OptionExample("padding:0") { $0.padding = nil },
        OptionExample("auto_rotate:0") { $0.autoRotate = false },
        OptionExample("auto_rotate:1") { $0.autoRotate = true },
        OptionExample("rotate:270") { $0.rotation = 270 },
        OptionExample("rotate:-90") { $0.rotation = 270 },
        OptionExample("rotate:720") { $0.rotation = 0 },
        OptionExample("flip:1") { $0.flipsHorizontally = true },
        OptionExample("flip::1") { $0.flipsVertically = true },
        OptionExample("flip:1:1") { ($0.flipsHorizontally, $0.flipsVertically) = (true, true) },
        OptionExample("round:20") { $0.cornerRadius = 20 },
        OptionExample("round:0") { $0.cornerRadius = nil },
    ]

    private static let colours = [
        OptionExample("background:ff8000") { $0.background = .init(red: 255, green: 128, blue: 0) },
        OptionExample("background:f80") { $0.background = .init(red: 255, green: 136, blue: 0) },
        OptionExample("background:255:128:0") {
            $0.background = .init(red: 255, green: 128, blue: 0)
        },
        OptionExample("blur:1.5") { $0.blur = 1.5 },
        OptionExample("sharpen:0.7") { $0.sharpen = 0.7 },
        OptionExample("pixelate:8") { $0.pixelate = 8 },
        OptionExample("brightness:-255") { $0.brightness = -255 },
        OptionExample("contrast:1.5") { $0.contrast = 1.5 },
        OptionExample("saturation:0") { $0.saturation = 0 },
        OptionExample("adjust:10:2:3") {
            ($0.brightness, $0.contrast, $0.saturation) = (10, 2, 3)
        },
        OptionExample("adjust::2") { $0.contrast = 2 },
        OptionExample("monochrome:0.5") { $0.monochromeIntensity = 0.5 },
        OptionExample("monochrome:1:00ff00") { options in
            options.monochromeIntensity = 1
            options.monochromeColour = .init(red: 0, green: 255, blue: 0)
        },
        OptionExample("watermark:0.5") { $0.watermark = .init(opacity: 0.5) },
        OptionExample("watermark:1:soea:10:-0.1:0.25") { options in
            options.watermark = .init(opacity: 1)
            options.watermark?.position = .at(.southEast)
            options.watermark?.x = 10
            options.watermark?.y = -0.1
            options.watermark?.scale = 0.25
        },
        OptionExample("watermark:1:re:5:6") { options in
            options.watermark = .init(opacity: 1)
            options.watermark?.position = .tiled
            options.watermark?.x = 5
            options.watermark?.y = 6
        },
        OptionExample("watermark:0:soea") { $0.watermark = nil },
        OptionExample("watermark_url:bG9jYWw6Ly8vdy5wbmc") {
            $0.watermarkSource = .local(path: "w.png")
        },
    ]

    private static let outputs = [
        OptionExample("quality:55") { $0.quality = 55 },
        OptionExample("quality:100") { $0.quality = 100 },
        OptionExample("quality:0") { $0.quality = nil },
        OptionExample("format_quality:jpeg:50:webp:60") {
            $0.formatQuality = [.jpeg: 50, .webp: 60]
        },
        OptionExample("max_bytes:1024") { $0.maximalBytes = 1024 },
        OptionExample("autoquality:dssim:0.02:40:90:0.001") { options in
            options.autoQuality = .init()
            options.autoQuality?.target = 0.02
            options.autoQuality?.minimum = 40
            options.autoQuality?.maximum = 90
            options.autoQuality?.allowedError = 0.001
        },
        OptionExample("autoquality::0.5") { options in
            options.autoQuality = .init()
            options.autoQuality?.target = 0.5
        },
        OptionExample("autoquality:size:10000:20:90") { options in
            options.autoQuality = .init()
            options.autoQuality?.method = .size
            options.autoQuality?.target = 10_000
            options.autoQuality?.minimum = 20
            options.autoQuality?.maximum = 90
        },
        OptionExample("autoquality:none") {
            $0.autoQuality = .init()
            $0.autoQuality?.method = .none
        },
        OptionExample("format:jpg") { $0.format = .jpeg },
        OptionExample("format:jpeg") { $0.format = .jpeg },
        OptionExample("format:PNG") { $0.format = .png },
        OptionExample("format:webp") { $0.format = .webp },
        OptionExample("format:avif") { $0.format = .avif },
        OptionExample("format:gif") { $0.format = .gif },
        OptionExample("format:jxl") { $0.format = .jxl },
        OptionExample("strip_metadata:0") { $0.stripMetadata = false },
        OptionExample("keep_copyright:1") { $0.keepCopyright = true },
        OptionExample("strip_color_profile:true") { $0.stripColorProfile = true },
        OptionExample("skip_processing:gif:jpeg") { $0.skipProcessing = [.gif, .jpeg] },
        OptionExample("raw:1") { $0.isRaw = true },
        OptionExample("page:3") { $0.page = 3 },
        OptionExample("video_thumbnail_second:2.5") { $0.videoSecond = 2.5 },
        OptionExample("disable_animation:1") { $0.disablesAnimation = true },
        OptionExample("unsharp_masking:always:2:10") {
            $0.unsharpMask = .init(mode: .always)
            $0.unsharpMask?.weight = 2
            $0.unsharpMask?.divider = 10
        },
        OptionExample("gradient:0.5") { $0.gradient = .init(opacity: 0.5) },
        OptionExample("gradient:1:ff0000:up:0.25:0.75") { options in
            options.gradient = .init(opacity: 1)
            options.gradient?.colour = .init(red: 255, green: 0, blue: 0)
            options.gradient?.degrees = 180
            options.gradient?.start = 0.25
            options.gradient?.end = 0.75
        },
        OptionExample("gradient::::0.5") { options in
            options.gradient = .init(opacity: 1)
            options.gradient?.start = 0.5
        },
        OptionExample("watermark_size:10") { $0.watermarkWidth = 10 },
        OptionExample("watermark_size:10:20") {
            ($0.watermarkWidth, $0.watermarkHeight) = (10, 20)
        },
        OptionExample("format:best") { $0.wantsBest = true },
        OptionExample("format:svg") { $0.wantsDrawing = true },
        OptionExample("jpeg_options:1") { $0.isProgressive = true },
        OptionExample("jpeg_options:0:0:f::false") {
            $0.isProgressive = false
            $0.subsampling = [.jpeg: .auto]
        },
        OptionExample("jpeg_options::1") { $0.subsampling = [.jpeg: .off] },
        OptionExample("webp_options:lossless") { $0.compression = [.webp: .lossless] },
        OptionExample("webp_options:lossy:0:default") { $0.compression = [.webp: .lossy] },
        OptionExample("webp_options:near_lossless") { $0.compression = [.webp: .nearLossless] },
        OptionExample("avif_options:off") { $0.subsampling = [.avif: .off] },
        OptionExample("avif_options:auto") { $0.subsampling = [.avif: .auto] },
        OptionExample("avif_options::lossless") { $0.compression = [.avif: .lossless] },
        OptionExample("avif_options:off:lossy") {
            ($0.subsampling, $0.compression) = ([.avif: .off], [.avif: .lossy])
        },
        OptionExample("jxl_options::lossless") { $0.compression = [.jxl: .lossless] },
        OptionExample("watermark_text:PGI-SGk8L2I-") { options in
            options.watermarkText = try? WatermarkText("<b>Hi</b>")
        },
        OptionExample("png_options:0:1:16") { ($0.quantizes, $0.maximalColors) = (true, 16) },
        OptionExample("png_options::0") { $0.quantizes = false },
        OptionExample("unsharp_masking:none") { $0.unsharpMask = .init(mode: .none) },
        OptionExample("unsharp_masking::2") {
            $0.unsharpMask = .init(mode: .auto)
            $0.unsharpMask?.weight = 2
        },
        OptionExample("fallback_image_url:bG9jYWw6Ly8vdy5wbmc") {
            $0.fallbackSource = .local(path: "w.png")
        },
        OptionExample("thumbhash:1") { $0.wantsThumbHash = true },
        OptionExample("blurhash:true") { $0.wantsBlurHash = true },
    ]

    private static let deliveries = [
        OptionExample("cachebuster:v%201") { $0.cacheBuster = "v 1" },
        OptionExample("expires:4102444800") {
            $0.expires = Date(timeIntervalSince1970: 4_102_444_800)
        },
        OptionExample("filename:my%20cat") { $0.fileName = "my cat" },
        OptionExample("filename:bXkgY2F0:1") { $0.fileName = "my cat" },
        OptionExample("filename:bXkgY2F0:0") { $0.fileName = "bXkgY2F0" },
        OptionExample("return_attachment:1") { $0.returnsAttachment = true },
        OptionExample("return_attachment:f") { $0.returnsAttachment = false },
        OptionExample("max_src_resolution:0.5") { $0.limits.megapixels = 0.5 },
        OptionExample("max_src_file_size:1000") { $0.limits.fileSize = 1000 },
        OptionExample("max_animation_frames:32") { $0.limits.animationFrames = 32 },
        OptionExample("max_animation_frame_resolution:2") { $0.limits.frameMegapixels = 2 },
        OptionExample("max_result_dimension:2000") { $0.limits.resultDimension = 2000 },
    ]

    /// Segments with one wrong argument.
    static let malformed = [
        "resize:crop:1:1", "resize:fit:x", "resize:fit:1:2:yes", "resize:fit:1:2:1:2",
        "resize:fit:1:2:1:1:sm", "size:-1", "size:1.5", "resizing_type:Fill",
        "resizing_type:fill_down",
        "width:-1", "width:1000001", "width:12px", "width:1e3", "height:0x10", "min-width:-5",
        "min-height:a", "zoom:0", "zoom:-1", "zoom:1:0", "zoom:101", "dpr:0", "dpr:-2", "dpr:101",
        "enlarge:2", "enlarge:no", "extend:1:sm", "extend:1:xx", "extend:x",
        "extend_aspect_ratio:1:sm", "gravity:xx", "gravity:sm:1", "gravity:fp", "gravity:fp:0.5",
        "gravity:fp:1.1:0", "gravity:fp:-0.1:0", "gravity:no:1000001", "gravity:obj:face",
        "gravity:objw:face:1", "crop:-1", "crop:1:-1", "crop:1:1:xx", "crop:1:1:sm:1", "trim:-1",
        "trim:1:xyz", "trim:1:ff00", "trim:1:fff:2", "padding:-1", "padding:1.5", "rotate:45",
        "rotate:1", "rotate:3600090", "auto_rotate:-1", "flip:2", "round:-1", "background:ggg",
        "background:12345", "background:1234567", "background:256:0:0", "background:1:2",
        "background:1::3", "background:-1:0:0", "blur:-1", "blur:1001", "sharpen:-0.1",
        "pixelate:-1",
        "pixelate:1.5", "brightness:256", "brightness:-256", "contrast:-1", "saturation:-1",
        "monochrome:1.1", "monochrome:-1", "monochrome:1:zzzzzz", "watermark:1.1", "watermark:-1",
        "watermark:1:xx", "watermark:1:ch", "watermark:1:sm", "watermark:1:ce:x",
        "watermark:1:ce:0:0:-1",
        "quality:-1", "quality:101", "quality:80.5", "format_quality:webp", "format_quality:exe:5",
        "format_quality:webp:101", "max_bytes:-1", "max_bytes:1.5", "autoquality:ssim",
        "autoquality:size:0", "autoquality:size:1.5", "autoquality:ml", "autoquality:dssim:2",
        "autoquality:dssim:-1",
        "autoquality:dssim:0.1:0", "autoquality:dssim:0.1:90:10", "autoquality:dssim:0.1:1:101",
        "format:exe", "format:worst", "gradient:2", "gradient:1:red",
        "gradient:1::side", "gradient:1:::0.5:0.2",
        "jpeg_options::x", "jpeg_options:::1", "webp_options:near",
        "webp_options::1", "webp_options:::photo", "avif_options:1", "watermark_text:!",
        "watermark_text:_w", "watermark_text:PGI-", "watermark_text:Cg", "png_options:1",
        "png_options::1:1", "watermark_size:-1",
        "strip_metadata:x", "keep_copyright:x",
        "strip_color_profile:x", "skip_processing:svg", "skip_processing:gif:x", "raw:x",
        "page:x", "page:-1", "page:1000001", "video_thumbnail_second:x", "vts:-1", "vts:1e9",
        "disable_animation:x", "unsharp_masking:some", "unsharp_masking:always:0",
        "fallback_image_url:!",
        "thumbhash:x", "blurhash:3", "expires:-1", "expires:soon", "expires:253402300800",
        "filename:a%2Fb", "filename:a%5Cb", "filename:a%0Ab", "filename:%C2%85", "filename:***:1",
        "filename:_w:1", "filename:a:x", "return_attachment:x", "max_src_resolution:-1",
        "max_src_file_size:1.5", "max_animation_frames:0", "max_animation_frame_resolution:x",
        "max_result_dimension:0", "max_result_dimension:-1",
        "filename:" + String(repeating: "a", count: 256),
        "cachebuster:" + String(repeating: "a", count: 1025),
    ]
}
