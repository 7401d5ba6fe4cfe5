import Foundation

/// Something that is measured in this process, beside a baseline of its own.
struct Experiment: Sendable {
    /// The word on the command line.
    let name: String
    /// What is measured, for the heading.
    let title: String
    /// Does it and returns the lines to print.
    ///
    /// Gets a folder in which it may make folders of its own.
    let run: @Sendable (URL) throws -> [String]
}

/// All experiments, in the order in which they are run.
enum Experiments {
    static let all = [
        MemoryExperiment.experiment, DiskExperiment.experiment, OpeningExperiment.experiment,
        GrowthExperiment.experiment, SharingExperiment.experiment,
        IsolationExperiment.experiment,
        OriginalsExperiment.experiment,
        WaitingExperiment.experiment,
    ]
}
