import Kingfisher

/// The report of `kf demo`; encodes to its `--json` line.
struct DemoReport: Report {
    /// An image in one variant.
    struct Load: Encodable {
        let picture: String
        let variant: String
        let passes: [Pass]
    }

    /// One pass over an image.
    struct Pass: Encodable {
        let title: String
        /// `none`, `memory` or `disk`; omitted after an error.
        var cacheType: String?
        var milliseconds: Double?
        var error: String?

        init(_ title: String, _ outcome: DemoPass.Outcome) {
            self.title = title
            switch outcome {
            case .loaded(let cache, let time): (cacheType, milliseconds) = ("\(cache)", time)
            case .failed(let reason): error = reason
            }
        }
    }

    let loads: [Load]
    /// The contact sheet.
    let output: String
    let bytes: Int

    init(_ loads: [DemoLoad], output: String, bytes: Int) {
        self.loads = loads.map { load in
            Load(
                picture: load.title,
                variant: load.variant.name,
                passes: zip(DemoLoads.passes, load.passes).map { Pass($0.title, $1) }
            )
        }
        self.output = output
        self.bytes = bytes
    }

    func summary() -> String {
        "Contact sheet: \(Terminal.line(output)) (\(Readable.bytes(bytes)))"
    }
}
