public import Foundation

extension ServiceConfiguration {
    /// Which stores of objects are read, and with which keys.
    public struct Stores: Sendable {
        /// Whether `s3://` sources are loaded.
        public var usesS3 = false
        /// The region of the S3 service; nil for ``awsRegion``.
        public var s3Region: String?
        /// The address of an S3 service other than Amazon's.
        public var s3Endpoint: URL?
        /// Whether the bucket is part of the path of ``s3Endpoint``, not of its host.
        public var putsBucketInPath = true
        /// The buckets that may be read; empty for all.
        public var s3AllowedBuckets: [String] = []
        /// The buckets that must not be read.
        public var s3DeniedBuckets: [String] = []
        /// The role that reads the buckets; nil for the owner of the keys.
        public var s3Role: String?
        /// The identifier that the owner of ``s3Role`` asks for.
        public var s3RoleExternalID: String?
        /// The access key for S3; nil for the role of the machine.
        public var s3AccessKey: String?
        /// The secret key for S3.
        public var s3SecretKey: String?
        /// The token of temporary keys for S3.
        public var s3SessionToken: String?
        /// The region where ``s3Region`` names none; nil for `us-east-1`.
        public var awsRegion: String?
        /// The role of a workload, with ``awsTokenFile``.
        public var awsRole: String?
        /// The file with the token that stands for ``awsRole``.
        public var awsTokenFile: String?
        /// The name of the sessions of roles.
        public var awsSessionName = "kf-serve"
        /// The path of the keys of a container at 169.254.170.2.
        public var awsContainerPath: String?
        /// The address of the keys of a container.
        public var awsContainerAddress: URL?
        /// The file with the `Authorization` for ``awsContainerAddress``.
        public var awsContainerTokenFile: String?
        /// The `Authorization` for ``awsContainerAddress``.
        public var awsContainerToken: String?
        /// The address of the role of a virtual machine.
        public var awsMetadataAddress: URL?
        /// Whether virtual machines are not asked for their role.
        public var ignoresAWSMetadata = false
        /// The address of the service that gives the keys of roles; nil for Amazon's.
        public var awsTokenService: URL?
        /// Whether `gs://` sources are loaded.
        public var usesGoogle = false
        /// The JSON with the key of a service account; nil for ``googleKeyPath``.
        public var googleKey: String?
        /// The file with the key of a service account; nil for the account of the machine.
        public var googleKeyPath: String?
        /// The address of a service other than Google's, which gets no keys of the machine.
        public var googleEndpoint: URL?
        /// The buckets that may be read; empty for all.
        public var googleAllowedBuckets: [String] = []
        /// The buckets that must not be read.
        public var googleDeniedBuckets: [String] = []
        /// The host, and port, of the account of a virtual machine.
        public var googleMetadataHost = "metadata.google.internal"
        /// Whether `abs://` sources are loaded.
        public var usesAzure = false
        /// The name of the storage account.
        public var azureAccount: String?
        /// The key of the storage account in Base64; nil for the identity of the program.
        public var azureKey: String?
        /// The address of a service other than Azure's.
        public var azureEndpoint: URL?
        /// The containers that may be read; empty for all.
        public var azureAllowedBuckets: [String] = []
        /// The containers that must not be read.
        public var azureDeniedBuckets: [String] = []
        /// The tenant of the identity.
        public var azureTenant: String?
        /// The identity of the program.
        public var azureClient: String?
        /// The secret of the identity.
        public var azureSecret: String?
        /// The file with the token that stands for the identity.
        public var azureTokenFile: String?
        /// The address of the service that gives tokens of identities; nil for Azure's.
        public var azureAuthority: URL?
        /// The address of the identity of a virtual machine; nil for Azure's.
        public var azureMetadataAddress: URL?
        /// Whether `swift://` sources are loaded.
        public var usesSwift = false
        /// The name of the user.
        public var swiftUser: String?
        /// The password of the user.
        public var swiftKey: String?
        /// The address that gives tokens, which ends with the version: `/v3` or `/v1.0`.
        public var swiftAddress: URL?
        /// The version of that address; 0 to find it in the address.
        public var swiftVersion = 0
        /// The project of the user.
        public var swiftTenant: String?
        /// The domain of the user and the project.
        public var swiftDomain = "Default"
        /// The containers that may be read; empty for all.
        public var swiftAllowedBuckets: [String] = []
        /// The containers that must not be read.
        public var swiftDeniedBuckets: [String] = []

        /// Makes the default settings.
        public init() {}

        static let entries: [ConfigurationEntry] =
            amazonEntries + googleEntries + azureEntries + swiftEntries

        private static let amazonEntries: [ConfigurationEntry] = [
            .init("IMGPROXY_USE_S3", \.stores.usesS3, .flag, .answers),
            .init("IMGPROXY_S3_REGION", \.stores.s3Region, .text, .sources),
            .init("IMGPROXY_S3_ENDPOINT", \.stores.s3Endpoint, .webAddress, .sources),
            .init(
                "IMGPROXY_S3_ENDPOINT_USE_PATH_STYLE",
                \.stores.putsBucketInPath,
                .flag,
                .answers
            ),
            buckets("IMGPROXY_S3_ALLOWED_BUCKETS", \.stores.s3AllowedBuckets),
            buckets("IMGPROXY_S3_DENIED_BUCKETS", \.stores.s3DeniedBuckets),
            .init("IMGPROXY_S3_ASSUME_ROLE_ARN", \.stores.s3Role, .text, .answers),
            .init(
                "IMGPROXY_S3_ASSUME_ROLE_EXTERNAL_ID",
                \.stores.s3RoleExternalID,
                .text,
                .answers
            ),
            .init("AWS_ACCESS_KEY_ID", \.stores.s3AccessKey, .text, .answers, isSecret: true),
            .init("AWS_SECRET_ACCESS_KEY", \.stores.s3SecretKey, .text, .answers, isSecret: true),
            .init("AWS_SESSION_TOKEN", \.stores.s3SessionToken, .text, .answers, isSecret: true),
            .init("AWS_REGION", \.stores.awsRegion, .text, .sources),
            .init("AWS_ROLE_ARN", \.stores.awsRole, .text, .answers),
            .init("AWS_WEB_IDENTITY_TOKEN_FILE", \.stores.awsTokenFile, .absolutePath, .answers),
            .init("AWS_ROLE_SESSION_NAME", \.stores.awsSessionName, .text, .answers),
            .init(
                "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
                \.stores.awsContainerPath,
                .absolutePath,
                .answers
            ),
            .init(
                "AWS_CONTAINER_CREDENTIALS_FULL_URI",
                \.stores.awsContainerAddress,
                .webAddress,
                .answers
            ),
            .init(
                "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
                \.stores.awsContainerTokenFile,
                .absolutePath,
                .answers
            ),
            .init(
                "AWS_CONTAINER_AUTHORIZATION_TOKEN",
                \.stores.awsContainerToken,
                .text,
                .answers,
                isSecret: true
            ),
            .init(
                "AWS_EC2_METADATA_SERVICE_ENDPOINT",
                \.stores.awsMetadataAddress,
                .webAddress,
                .answers
            ),
            .init("AWS_EC2_METADATA_DISABLED", \.stores.ignoresAWSMetadata, .flag, .answers),
            .init("AWS_ENDPOINT_URL_STS", \.stores.awsTokenService, .webAddress, .answers),
        ]

        private static let googleEntries: [ConfigurationEntry] = [
            .init("IMGPROXY_USE_GCS", \.stores.usesGoogle, .flag, .answers),
            .init("IMGPROXY_GCS_KEY", \.stores.googleKey, .document, .answers, isSecret: true),
            .init(
                "GOOGLE_APPLICATION_CREDENTIALS",
                \.stores.googleKeyPath,
                .absolutePath,
                .answers
            ),
            .init("IMGPROXY_GCS_ENDPOINT", \.stores.googleEndpoint, .webAddress, .sources),
            buckets("IMGPROXY_GCS_ALLOWED_BUCKETS", \.stores.googleAllowedBuckets),
            buckets("IMGPROXY_GCS_DENIED_BUCKETS", \.stores.googleDeniedBuckets),
            .init("GCE_METADATA_HOST", \.stores.googleMetadataHost, .text, .answers),
        ]

        private static let azureEntries: [ConfigurationEntry] = [
            .init("IMGPROXY_USE_ABS", \.stores.usesAzure, .flag, .answers),
            .init("IMGPROXY_ABS_NAME", \.stores.azureAccount, .text, .sources),
            .init("IMGPROXY_ABS_KEY", \.stores.azureKey, .text, .answers, isSecret: true),
            .init("IMGPROXY_ABS_ENDPOINT", \.stores.azureEndpoint, .webAddress, .sources),
            buckets("IMGPROXY_ABS_ALLOWED_BUCKETS", \.stores.azureAllowedBuckets),
            buckets("IMGPROXY_ABS_DENIED_BUCKETS", \.stores.azureDeniedBuckets),
            .init("AZURE_TENANT_ID", \.stores.azureTenant, .text, .answers),
            .init("AZURE_CLIENT_ID", \.stores.azureClient, .text, .answers),
            .init("AZURE_CLIENT_SECRET", \.stores.azureSecret, .text, .answers, isSecret: true),
            .init("AZURE_FEDERATED_TOKEN_FILE", \.stores.azureTokenFile, .absolutePath, .answers),
            .init("AZURE_AUTHORITY_HOST", \.stores.azureAuthority, .webAddress, .answers),
            .init(
                "AZURE_POD_IDENTITY_AUTHORITY_HOST",
                \.stores.azureMetadataAddress,
                .webAddress,
                .answers
            ),
        ]

        private static let swiftEntries: [ConfigurationEntry] = [
            .init("IMGPROXY_USE_SWIFT", \.stores.usesSwift, .flag, .answers),
            .init("IMGPROXY_SWIFT_USERNAME", \.stores.swiftUser, .text, .answers),
            .init("IMGPROXY_SWIFT_API_KEY", \.stores.swiftKey, .text, .answers, isSecret: true),
            .init("IMGPROXY_SWIFT_AUTH_URL", \.stores.swiftAddress, .webAddress, .sources),
            .init("IMGPROXY_SWIFT_AUTH_VERSION", \.stores.swiftVersion, .integer(0...3), .answers),
            .init("IMGPROXY_SWIFT_TENANT", \.stores.swiftTenant, .text, .sources),
            .init("IMGPROXY_SWIFT_DOMAIN", \.stores.swiftDomain, .text, .sources),
            buckets("IMGPROXY_SWIFT_ALLOWED_BUCKETS", \.stores.swiftAllowedBuckets),
            buckets("IMGPROXY_SWIFT_DENIED_BUCKETS", \.stores.swiftDeniedBuckets),
        ]

        private static func buckets(
            _ name: String,
            _ property: any WritableKeyPath<ServiceConfiguration, [String]> & Sendable
        ) -> ConfigurationEntry {
            .init(name, property, .list(of: .text), .answers)
        }
    }
}

extension ConfigurationFormat<String> {
    /// A text of any number of lines.
    fileprivate static let document = ConfigurationFormat(
        expected: "JSON",
        parse: { $0 },
        text: { $0 }
    )
}
