// swift-tools-version: 6.2
import PackageDescription

// Every target of this package, and no dependency's, is built with warnings as errors.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(of name: String, _ others: [Target.Dependency] = []) -> Target {
    .testTarget(name: "\(name)Tests", dependencies: [.target(name: name)] + others, swiftSettings: strict)
}

let package = Package(
    name: "soundbox",
    products: [
        .executable(name: "soundbox", targets: ["soundbox"]),
        // For Benchmarks/ and Fuzzing/, which are packages of their own.
        .library(name: "SoundboxCore", targets: ["SoundboxCore"]),
        .library(name: "SoundboxSystem", targets: ["SoundboxSystem"]),
        .library(name: "SoundboxYAML", targets: ["SoundboxYAML"]),
        .library(name: "SoundboxAudio", targets: ["SoundboxAudio"]),
        .library(name: "SoundboxALSA", targets: ["SoundboxALSA"]),
        .library(name: "SoundboxGPIO", targets: ["SoundboxGPIO"]),
        .library(name: "SoundboxStore", targets: ["SoundboxStore"]),
        .library(name: "SoundboxRuntime", targets: ["SoundboxRuntime"]),
        .library(name: "CICU", targets: ["CICU"]),
        .library(name: "BenchmarkSupport", targets: ["BenchmarkSupport"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // One module per C library. Their only importers: SoundboxALSA, SoundboxAudio (four), SoundboxGPIO and
        // SoundboxSystem, and their tests; of CICU, which the box itself does not link, OracleTests.
        .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "CSndFile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
        .systemLibrary(name: "CEBUR128", pkgConfig: "libebur128", providers: [.apt(["libebur128-dev"])]),
        .systemLibrary(name: "CSoxr", pkgConfig: "soxr", providers: [.apt(["libsoxr-dev"])]),
        .systemLibrary(name: "CSonic", providers: [.apt(["libsonic-dev"])]),
        .systemLibrary(name: "CGPIOD", pkgConfig: "libgpiod", providers: [.apt(["libgpiod-dev"])]),
        .systemLibrary(name: "CLinux"),
        // Compiled C: their headers say why those of OpenSSL and ICU cannot be seen by Swift.
        .target(name: "CTLSClient", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        .target(name: "CICU", linkerSettings: [.linkedLibrary("icui18n"), .linkedLibrary("icuuc")]),

        // Pure: no C library, no database, no clock, no socket.
        library("SoundboxCore", []),
        // What the adapters share: threads, waking and errors of Linux; YAML parsed into documents of the core.
        library("SoundboxSystem", ["CLinux"]),
        library("SoundboxYAML", ["SoundboxCore", "SoundboxSystem", yams]),

        // Adapters: each knows the core and its own library, and none of its siblings.
        library(
            "SoundboxAudio",
            ["SoundboxCore", "SoundboxSystem", "SoundboxYAML", "CSndFile", "CEBUR128", "CSoxr", "CSonic", subprocess]),
        library("SoundboxALSA", ["SoundboxCore", "SoundboxSystem", "CALSA"]),
        library("SoundboxMQTT", ["SoundboxCore", "SoundboxSystem", "CTLSClient"]),
        library("SoundboxStore", ["SoundboxCore", "SoundboxSystem", grdb]),
        library("SoundboxGPIO", ["SoundboxCore", "SoundboxSystem", "SoundboxYAML", "CGPIOD"]),

        // The composition root and the one executable.
        library(
            "SoundboxRuntime",
            [
                "SoundboxCore", "SoundboxSystem", "SoundboxYAML", "SoundboxAudio", "SoundboxALSA", "SoundboxMQTT",
                "SoundboxStore", "SoundboxGPIO", asyncHTTPClient, crypto, httpTypes, hummingbird, hummingbirdCore,
                logging, nioCore, nioHTTP1, nioPosix, nioSSL, serviceLifecycle, subprocess, unixSignals,
            ]),
        .executableTarget(
            name: "soundbox",
            dependencies: [
                "SoundboxCore", "SoundboxSystem", "SoundboxAudio", "SoundboxGPIO", "SoundboxMQTT", "SoundboxRuntime",
                argumentParser, logging,
            ],
            swiftSettings: strict),

        // A fake for every port, and the contract that it and the real adapter keep.
        library("SoundboxTesting", ["SoundboxCore"]),

        // Brokers, processes and folders for tests.
        .target(
            name: "TestSupport", dependencies: ["SoundboxSystem"], path: "Tests/TestSupport", swiftSettings: strict),
        // For Benchmarks/: what of the box is not for others to see.
        .target(
            name: "BenchmarkSupport",
            dependencies: ["SoundboxAudio", "SoundboxCore", "SoundboxRuntime", "SoundboxStore", logging],
            path: "Tests/BenchmarkSupport", swiftSettings: strict),
        tests(of: "SoundboxCore", ["SoundboxTesting", "TestSupport"]),
        tests(of: "SoundboxSystem"),
        tests(of: "SoundboxYAML", ["SoundboxCore"]),
        // Compiled C: its header says why.
        .target(name: "AllocationCount", path: "Tests/AllocationCount"),
        tests(
            of: "SoundboxAudio",
            [
                "SoundboxCore", "SoundboxSystem", "SoundboxYAML", "SoundboxTesting", "TestSupport", "CSndFile",
                "AllocationCount",
            ]),
        tests(of: "SoundboxALSA", ["SoundboxCore", "SoundboxTesting"]),
        tests(of: "SoundboxMQTT", ["SoundboxCore", "SoundboxSystem", "SoundboxTesting", "TestSupport"]),
        tests(of: "SoundboxStore", ["SoundboxCore", "SoundboxSystem", "SoundboxTesting", "TestSupport", grdb]),
        tests(of: "SoundboxGPIO", ["SoundboxCore", "SoundboxYAML", "SoundboxTesting"]),
        tests(
            of: "SoundboxRuntime",
            [
                "SoundboxCore", "SoundboxALSA", "SoundboxAudio", "SoundboxGPIO", "SoundboxMQTT", "SoundboxStore",
                "SoundboxTesting", "SoundboxYAML", "TestSupport", crypto, grdb, logging, serviceLifecycle,
            ]),
        // The readings of every voice beside those of ICU.
        .testTarget(
            name: "OracleTests",
            dependencies: ["SoundboxCore", "SoundboxSystem", "SoundboxAudio", "SoundboxYAML", "TestSupport", "CICU"],
            exclude: ["Deviations"], swiftSettings: strict),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "soundbox", "SoundboxAudio", "SoundboxCore", "SoundboxMQTT", "SoundboxRuntime", "SoundboxStore",
                "SoundboxSystem", "SoundboxTesting", "TestSupport", crypto, grdb,
            ],
            swiftSettings: strict),
        // The box on real GPIO lines and a real sound card: a Linux kernel under emulation.
        .testTarget(
            name: "BoardTests",
            dependencies: [
                "soundbox", "SoundboxCore", "SoundboxMQTT", "SoundboxRuntime", "SoundboxSystem", "TestSupport", grdb,
            ],
            path: "Tests/Board", exclude: ["Guest"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
