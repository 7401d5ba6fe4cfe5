import ArgumentParser
import Foundation
import Hummingbird
import KingfisherRedis
import KingfisherServer
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// The command line of the image service.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kf-serve",
        abstract: "Serves processed images over HTTP.",
        discussion: """
            The configuration comes from the environment, by the names of imgproxy (IMGPROXY_…) \
            and our own (KF_…). See --check for all of them. Secrets may also be files with these \
            names in the folder that CREDENTIALS_DIRECTORY names, as systemd provides them.

            Examples:
              IMGPROXY_BIND=127.0.0.1:9000 KF_PLAYGROUND=1 kf-serve
              kf-serve --config service.env --check

            Exit status: 0 after SIGTERM, SIGINT or SIGHUP, 64 for wrong usage, 69 if the address \
            is in use, 71 if the limits of the system are too low or leave it no thread for 30 s, \
            78 for a configuration that cannot be used.
            """,
        version: "kf-serve 0.1.0 (Kingfisher for Linux)"
    )

    @Option(
        name: .long,
        help:
            "A file of NAME=value lines; the environment overrides it. Also IMGPROXY_ENV_LOCAL_FILE_PATH."
    )
    var config: String?

    @Flag(name: .long, help: "Print the effective configuration, without secrets, and exit.")
    var check = false

    @Flag(name: .long, help: "Ask the running service whether it is ready; fail if it is not.")
    var health = false

    /// Runs the service until it is stopped.
    func serve() async throws {
        do {
            let own = ProcessInfo.processInfo.environment
            let path = config ?? own[ServiceConfiguration.fileVariable]
            let file = try path.map(ServiceConfiguration.environment(ofFile:)) ?? [:]
            let secrets = try own["CREDENTIALS_DIRECTORY"].map(
                ServiceConfiguration.secrets(inFolder:)
            )
            // An empty value is the same as none, and must not take a key's place.
            let environment = file.merging(secrets ?? [:]) { $1.isEmpty ? $0 : $1 }
                .merging(own) { $1.isEmpty ? $0 : $1 }
            let configuration = try ServiceConfiguration(environment: environment)
            let unknown = ServiceConfiguration.unsupportedNames(in: environment, file: file)
            if health {
                let address = configuration.operation.adminAddress
                guard HealthCheck.isHealthy(address ?? configuration.connections.address) else {
                    throw ExitCode.failure
                }
                return
            }
            if check {
                print(configuration.summary)
                for name in unknown {
                    let reason = ImgproxyVariables.reason(for: name).map { " (\($0))" } ?? ""
                    print("# not supported: \(name)\(reason)")
                }
                try configuration.validate()
                _ = try storage(configuration)
                return
            }
            try await serve(configuration, unknown)
        } catch let error as ConfigurationError {
            FileHandle.standardError.write(Data("kf-serve: \(error)\n".utf8))
            // EX_CONFIG of sysexits.h.
            throw ExitCode(78)
        }
    }

    private func storage(_ configuration: ServiceConfiguration) throws -> RedisImageStorage? {
        do {
            return try configuration.caches.redisURL.map { try RedisImageStorage($0) }
        } catch {
            throw ConfigurationError(
                name: "KF_REDIS_URL",
                expected: "an address such as redis://host:6379/0 (\(error))",
                found: nil
            )
        }
    }

    private func serve(_ configuration: ServiceConfiguration, _ unknown: [String]) async throws {
        let log = ServiceLog(configuration)
        defer { log.flush() }
        LoggingSystem.bootstrap { _ in log }
        let logger = Logger(label: "kf-serve")
        for name in unknown {
            let reason = ImgproxyVariables.reason(for: name).map { ": \($0)" } ?? ""
            logger.warning("\(name) is not supported\(reason)")
        }
        if configuration.operation.showsPlayground {
            logger.warning(
                "the playground builds any image for anyone; set KF_PLAYGROUND=0 in public"
            )
        }
        let service = try ImageService(
            configuration: configuration,
            logger: logger,
            sharing: try storage(configuration)
        )
        let services = service.services { channel in
            let address = channel.localAddress.map { "\($0)" } ?? "a socket"
            logger.notice("listening", metadata: ["address": "\(address)"])
        }
        for address in configuration.addresses {
            guard let obstacle = HealthCheck.obstacle(at: address) else { continue }
            throw unavailable(configuration, obstacle)
        }
        let limits = configuration.connections
        var group = ServiceGroupConfiguration(
            services: services,
            // A terminal that is closed does not cut requests either.
            gracefulShutdownSignals: [.sigterm, .sigint, .sighup],
            logger: Logger(label: "kf-serve.lifecycle") { _ in SwiftLogNoOpLogHandler() }
        )
        group.maximumGracefulShutdownDuration = limits.gracefulStopTimeout ?? limits.timeout * 2
        do {
            try await ServiceGroup(configuration: group).run()
        } catch is CancellationError {
            logger.warning("requests were cut off at the end of the time for stopping")
        } catch let error as IOError {
            throw unavailable(configuration, String(cString: strerror(error.errnoCode)))
        } catch let error as SocketAddressError.UnknownHost {
            throw unavailable(configuration, "there is no host \(error.host)")
        }
        logger.notice("stopped")
    }

    /// Reports that the service cannot listen, and returns the status of the program.
    private func unavailable(_ configuration: ServiceConfiguration, _ reason: String) -> ExitCode {
        let addresses = configuration.addresses.map(\.description).joined(separator: " or ")
        let text = "\(addresses) is not available: \(reason). Set IMGPROXY_BIND"
        FileHandle.standardError.write(Data("kf-serve: \(text)\n".utf8))
        // EX_UNAVAILABLE of sysexits.h.
        return ExitCode(69)
    }
}

extension ServiceConfiguration {
    /// The addresses at which the service listens.
    fileprivate var addresses: [ListenAddress] {
        [connections.address]
            + [operation.metricsAddress, operation.adminAddress].compactMap(\.self)
    }
}
