import Foundation

/// A measurement in this process, compared with its own baseline.
struct Experiment: Sendable {
    /// Its name on the command line.
    let name: String
    /// The subject of the measurement, for the heading.
    let title: String
    /// Runs it and returns the lines to print.
    ///
    /// Receives a folder in which it may create folders.
    let run: @Sendable (URL) throws -> [String]
}

/// All experiments, in the order in which they are run.
enum Experiments {
    static let all = [
        MemoryExperiment.experiment, EvictionExperiment.experiment,
        DiskExperiment.experiment, OpeningExperiment.experiment,
        SharingExperiment.experiment, IsolationExperiment.experiment,
        OriginalsExperiment.experiment, WaitingExperiment.experiment,
        OrderExperiment.experiment,
    ]
}
