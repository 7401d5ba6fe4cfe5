import Foundation
import Kingfisher

/// The elements, attributes and values that a drawing keeps; all others are left out.
///
/// Nothing on the lists runs, loads a file, or leads out of the drawing. Source: W3C, "Scalable Vector Graphics (SVG) 2" and
/// "Filter Effects Module Level 1".
enum DrawingRules {
    static let namespace = "http://www.w3.org/2000/svg"
    static let linkNamespace = "http://www.w3.org/1999/xlink"
    private static let xmlNamespace = "http://www.w3.org/XML/1998/namespace"

    static let elements = words(
        """
        svg g defs symbol use switch a view title desc style image
        path rect circle ellipse line polyline polygon text tspan textPath tref
        linearGradient radialGradient stop pattern clipPath mask marker
        filter feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting
        feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage
        feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence
        animate animateTransform animateMotion set mpath
        """
    )

    /// Attributes whose values are checked as style.
    private static let styled = words(
        """
        x y x1 y1 x2 y2 cx cy r rx ry fx fy fr dx dy width height d points pathLength viewBox version baseProfile
        preserveAspectRatio transform gradientTransform gradientUnits patternTransform patternUnits patternContentUnits
        spreadMethod offset clipPathUnits maskUnits maskContentUnits filterUnits primitiveUnits filterRes markerUnits
        markerWidth markerHeight refX refY orient startOffset method spacing side textLength lengthAdjust rotate
        in in2 result type mode operator values k1 k2 k3 k4 tableValues slope intercept amplitude exponent order
        kernelMatrix divisor bias targetX targetY edgeMode preserveAlpha surfaceScale diffuseConstant specularConstant
        specularExponent kernelUnitLength limitingConeAngle pointsAtX pointsAtY pointsAtZ z azimuth elevation scale
        xChannelSelector yChannelSelector radius stdDeviation baseFrequency numOctaves seed stitchTiles
        begin dur end min max restart repeatCount repeatDur fill calcMode keyTimes keySplines keyPoints from to by
        additive accumulate path origin
        systemLanguage media style
        alignment-baseline baseline-shift clip clip-path clip-rule color color-interpolation
        color-interpolation-filters color-rendering cursor direction display dominant-baseline enable-background
        fill-opacity fill-rule filter flood-color flood-opacity font font-family font-size font-size-adjust font-stretch
        font-style font-variant font-weight glyph-orientation-horizontal glyph-orientation-vertical image-rendering
        isolation kerning letter-spacing lighting-color marker marker-end marker-mid marker-start mask mask-type
        mix-blend-mode opacity overflow paint-order pointer-events shape-rendering stop-color stop-opacity stroke
        stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width
        text-anchor text-decoration text-rendering transform-origin unicode-bidi vector-effect visibility white-space
        word-spacing writing-mode
        """
    )

    /// Attributes whose values mean nothing but themselves.
    private static let plain = words(
        """
        id class lang role aria-label aria-labelledby aria-describedby aria-hidden requiredFeatures requiredExtensions
        """
    )

    /// Elements that change an attribute over time.
    static let animations = words("animate animateTransform set")

    /// Whether an attribute may change over time.
    static func isAnimatable(_ attribute: String) -> Bool {
        styled.contains(attribute) && attribute != "style"
    }

    /// An attribute as it is kept.
    struct Kept {
        let name: String
        let value: String
        /// The identifiers of the elements of the drawing that it refers to.
        var targets: [String] = []
    }

    /// An attribute as it is kept; nil if it is left out.
    static func kept(_ attribute: MarkupReader.Name, _ value: String, of element: String) -> Kept? {
        let name = attribute.local
        switch attribute.space {
        case "" where name == "href": return link(name, value, of: element)
        case linkNamespace where name == "href": return link("xlink:href", value, of: element)
        case xmlNamespace where name == "space" || name == "lang":
            return Kept(name: "xml:\(name)", value: value)
        case "" where name == "attributeName":
            return isAnimatable(value) ? Kept(name: name, value: value) : nil
        case "" where plain.contains(name): return Kept(name: name, value: value)
        case "" where styled.contains(name):
            return DrawingStyle.targets(of: value).map {
                Kept(name: name, value: value, targets: $0)
            }
        default: return nil
        }
    }

    /// A link to a part of the drawing, or to an image within it.
    private static func link(_ name: String, _ value: String, of element: String) -> Kept? {
        let value = value.trimmingCharacters(in: .whitespacesAndNewlines)
        if value.hasPrefix("#") {
            guard value.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
            return Kept(name: name, value: value, targets: [String(value.dropFirst())])
        }
        guard element == "image" || element == "feImage" else { return nil }
        return embedded(value).map { Kept(name: name, value: $0) }
    }

    /// The data URL of a raster image, in one notation; nil for anything else.
    private static func embedded(_ url: String) -> String? {
        guard let comma = url.utf8.firstIndex(of: UInt8(ascii: ",")) else { return nil }
        let head = url[..<comma].lowercased()
        let formats: [ImageFormat] = [.PNG, .JPEG, .GIF, .WebP]
        guard
            let subtype = ["png", "jpeg", "jpg", "gif", "webp"].first(where: {
                head == "data:image/\($0);base64"
            })
        else { return nil }
        let payload = url.utf8[url.utf8.index(after: comma)...]
            .filter { !MarkupReader.isSpace($0) }
        guard payload.allSatisfy(isBase64),
            let beginning = Data(base64Encoded: Data(payload.prefix(64))),
            formats.contains(beginning.kf.imageFormat)
        else { return nil }
        return "data:image/\(subtype);base64,\(String(decoding: payload, as: UTF8.self))"
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "+/=".utf8.contains(byte)
        }
    }

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }
}

/// Checks styles: in style sheets, in `style`, and in attributes of their own.
enum DrawingStyle {
    private static let functions: Set<String> = [
        "rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch",
        "matrix", "matrix3d", "translate", "translatex", "translatey", "translatez", "translate3d",
        "scale", "scalex", "scaley", "scalez", "scale3d", "rotate", "rotatex", "rotatey", "rotatez",
        "rotate3d", "skew", "skewx", "skewy", "perspective",
        "calc", "min", "max", "clamp", "var", "cubic-bezier", "steps",
        "blur", "brightness", "contrast", "drop-shadow", "grayscale", "hue-rotate", "invert",
        "opacity",
        "saturate", "sepia", "circle", "ellipse", "inset", "polygon", "path",
        "not", "is", "where", "has", "nth-child", "nth-last-child", "nth-of-type",
        "nth-last-of-type", "lang",
    ]
    private static let rules: Set<String> = ["media", "keyframes", "-webkit-keyframes", "supports"]

    /// The elements of the drawing that a style refers to.
    ///
    /// Comments and strings are searched, too. No name can be hidden: escapes are refused, and the name of a function stands
    /// directly before its parenthesis.
    ///
    /// - Returns: The identifiers; nil if the style may load something, or is none.
    static func targets(of style: String) -> [String]? {
        let bytes = Array(style.utf8)
        var targets: [String] = []
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: "<"): return nil
            case UInt8(ascii: "@"):
                let rule = bytes[(index + 1)...].prefix(while: isNamePart)
                guard rules.contains(name(rule)) else { return nil }
            case UInt8(ascii: "("):
                let count = bytes[..<index].reversed().prefix(while: isNamePart).count
                let function = name(bytes[(index - count)..<index])
                if function == "url" {
                    guard let target = fragment(bytes[(index + 1)...]) else { return nil }
                    targets.append(target)
                } else if !function.isEmpty, !functions.contains(function) {
                    return nil
                }
            default: break
            }
        }
        return targets
    }

    /// The identifier within `url(…)`, after the parenthesis; nil for any other address.
    private static func fragment(_ bytes: ArraySlice<UInt8>) -> String? {
        var rest = bytes.drop(while: MarkupReader.isSpace)
        let quote = rest.first.flatMap { "\"'".utf8.contains($0) ? $0 : nil }
        if quote != nil { rest = rest.dropFirst() }
        guard rest.first == UInt8(ascii: "#") else { return nil }
        let name = rest.dropFirst().prefix { $0 > 0x20 && !"\"'()".utf8.contains($0) }
        rest = rest.dropFirst(1 + name.count)
        if let quote {
            guard rest.first == quote else { return nil }
            rest = rest.dropFirst()
        }
        guard rest.drop(while: MarkupReader.isSpace).first == UInt8(ascii: ")") else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    private static func name(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).lowercased()
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
            true
        default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
    }
}
