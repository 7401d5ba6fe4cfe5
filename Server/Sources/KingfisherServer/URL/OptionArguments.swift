/// The arguments of an option, and checks that turn them into values.
///
/// Empty arguments are the same as missing ones. All errors name the option.
struct OptionArguments {
    /// The option for messages: its name in the URL, and the long one if that is another.
    let option: String
    /// The arguments, possibly empty.
    let values: [String]
    /// The rules for sources in arguments.
    let sources: SourceRules

    /// An argument, or nil if it is missing or empty.
    subscript(index: Int) -> String? {
        guard values.indices.contains(index), !values[index].isEmpty else { return nil }
        return values[index]
    }

    /// The arguments from an index on, as those of the same option.
    func dropping(_ count: Int) -> OptionArguments {
        OptionArguments(option: option, values: Array(values.dropFirst(count)), sources: sources)
    }

    /// Whether all arguments are empty.
    var isEmpty: Bool { values.allSatisfy(\.isEmpty) }

    /// The error for an argument.
    func error(_ index: Int, _ reason: String) -> ServiceError {
        .refused("the option \(option): \(ServiceError.quoted(self[index] ?? "")) \(reason)")
    }

    /// Refuses more than a number of arguments.
    func requireAtMost(_ count: Int) throws(ServiceError) {
        guard values.count <= count else {
            let limit = count == 1 ? "1 argument" : "\(count) arguments"
            throw .refused("the option \(option) takes at most \(limit), not \(values.count)")
        }
    }

    /// A boolean: `1`, `t`, `true` or `0`, `f`, `false`, in any case.
    ///
    /// Clients in Python write `True` and `False`.
    func flag(_ index: Int) throws(ServiceError) -> Bool? {
        switch self[index]?.lowercased() {
        case nil: nil
        case "1", "t", "true": true
        case "0", "f", "false": false
        default: throw error(index, "is not a boolean: write 1, t, true, 0, f or false")
        }
    }

    /// A whole number within a range.
    func integer(_ index: Int, in range: ClosedRange<Int>) throws(ServiceError) -> Int? {
        guard let text = self[index] else { return nil }
        guard let value = Int(text) else { throw error(index, "is not a whole number") }
        guard range.contains(value) else {
            throw error(index, "is not in \(range.lowerBound)…\(range.upperBound)")
        }
        return value
    }

    /// A decimal number within a range.
    func number(_ index: Int, in range: ClosedRange<Double>) throws(ServiceError) -> Double? {
        guard let text = self[index] else { return nil }
        // Double also reads `nan`, `inf` and hexadecimal numbers.
        let isDecimal = text.utf8.allSatisfy { "0123456789.+-eE".utf8.contains($0) }
        guard isDecimal, let value = Double(text), value.isFinite else {
            throw error(index, "is not a number")
        }
        guard range.contains(value) else {
            let bounds = [range.lowerBound, range.upperBound].map(Self.text(of:))
            throw error(index, "is not in \(bounds[0])…\(bounds[1])")
        }
        return value
    }

    /// One of the cases of an enumeration.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ index: Int,
        of type: Choice.Type
    ) throws(ServiceError) -> Choice? {
        guard let text = self[index] else { return nil }
        if let value = Choice(rawValue: text) { return value }
        let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw error(index, "is none of \(names)")
    }

    /// A format of results.
    func format(_ index: Int) throws(ServiceError) -> OutputFormat? {
        guard let text = self[index] else { return nil }
        if let format = OutputFormat(name: text) { return format }
        let names = OutputFormat.allCases.map(\.rawValue).joined(separator: ", ")
        throw error(index, "is not a supported format of results; these are \(names)")
    }

    /// A colour of three or six hexadecimal digits.
    func colour(_ index: Int) throws(ServiceError) -> ProcessingOptions.Colour? {
        guard let text = self[index] else { return nil }
        let isShort = text.utf8.count == 3
        let digits = isShort ? text.map { "\($0)\($0)" }.joined() : text
        guard let bytes = Hexadecimal.bytes(digits), bytes.count == 3 else {
            throw error(index, "is not a colour: write six hexadecimal digits")
        }
        return .init(red: bytes[0], green: bytes[1], blue: bytes[2])
    }

    /// A number as short text: `2` and not `2.0`.
    static func text(of value: Double) -> String {
        if let whole = Int(exactly: value) { return String(whole) }
        return "\(value)"
    }
}

extension OutputFormat {
    /// The format with a name or file extension, for example `jpeg` or `jpg`.
    init?(name: String) {
        let name = name.lowercased()
        self.init(rawValue: name == "jpeg" ? "jpg" : name)
    }
}
