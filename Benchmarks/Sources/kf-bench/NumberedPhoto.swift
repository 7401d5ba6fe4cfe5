import Foundation

extension Data {
    /// The same JPEG with other bytes: a number after its end, which decoders ignore.
    ///
    /// Files with the same bytes would share one decode.
    func numbered(_ number: Int) -> Data { self + Data("\(number)".utf8) }
}
