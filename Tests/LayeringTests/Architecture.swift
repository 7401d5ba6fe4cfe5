/// What the house looks like: who may import whom, and which folder stands above which.
enum Architecture {
    /// Modules that every target may import: the language's own.
    static let everywhere: Set<String> = [
        "Swift", "Synchronization", "Dispatch", "Glibc", "Musl", "Foundation",
        "FoundationEssentials",
    ]

    /// Target folders and what each may import besides.
    static let imports: [(target: String, modules: Set<String>)] = [
        ("Sources/Pixels", ["CKernels"]),
        (
            "Sources/Codecs",
            [
                "Pixels", "CCodecShims", "CJPEG", "CPNG", "CDeflate", "CLCMS", "CWebP", "CGIF",
                "CAVIF",
            ]
        ),
        (
            "Sources/Kingfisher",
            [
                "Pixels", "Codecs", "CCurl", "CCurlShim", "CCryptoShim", "CIsolationShim",
                "Logging",
                "SystemPackage", "FoundationNetworking",
            ]
        ),
        ("Sources/KingfisherTesting", ["Kingfisher", "FoundationNetworking"]),
        ("Sources/KingfisherGTK", ["Kingfisher", "Pixels", "CGTK", "CKFGTK"]),
        // Our first customer: the public API, like everybody else.
        ("Tools/Sources/DemoKit", ["Kingfisher"]),
        (
            "Tools/Sources/kf",
            [
                "Kingfisher", "KingfisherTesting", "DemoKit", "ArgumentParser",
                "FoundationNetworking", "Logging",
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
                "Kingfisher", "KingfisherTesting", "Exhibition", "FoundationNetworking",
                "Observation",
            ]
        ),
    ]

    /// Modules that only one folder of the library may know, so that each has one way in.
    static let singleDoors: [(module: String, folders: Set<String>)] = [
        ("CCurl", ["HTTP"]),
        ("CCurlShim", ["HTTP"]),
        ("CCryptoShim", ["Support", "Caching/Disk"]),
        ("CIsolationShim", ["Isolation"]),
    ]

    /// The folders of the library, lowest first.
    ///
    /// Edges go only downwards. The empty name is the library's own folder, with the manager. A folder inside another has a
    /// rank of its own where it is named here.
    static let ranks: [String: Int] = [
        "Support": 0,
        "Imaging": 1, "Caching/Memory": 1, "Caching/Disk": 1, "HTTP": 1, "Isolation": 1,
        "Results": 2, "Options": 2, "ImageSource": 2, "Caching": 2, "Networking": 2,
        "Processing": 2,
        "Pipeline": 3,
        "": 4,
        "Prefetching": 5,
        "Display": 6, "Compatibility": 6,
    ]

    /// The ranks whose folders the public signatures tie together, so that they know each other.
    static let knotRanks: Set<Int> = [2, 6]

    /// The folders whose files stand at the border to users, and so may name shared instances.
    static let facades: Set<String> = ["", "Prefetching", "Display", "Compatibility"]

    /// The shared instances that nothing inside may reach for; it is handed what it needs.
    static let sharedInstances: [(type: String, member: String)] = [
        ("KingfisherManager", "shared"), ("ImageCache", "default"), ("ImageDownloader", "default"),
    ]

    /// Where sizes come from headers and callers, so that products of sides saturate.
    static let readers = ["Sources/Codecs", "Sources/Kingfisher"]

    /// Lines beyond which a file is a design error.
    static let maxLines = 400
}
