import Foundation

/// The text forms of numbers, sizes and colours in cache keys.
///
/// They follow Apple's text forms and never use `description`, which differs between platforms:
/// keys must match those made on Apple's platforms.
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
