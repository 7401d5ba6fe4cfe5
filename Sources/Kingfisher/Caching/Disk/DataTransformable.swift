public import Foundation

/// A value that can be stored in a file.
public protocol DataTransformable {
    /// Returns the bytes from which ``fromData(_:)`` makes an equal value.
    ///
    /// - Returns: The bytes.
    /// - Throws: Any error; the value is then not stored.
    func toData() throws -> Data

    /// Makes a value from the bytes of a file.
    ///
    /// - Parameter data: The result of ``toData()``.
    /// - Returns: The value.
    /// - Throws: Any error; the file then counts as damaged.
    static func fromData(_ data: Data) throws -> Self

    /// A placeholder used if only the existence of a file matters.
    static var empty: Self { get }
}

extension Data: DataTransformable {
    /// Returns the data itself; never throws.
    ///
    /// See ``DataTransformable/toData()``.
    public func toData() throws -> Data { self }

    /// Returns the data itself; never throws.
    ///
    /// See ``DataTransformable/fromData(_:)``.
    public static func fromData(_ data: Data) throws -> Data { data }

    /// No bytes.
    public static let empty = Data()
}
