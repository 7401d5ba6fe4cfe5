import Codecs
import Foundation

/// Tells why bytes did not become a picture.
enum UndecodableReason {
    /// A clause such as `the bytes are no picture of a known format`.
    ///
    /// Decodes once more to learn it: the protocols of processors and serializers carry nil, not
    /// a reason, and it is wanted only when a person reads the error.
    static func text(for data: Data) -> String {
        do {
            _ = try Codecs.decode(data)
            return "the processor refused it"
        } catch {
            return "\(error)"
        }
    }
}
