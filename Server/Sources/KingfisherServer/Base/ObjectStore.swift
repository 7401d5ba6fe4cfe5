/// A kind of store; the raw value is the scheme of its sources.
enum ObjectStore: String, Sendable, Hashable, CaseIterable {
    /// Amazon S3, and services with its interface.
    case s3
    /// Google Cloud Storage.
    case google = "gs"
    /// Azure Blob Storage.
    case azure = "abs"
    /// OpenStack Swift.
    case swift
}
