/// The variables of imgproxy that this service does not have, with the reasons.
///
/// The page *Coming from imgproxy* lists them, and the log names the reason for one that is set.
public enum ImgproxyVariables {
    /// A family of variables with one reason.
    struct Family: Sendable {
        let reason: String
        /// Names without `IMGPROXY_`.
        let names: [String]
        /// Whether the service allows more if it ignores them.
        var restricts = false
    }

    /// Why a variable is not supported; nil for one that is unknown.
    public static func reason(for name: String) -> String? { reasons[name] }

    /// Whether a variable that the service does not have restricts something: one of a family that
    /// does, or an unknown one with the name of a limit or a list.
    static func restricts(_ name: String) -> Bool {
        let family = families.first { $0.names.contains { "IMGPROXY_\($0)" == name } }
        let words: Set<Substring> = ["DENIED", "ALLOWED", "MAX", "LIMIT"]
        return family?.restricts ?? !words.isDisjoint(with: name.split(separator: "_"))
    }

    private static let reasons = Dictionary(
        uniqueKeysWithValues: families.flatMap { family in
            family.names.map { ("IMGPROXY_\($0)", family.reason) }
        }
    )

    static let families: [Family] = [
        Family(
            reason: "IMGPROXY_BIND takes an address or the path of a socket",
            names: ["NETWORK", "SO_REUSEPORT"]
        ),
        Family(
            reason:
                "the service has a memory, disk and shared cache of its own: KF_MEMORY_CACHE_SIZE, KF_CACHE_PATH, KF_REDIS_URL, KF_RESULT_STORE",
            names: [
                "WATERMARKS_CACHE_SIZE", "FALLBACK_IMAGES_CACHE_SIZE", "CACHE_USE",
                "CACHE_PATH_PREFIX", "CACHE_BUCKET", "CACHE_KEY_HEADERS", "CACHE_KEY_COOKIES",
                "CACHE_REPORT_ERRORS", "CACHE_LOCAL_ROOT", "CACHE_LOCAL_FILESYSTEM_ROOT",
                "CACHE_S3_REGION", "CACHE_S3_ENDPOINT", "CACHE_S3_ENDPOINT_USE_PATH_STYLE",
                "CACHE_S3_USE_DECRYPTION_CLIENT", "CACHE_S3_ASSUME_ROLE_ARN",
                "CACHE_S3_ASSUME_ROLE_EXTERNAL_ID", "CACHE_GCS_KEY", "CACHE_GCS_ENDPOINT",
                "CACHE_ABS_NAME", "CACHE_ABS_KEY", "CACHE_ABS_ENDPOINT", "CACHE_SWIFT_USERNAME",
                "CACHE_SWIFT_API_KEY", "CACHE_SWIFT_AUTH_URL", "CACHE_SWIFT_AUTH_VERSION",
                "CACHE_SWIFT_TENANT", "CACHE_SWIFT_DOMAIN", "CACHE_SWIFT_TIMEOUT_SECONDS",
                "CACHE_SWIFT_CONNECT_TIMEOUT_SECONDS",
            ]
        ),
        Family(
            reason: "connections to sources are kept and limited by the library",
            names: [
                "CLIENT_KEEP_ALIVE_TIMEOUT", "DOWNLOAD_BUFFER_SIZE", "FREE_MEMORY_INTERVAL",
                "BUFFER_POOL_CALIBRATION_THRESHOLD", "MALLOC",
            ]
        ),
        Family(
            reason: "separate custom fields by a backslash and a semicolon",
            names: ["CUSTOM_HEADERS_SEPARATOR"]
        ),
        Family(
            reason: "librsvg draws SVG files, which runs no scripts and opens no files",
            names: ["MAX_SVG_CHECK_BYTES", "SVG_FIX_UNSUPPORTED", "SVG_UNLIMITED"]
        ),
        Family(
            reason: "an SVG file is never passed on without being sanitised",
            names: ["SANITIZE_SVG"]
        ),
        Family(
            reason: "the encoder is the one of the library, which chooses this itself",
            names: [
                "JPEG_TRELLIS_QUANT", "JPEG_OVERSHOOT_DERINGING", "JPEG_OPTIMIZE_SCANS",
                "JPEG_QUANT_TABLE", "PNG_INTERLACED", "WEBP_PRESET", "WEBP_SMART_SUBSAMPLE",
                "JXL_EFFORT", "STRIP_METADATA_DPI",
            ]
        ),
        Family(
            reason: "results have eight bits a sample; high dynamic range is fitted to them",
            names: ["PRESERVE_HDR"]
        ),
        Family(
            reason: "images are scaled in the colours of their files, imgproxy's default",
            names: ["USE_LINEAR_COLORSPACE"]
        ),
        Family(
            reason: "images are scaled while they are decoded, exactly and from all pixels "
                + "unless KF_PREFER_SPEED is set",
            names: ["DISABLE_SHRINK_ON_LOAD", "ENFORCE_THUMBNAIL"]
        ),
        Family(
            reason: "colours are converted to sRGB unless IMGPROXY_STRIP_COLOR_PROFILE is off",
            names: ["COLOR_PROFILES_DIR"]
        ),
        Family(
            reason: "the search measures DSSIM, without neural networks, in images of any size",
            names: [
                "AUTOQUALITY_MAX_RESOLUTION",
                "AUTOQUALITY_JPEG_NET", "AUTOQUALITY_WEBP_NET", "AUTOQUALITY_AVIF_NET",
                "AUTOQUALITY_JXL_NET",
            ]
        ),
        Family(
            reason: "the format best encodes in all formats of IMGPROXY_AUTO_WEBP and its likes",
            names: [
                "BEST_FORMAT_COMPLEXITY_THRESHOLD", "BEST_FORMAT_MAX_RESOLUTION",
                "BEST_FORMAT_BY_DEFAULT", "BEST_FORMAT_ALLOW_SKIPS",
            ]
        ),
        Family(
            reason: "the time of a frame is that of video_thumbnail_second, else a frame is chosen "
                + "that is neither dark nor blurred, within the limits of a request",
            names: [
                "VIDEO_THUMBNAIL_SECOND", "VIDEO_THUMBNAIL_KEYFRAMES",
                "VIDEO_THUMBNAIL_PROBE_SIZE", "VIDEO_THUMBNAIL_MAX_ANALYZE_DURATION",
                "VIDEO_THUMBNAIL_TILE_ASPECT_RATIO", "VIDEO_THUMBNAIL_TILE_AUTO_KEYFRAMES",
            ]
        ),
        Family(
            reason: "there are no neural networks; smart crops find details and skin",
            names: [
                "SMART_CROP_ADVANCED", "SMART_CROP_FACE_DETECTION", "OBJECT_DETECTION_CONFIG",
                "OBJECT_DETECTION_WEIGHTS", "OBJECT_DETECTION_CLASSES",
                "OBJECT_DETECTION_NET_SIZE", "OBJECT_DETECTION_CONFIDENCE_THRESHOLD",
                "OBJECT_DETECTION_NMS_THRESHOLD", "OBJECT_DETECTION_NET",
                "OBJECT_DETECTION_NET_TYPE", "OBJECT_DETECTION_SWAP_RB",
                "OBJECT_DETECTION_FALLBACK_TO_SMART_CROP", "OBJECT_DETECTION_GRAVITY_MODE",
                "SMART_CROP_ADVANCED_MODE", "CLASSIFICATION_NET", "CLASSIFICATION_CLASSES",
                "CLASSIFICATION_NET_SIZE", "CLASSIFICATION_THRESHOLD",
                "CLASSIFICATION_NORMALIZATION", "CLASSIFICATION_LAYOUT",
            ]
        ),
        Family(
            reason: "the presets of images also apply to info",
            names: ["INFO_PRESETS", "INFO_PRESETS_PATH"]
        ),
        Family(
            reason: "the rules for the options of images also apply to info: "
                + "IMGPROXY_ONLY_PRESETS and IMGPROXY_ALLOWED_PROCESSING_OPTIONS",
            names: ["INFO_ONLY_PRESETS", "ALLOWED_INFO_OPTIONS"],
            restricts: true
        ),
        Family(
            reason: "the buckets of a service are in one region; run a service for each region",
            names: ["S3_MULTI_REGION"]
        ),
        Family(
            reason: "a source names its bucket",
            names: ["S3_ACCESS_POINTS"]
        ),
        Family(
            reason:
                "versions of objects are not read; a question mark belongs to the object's name",
            names: ["SOURCE_URL_QUERY_SEPARATOR"]
        ),
        Family(
            reason: "a URL has one chain of options",
            names: ["MAX_CHAINED_PIPELINES"]
        ),
        Family(
            reason: "IMGPROXY_BASE_URL, IMGPROXY_URL_REPLACEMENTS and IMGPROXY_ALLOWED_SOURCES "
                + "always apply to the addresses of watermarks and fallbacks in URLs",
            names: ["WATERMARK_PREPROCESS_URL", "FALLBACK_IMAGE_PREPROCESS_URL"]
        ),
        Family(
            reason: "IMGPROXY_MAX_SRC_RESOLUTION limits the pixels of sources",
            names: ["MAX_SRC_DIMENSION"],
            restricts: true
        ),
        Family(
            reason: "a proxy compresses the few results that are text",
            names: ["GZIP_COMPRESSION", "GZIP_BUFFER_SIZE"]
        ),
        Family(reason: "pages are drawn over white", names: ["PDF_NO_BACKGROUND"]),
        Family(
            reason: "there is no licence to prove",
            names: ["LICENSE_KEY", "LICENSE_DEVELOPMENT_MODE"]
        ),
        Family(
            reason: "former names stay valid; kf-serve --check names what is ignored",
            names: ["FAIL_ON_DEPRECATION"]
        ),
        Family(
            reason: "objects are decrypted by the store or nowhere",
            names: ["S3_USE_DECRYPTION_CLIENT"]
        ),
        Family(
            reason: "IMGPROXY_DOWNLOAD_TIMEOUT is the limit, also for tokens",
            names: ["SWIFT_TIMEOUT_SECONDS", "SWIFT_CONNECT_TIMEOUT_SECONDS"]
        ),
        Family(
            reason:
                "traces and metrics go to a collector of OpenTelemetry, which serves other systems, and metrics are at /metrics for Prometheus",
            names: [
                "NEW_RELIC_KEY", "NEW_RELIC_APP_NAME", "NEW_RELIC_LABELS",
                "NEW_RELIC_PROPAGATE_EXTERNAL", "DATADOG_ENABLE",
                "DATADOG_ENABLE_ADDITIONAL_METRICS", "DATADOG_PROPAGATE_EXTERNAL",
                "CLOUD_WATCH_SERVICE_NAME",
                "CLOUD_WATCH_NAMESPACE", "CLOUD_WATCH_REGION",
            ]
        ),
        Family(
            reason: "OTEL_EXPORTER_OTLP_ENDPOINT is an address for OTLP over HTTP, not gRPC",
            names: [
                "OPEN_TELEMETRY_ENDPOINT", "OPEN_TELEMETRY_PROTOCOL",
                "OPEN_TELEMETRY_GRPC_INSECURE", "OPEN_TELEMETRY_CONNECTION_TIMEOUT",
            ]
        ),
        Family(
            reason: "the collector has a certificate that the system trusts",
            names: [
                "OPEN_TELEMETRY_SERVER_CERT", "OPEN_TELEMETRY_CLIENT_CERT",
                "OPEN_TELEMETRY_CLIENT_KEY",
            ]
        ),
        Family(
            reason:
                "traces are taken over from clients in the form of the W3C, and not sent to sources",
            names: [
                "OPEN_TELEMETRY_PROPAGATORS", "OPEN_TELEMETRY_TRACE_ID_GENERATOR",
                "OPEN_TELEMETRY_PROPAGATE_EXTERNAL",
            ]
        ),
        Family(
            reason: "failures go to IMGPROXY_SENTRY_DSN, and errors into the log",
            names: [
                "REPORT_IO_ERRORS", "BUGSNAG_KEY", "BUGSNAG_STAGE",
                "HONEYBADGER_KEY", "HONEYBADGER_ENV",
                "AIRBRAKE_PROJECT_ID", "AIRBRAKE_PROJECT_KEY",
                "AIRBRAKE_ENVIRONMENT", "AIRBRAKE_ENV",
            ]
        ),
        Family(
            reason:
                "secrets come from the environment, a file, or the credentials of systemd; have the platform fetch them",
            names: [
                "ENV_AWS_SECRET_ID", "ENV_AWS_SECRET_VERSION_ID", "ENV_AWS_SECRET_VERSION_STAGE",
                "ENV_AWS_SECRET_REGION", "ENV_AWS_SSM_PARAMETERS_PATH",
                "ENV_AWS_SSM_PARAMETERS_REGION", "ENV_GCP_KEY", "ENV_GCP_SECRET_ID",
                "ENV_GCP_SECRET_VERSION_ID", "ENV_GCP_SECRET_PROJECT_ID",
            ]
        ),
        Family(
            reason: "the limits of sources hold for all formats",
            names: ["PNG_UNLIMITED"]
        ),
        Family(
            reason: "the log is standard error, which systemd and containers collect; the journal "
                + "of systemd gets the level of each line, and passes lines on to syslog",
            names: [
                "OPEN_TELEMETRY_ENABLE_LOGS",
                "SYSLOG_ENABLE", "SYSLOG_LEVEL", "SYSLOG_NETWORK", "SYSLOG_ADDRESS", "SYSLOG_TAG",
            ]
        ),
    ]
}
