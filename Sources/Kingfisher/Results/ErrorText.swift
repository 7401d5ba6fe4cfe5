import Foundation

/// Words for errors of ours and of somebody else's.
enum ErrorText {
    /// What the error says, as a sentence with a full stop.
    static func sentence(_ error: any Error) -> String {
        let text = clause(error)
        return text.hasSuffix(".") ? text : text + "."
    }

    private static func clause(_ error: any Error) -> String {
        if let text = (error as? any LocalizedError)?.errorDescription { return text }
        if error is CancellationError { return "it was cancelled" }
        // Types are asked, because every error can be cast to `NSError`, which describes itself.
        let kind = type(of: error)
        if error is any CustomNSError || kind is NSError.Type {
            return foundation(error as NSError)
        }
        if kind is any CustomStringConvertible.Type { return "\(error)" }
        // No words of its own: the name of its type, and of its case, is what can be looked up.
        return Mirror(reflecting: error).displayStyle == .enum
            ? "\(kind).\(error)" : "\(error)"
    }

    /// Foundation's own words say neither which file nor, in front of the reason, anything at all.
    private static func foundation(_ error: NSError) -> String {
        guard let reason = error.localizedFailureReason else { return error.localizedDescription }
        let path = error.userInfo[NSFilePathErrorKey] as? String
        return path.map { "\($0): \(reason)" } ?? reason
    }
}
