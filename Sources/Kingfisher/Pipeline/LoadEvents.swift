/// What a load tells while it runs; events leave sideways and change nothing.
struct LoadEvents: Sendable {
    /// Received and expected bytes, called on the main queue.
    var progress: (@Sendable (Int64, Int64) -> Void)?

    /// Shows a progressive JPEG while it arrives; nil when nobody does.
    var partial: ProgressiveUpdates.Sink?

    /// The handle of each attempt after the first one, nil when that attempt has none.
    var taskUpdated: (@Sendable (DownloadTask?) -> Void)?
}
