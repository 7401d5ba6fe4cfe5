/// The permitted dependencies: imports of the targets, and the order of the library's folders.
enum Architecture {
    /// The language's own modules, which every target may import.
    static let everywhere: Set<String> = [
        "Swift", "Synchronization", "Dispatch", "Glibc", "Musl", "Foundation",
        "FoundationEssentials",
    ]

    /// Target folders and the other modules that each may import.
    static let imports: [(target: String, modules: Set<String>)] = [
        ("Sources/KFPixels", ["CKFKernels"]),
        (
            "Sources/KFCodecs",
            [
                "KFPixels", "CKFCodecShims", "CKFJPEG", "CKFPNG", "CKFDeflate", "CKFLCMS",
                "CKFWebP", "CKFGIF",
            ]
        ),
        (
            "Sources/Kingfisher",
            [
                "KFPixels", "KFCodecs", "CKFCurl", "CKFCurlShim", "CKFCryptoShim",
                "CKFIsolationShim",
                "CKFSystemShim", "Logging", "SystemPackage", "FoundationNetworking",
            ]
        ),
        ("Sources/KingfisherTesting", ["Kingfisher", "FoundationNetworking"]),
        ("Sources/KingfisherRedis", ["Kingfisher", "CKFRedisShim", "Logging"]),
        ("Sources/KingfisherGTK", ["Kingfisher", "KFPixels", "CKFGTKHeaders", "CKFGTK"]),
        (
            "Tools/Sources/kf",
            [
                "Kingfisher", "CAttributes", "CChafa", "ArgumentParser", "FoundationNetworking",
                "Logging",
            ]
        ),
        (
            "Benchmarks/Sources",
            [
                "Kingfisher", "KingfisherTesting", "ArgumentParser", "FoundationNetworking",
                "Chance",
            ]
        ),
        (
            "Examples/Sources",
            [
                "Kingfisher", "KingfisherTesting", "DemoKit", "Exhibition",
                "FoundationNetworking", "Observation",
            ]
        ),
    ]

    /// Modules that only certain folders of the library may import.
    static let singleDoors: [(module: String, folders: Set<String>)] = [
        ("CKFCurl", ["HTTP"]),
        ("CKFCurlShim", ["HTTP"]),
        ("CKFCryptoShim", ["Support", "Caching/Disk"]),
        ("CKFIsolationShim", ["Isolation"]),
        ("CKFSystemShim", ["Support"]),
    ]

    /// The order of the folders of a target, lowest first.
    ///
    /// A folder may depend only on lower ones. The empty name is the target's own folder. A nested
    /// folder has its own rank if it is listed.
    struct Layers {
        let target: String
        let ranks: [String: Int]
        /// The ranks whose folders may mention each other.
        var knotRanks: Set<Int> = []
    }

    static let layers = [library, codecs, service]

    /// The library, whose own folder has the manager.
    ///
    /// Public signatures connect the folders of two ranks.
    static let library = Layers(
        target: "Sources/Kingfisher",
        ranks: [
            "Support": 0,
            "Imaging": 1, "Caching/Memory": 1, "Caching/Disk": 1, "HTTP": 1, "Isolation": 1,
            "Results": 2, "Options": 2, "ImageSource": 2, "Caching": 2, "Networking": 2,
            "Processing": 2,
            "Pipeline": 3,
            "": 4,
            "Prefetching": 5,
            "Display": 6, "Compatibility": 6,
        ],
        knotRanks: [2, 6]
    )

    /// The codecs: containers and headers lie below what decodes and encodes.
    ///
    /// Their own folder chooses the format.
    static let codecs = Layers(
        target: "Sources/KFCodecs",
        ranks: [
            "Base": 0,
            "Color": 1, "Palette": 1, "Animation": 1,
            "Containers": 2,
            "Metadata": 3,
            "AVIF": 4, "GIF": 4, "JPEG": 4, "OptionalFormats": 4, "PNG": 4, "WebP": 4,
            "BMP": 5, "Documents": 5,
            "": 6,
        ]
    )

    /// The image service, from texts and plain values to the requests of clients.
    static let service = Layers(
        target: "Server/Sources/KingfisherServer",
        ranks: [
            "Base": 0,
            "URL": 1,
            "Imaging": 2, "Negotiation": 2,
            "Configuration": 3,
            "Service/Operation": 4, "Service/Work": 4,
            "Service/Sources/Stores": 5,
            "Service/Caching": 6,
            "Service/Sources": 7,
            "Service/HTTP": 8,
            "Service/Telemetry": 9, "Playground": 9,
            "Service": 10,
        ]
    )

    /// The folders with the entry points for users, which may name shared instances.
    static let facades: Set<String> = ["", "Prefetching", "Display", "Compatibility"]

    /// The shared instances that other folders must not use; their types receive their
    /// dependencies.
    static let sharedInstances: [(type: String, member: String)] = [
        ("KingfisherManager", "shared"), ("ImageCache", "default"), ("ImageDownloader", "default"),
    ]

    /// The only folder that starts threads, for `ThreadStarter`.
    static let threadStarter = "Sources/CKFSystemShim/"

    /// The folders of the library that belong to the screen, and so to the main queue.
    static let screens: Set<String> = ["Display", "Compatibility"]

    /// The other files of the library that mention the main queue or the main actor, and why no
    /// load waits for it there.
    static let mainQueueUses: [(file: String, reason: String)] = [
        ("Support/CallbackQueue.swift", "callers choose the queue"),
        ("Support/SideTable.swift", "the state of views"),
        ("Support/RuntimeWatch.swift", "shows that the main queue of a program runs"),
        ("Options/ImageTransition.swift", "draws the frames of a view's transition"),
        ("Options/KingfisherParsedOptionsInfo.swift", "the default queue of completion handlers"),
        ("ImageSource/Source.swift", "numbers the loads of views"),
        ("Networking/DownloadTask.swift", "calls progress handlers, and waits for none"),
        ("Pipeline/ProgressiveUpdates.swift", "shows scans; the load does not wait for them"),
        ("Caching/ImageCache.swift", "the default queue of completion handlers"),
        ("Caching/ImageCache+Convenience.swift", "calls handlers; async callers have no handler"),
        ("Caching/ImageCache+Removing.swift", "calls handlers; async callers have no handler"),
        ("Prefetching/ImagePrefetcher.swift", "calls handlers, and waits for none"),
    ]

    /// Places whose code handles names from outside: keys, file names and paths.
    static let namers = [
        "Sources/Kingfisher/Caching/Disk/", "Sources/Kingfisher/Caching/DiskStorage",
        "Sources/Kingfisher/Caching/CacheEntryName", "Sources/Kingfisher/Caching/ImageCache",
        "Sources/Kingfisher/Caching/Shared/SharedLevel",
        "Sources/Kingfisher/Caching/Shared/SharedMessage",
        "Sources/Kingfisher/Caching/Shared/SharedWrites", "Sources/Kingfisher/Support/ByteText",
        "Sources/Kingfisher/Support/KeyDivision", "Sources/Kingfisher/Support/Log.swift",
    ]

    /// Folders where sizes come from headers and callers, so that products of sides must saturate.
    static let readers = ["Sources/KFCodecs", "Sources/Kingfisher"]

    /// The maximum number of lines of a file.
    static let maxLines = 400

    /// Files whose documentation does not count: a class whose methods must all be in its body, so
    /// that subclasses can override them.
    static let undivided = ["Sources/Kingfisher/Caching/ImageCache.swift"]

    /// The programs that decode in worker processes if they are asked to.
    static let isolatingFolders = ["Tools/Sources/", "Server/Sources/"]

    /// What decodes, or reads headers by C libraries, in its own process.
    static let decodingFunctions = [
        "ImageFileInfo(data:", "ImageFileInfo(contentsOf:", "EncodedFrameSource",
        "KFCrossPlatformImage(data:", "KFCrossPlatformImage(contentsOfFile:", ".image(data:",
        ".animatedImage(data:", ".downsampledImage(data:",
    ]

    /// The files that may, and how often.
    static let decodingAllowed = [
        // Bytes that were just encoded.
        "Tools/Sources/kf/Compare/CompareCommand.swift": 1,
        "Server/Sources/KingfisherServer/Imaging/ResultEncoder.swift": 1,
        // Bytes of a load without isolation.
        "Tools/Sources/kf/Shared/ImageFileInfo+Reading.swift": 1,
        "Server/Sources/KingfisherServer/Imaging/ImageRenderer.swift": 1,
        // `kf info`, which has no option for isolation.
        "Tools/Sources/kf/Shared/InputFile.swift": 1,
        "Tools/Sources/kf/Shared/PictureSource.swift": 1,
        // A watermark that the user names.
        "Tools/Sources/kf/Shared/SpecArguments.swift": 1,
        // A file of the configuration.
        "Server/Sources/KingfisherServer/Service/FallbackImage.swift": 1,
    ]
}
