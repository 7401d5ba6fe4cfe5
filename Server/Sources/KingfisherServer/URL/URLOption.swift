/// An option of the URL grammar: its names, how it is read, and how it is written.
struct URLOption: Sendable {
    /// The part of a request that an option affects.
    enum Scope: Sendable {
        /// The bytes of the result.
        case result
        /// The answer to a URL of information; refused in that of an image.
        case information
        /// How the result is delivered; not part of cache keys.
        case delivery
        /// A limit, which only some configurations let a URL set.
        case limit
    }

    typealias Read =
        @Sendable (OptionArguments, inout ProcessingOptions) throws(ServiceError)
        -> Void
    typealias Write = @Sendable (ProcessingOptions) -> [String]?

    /// The long name.
    let name: String
    /// Other names.
    let shortNames: [String]
    /// The largest number of arguments.
    let maximalArguments: Int
    let scope: Scope
    /// Applies arguments to options; empty arguments change nothing.
    let read: Read
    /// The arguments for the values of options, or nil if these have no effect.
    let write: Write

    /// Makes an option.
    init(
        _ name: String,
        _ shortNames: [String],
        arguments: Int,
        scope: Scope = .result,
        read: @escaping Read,
        write: @escaping Write
    ) {
        self.name = name
        self.shortNames = shortNames
        self.maximalArguments = arguments
        self.scope = scope
        self.read = read
        self.write = write
    }

    /// Makes a shorthand for other options, which are written in its place.
    init(
        shorthand name: String,
        _ shortNames: [String],
        arguments: Int,
        read: @escaping Read
    ) {
        self.init(name, shortNames, arguments: arguments, read: read, write: { _ in nil })
    }
}

// MARK: - Options with one argument

extension URLOption {
    typealias Path<Value> = WritableKeyPath<ProcessingOptions, Value> & Sendable

    /// An option with one argument, which sets one property.
    ///
    /// - Parameters:
    ///   - name: The long name.
    ///   - shortNames: Other names.
    ///   - scope: The effect of the option.
    ///   - path: The property.
    ///   - read: The value of the argument; nil for an empty one, which changes nothing.
    ///   - write: The argument for a value; nil for a value without effect.
    /// - Returns: The option.
    static func single<Value>(
        _ name: String,
        _ shortNames: [String],
        scope: Scope = .result,
        _ path: any Path<Value>,
        read: @escaping @Sendable (OptionArguments) throws(ServiceError) -> Value?,
        write: @escaping @Sendable (Value) -> String?
    ) -> URLOption {
        URLOption(name, shortNames, arguments: 1, scope: scope) {
            arguments,
            options throws(ServiceError) in
            if let value = try read(arguments) { options[keyPath: path] = value }
        } write: { options in
            write(options[keyPath: path]).map { [$0] }
        }
    }

    /// A boolean that is false unless the URL names it.
    static func flag(
        _ name: String,
        _ shortNames: [String],
        scope: Scope = .result,
        _ path: any Path<Bool>
    ) -> URLOption {
        single(name, shortNames, scope: scope, path) { arguments throws(ServiceError) in
            try arguments.flag(0)
        } write: {
            $0 ? "1" : nil
        }
    }

    /// A boolean whose default the configuration sets.
    static func flag(
        _ name: String,
        _ shortNames: [String],
        scope: Scope = .result,
        _ path: any Path<Bool?>
    ) -> URLOption {
        single(name, shortNames, scope: scope, path) { arguments throws(ServiceError) in
            try arguments.flag(0).map { .some($0) }
        } write: {
            $0.map { $0 ? "1" : "0" }
        }
    }

    /// A whole number that is 0 unless the URL names it.
    static func integer(
        _ name: String,
        _ shortNames: [String],
        _ path: any Path<Int>,
        in range: ClosedRange<Int>
    ) -> URLOption {
        single(name, shortNames, path) { arguments throws(ServiceError) in
            try arguments.integer(0, in: range)
        } write: {
            $0 == 0 ? nil : String($0)
        }
    }

    /// A whole number whose default the configuration sets; optionally 0 stands for that default.
    static func integer(
        _ name: String,
        _ shortNames: [String],
        scope: Scope = .result,
        _ path: any Path<Int?>,
        in range: ClosedRange<Int>,
        isUnsetByZero: Bool = false
    ) -> URLOption {
        single(name, shortNames, scope: scope, path) { arguments throws(ServiceError) in
            try arguments.integer(0, in: range).map { $0 == 0 && isUnsetByZero ? nil : $0 }
        } write: {
            $0.map { String($0) }
        }
    }

    /// A number with a default that has no effect.
    static func number(
        _ name: String,
        _ shortNames: [String],
        _ path: any Path<Double>,
        in range: ClosedRange<Double>
    ) -> URLOption {
        let usual = ProcessingOptions()[keyPath: path]
        return single(name, shortNames, path) { arguments throws(ServiceError) in
            try arguments.number(0, in: range)
        } write: {
            $0 == usual ? nil : OptionArguments.text(of: $0)
        }
    }

    /// A number whose default the configuration sets.
    static func number(
        _ name: String,
        _ shortNames: [String],
        scope: Scope = .result,
        _ path: any Path<Double?>,
        in range: ClosedRange<Double>
    ) -> URLOption {
        single(name, shortNames, scope: scope, path) { arguments throws(ServiceError) in
            try arguments.number(0, in: range).map { .some($0) }
        } write: {
            $0.map(OptionArguments.text(of:))
        }
    }
}
