import Foundation

/// The texts of numbers, sizes and colours inside cache keys.
///
/// They follow Apple's text forms and never a type's `description`, which differs between
/// platforms: a key that is shared with an iPhone must be the same letters.
enum NumberText {
    /// `20.0`.
    static func number(_ value: CGFloat) -> String { "\(Double(value))" }

    /// `(100.0, 50.5)`.
    static func size(_ size: CGSize) -> String {
        "(\(number(size.width)), \(number(size.height)))"
    }

    /// `(0.5, 0.5)`.
    static func point(_ point: CGPoint) -> String {
        "(\(number(point.x)), \(number(point.y)))"
    }
}
