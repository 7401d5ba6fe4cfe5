public import Foundation

/// A value that can be kept in a file.
public protocol DataTransformable {
    /// The bytes from which ``fromData(_:)`` makes an equal value.
    ///
    /// - Throws: Whatever stands in the way; the value is not stored then.
    func toData() throws -> Data

    /// Makes a value of the bytes of a file.
    ///
    /// - Throws: Whatever is wrong with `data`; the file counts as damaged then.
    static func fromData(_ data: Data) throws -> Self

    /// A value that stands in where only the existence of a file is asked for.
    static var empty: Self { get }
}

extension Data: DataTransformable {
    /// The data itself.
    public func toData() throws -> Data { self }

    /// Returns the data itself.
    public static func fromData(_ data: Data) throws -> Data { data }

    /// No bytes.
    public static let empty = Data()
}
