import Foundation

/// Texts for errors, both of this library and of others.
enum ErrorText {
    /// The description of the error as a sentence with a full stop.
    static func sentence(_ error: any Error) -> String {
        let text = clause(error)
        return text.hasSuffix(".") ? text : text + "."
    }

    private static func clause(_ error: any Error) -> String {
        if let text = (error as? any LocalizedError)?.errorDescription { return text }
        if error is CancellationError { return "it was cancelled" }
        // Checks the static type, because every error can be cast to `NSError`, which has a
        // description.
        let kind = type(of: error)
        if error is any CustomNSError || kind is NSError.Type {
            return foundation(error as NSError)
        }
        if kind is any CustomStringConvertible.Type { return "\(error)" }
        // Without a description the names of the type and of the case are at least searchable.
        return Mirror(reflecting: error).displayStyle == .enum
            ? "\(kind).\(error)" : "\(error)"
    }

    /// Foundation's description names no file and puts a general phrase before the reason.
    private static func foundation(_ error: NSError) -> String {
        guard let reason = error.localizedFailureReason else { return error.localizedDescription }
        let path = error.userInfo[NSFilePathErrorKey] as? String
        return path.map { "\($0): \(reason)" } ?? reason
    }
}
