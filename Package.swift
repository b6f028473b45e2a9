// swift-tools-version: 6.2
import PackageDescription

// Every target of this package, and no dependency's, is built with warnings as errors.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Debug builds, too: the tests take less than half the time. The standard library checks its debug preconditions still.
let optimised = strict + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

func library(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], resources: [Resource] = []
) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, resources: resources, swiftSettings: optimised)
}

func tests(of name: String, _ others: [Target.Dependency] = []) -> Target {
    .testTarget(name: "\(name)Tests", dependencies: [.target(name: name)] + others, swiftSettings: strict)
}

// Half of what is not code goes: names for a dynamic linker that looks nothing up here, and three and a half megabytes of
// relocations, which lld packs. Functions that are the same are there once.
let leanly: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-use-ld=lld", "-Xlinker", "--no-export-dynamic", "-Xlinker", "--build-id", "-Xlinker", "-z",
            "-Xlinker", "pack-relative-relocs", "-Xlinker", "--icf=safe",
        ], .when(configuration: .release))
]

let package = Package(
    name: "soundbox",
    products: [
        .executable(name: "soundbox", targets: ["soundbox"]),
        .executable(name: "soundbox-voicetools", targets: ["soundbox-voicetools"]),
        .executable(name: "soundbox-speak", targets: ["soundbox-speak"]),
        .executable(name: "soundbox-gateway", targets: ["soundbox-gateway"]),
        // For Benchmarks/ and Fuzzing/, which are packages of their own.
        .library(name: "SoundboxCore", targets: ["SoundboxCore"]),
        .library(name: "SoundboxSpeech", targets: ["SoundboxSpeech"]),
        .library(name: "SoundboxSystem", targets: ["SoundboxSystem"]),
        .library(name: "SoundboxYAML", targets: ["SoundboxYAML"]),
        .library(name: "SoundboxLogging", targets: ["SoundboxLogging"]),
        .library(name: "SoundboxAudio", targets: ["SoundboxAudio"]),
        .library(name: "SoundboxALSA", targets: ["SoundboxALSA"]),
        .library(name: "SoundboxGPIO", targets: ["SoundboxGPIO"]),
        .library(name: "SoundboxMQTT", targets: ["SoundboxMQTT"]),
        .library(name: "SoundboxStore", targets: ["SoundboxStore"]),
        .library(name: "SoundboxSpeak", targets: ["SoundboxSpeak"]),
        .library(name: "SoundboxVoice", targets: ["SoundboxVoice"]),
        .library(name: "SoundboxBox", targets: ["SoundboxBox"]),
        .library(name: "SoundboxConfiguration", targets: ["SoundboxConfiguration"]),
        .library(name: "CICU", targets: ["CICU"]),
        .library(name: "BenchmarkSupport", targets: ["BenchmarkSupport"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // One module per C library. Their only importers: SoundboxALSA, SoundboxVoice (three), SoundboxWorkshop
        // (CEBUR128), SoundboxMQTT, SoundboxGPIO, SoundboxControl, SoundboxPage and SoundboxSystem, and their tests; in
        // soundbox-speak SoundboxSpeak (CSndFile).
        .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "CSndFile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
        .systemLibrary(name: "CEBUR128", pkgConfig: "libebur128", providers: [.apt(["libebur128-dev"])]),
        .systemLibrary(name: "CSoxr", pkgConfig: "soxr", providers: [.apt(["libsoxr-dev"])]),
        .systemLibrary(name: "CSonic", providers: [.apt(["libsonic-dev"])]),
        .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(name: "CQRCode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CGPIOD", pkgConfig: "libgpiod", providers: [.apt(["libgpiod-dev"])]),
        .systemLibrary(name: "CLinux"),
        // Compiled C: each header says why.
        .target(name: "CTLSClient", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        .target(name: "CDigest", linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "CIdentity", linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "CConfinement"),
        .target(name: "CWithoutICUData"),
        // For SoundboxWorkshop and Benchmarks/; the box does not link it.
        .target(name: "CICU", linkerSettings: [.linkedLibrary("icui18n"), .linkedLibrary("icuuc")]),

        // Pure: no C library, no database, no clock, no socket.
        library("SoundboxCore", []),
        // As pure: an amount in words and recordings, by the rules of a language.
        library("SoundboxSpeech", ["SoundboxCore"]),
        // What the rooms above share: threads, processes, files, the service manager and errors of Linux, hashes and
        // HTTP; YAML parsed into documents of the core.
        library("SoundboxSystem", ["SoundboxCore", "CLinux", "CDigest", "CIdentity", "CCurl", "CConfinement"]),
        library("SoundboxYAML", ["SoundboxCore", "SoundboxSystem", yams]),
        // The lines of the log; apart, since soundbox-speak does without swift-log.
        library("SoundboxLogging", ["SoundboxCore", "SoundboxSystem", logging]),

        // A voice on the disk: its language, its recordings, decoded and resampled.
        library(
            "SoundboxVoice",
            ["SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxYAML", "CSndFile", "CSoxr", "CSonic"]),
        // From a script to frames: mixer, player, sinks.
        library("SoundboxAudio", ["SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxVoice"]),

        // Adapters: each knows the core and its own library, and none of its siblings.
        library("SoundboxALSA", ["SoundboxCore", "SoundboxSystem", "CALSA"]),
        library("SoundboxMQTT", ["SoundboxCore", "SoundboxSystem", "CMosquitto", "CTLSClient"]),
        library("SoundboxStore", ["SoundboxCore", "SoundboxSystem", grdb]),
        library("SoundboxGPIO", ["SoundboxCore", "SoundboxSystem", "SoundboxYAML", "CGPIOD"]),
        library("SoundboxClips", ["SoundboxCore", "SoundboxSystem"]),
        library(
            "SoundboxControl",
            [
                "SoundboxCore", "SoundboxSystem", "CMicroHTTPD", logging, serviceLifecycle,
            ]),

        // The daemon: knows the ports, and no adapter.
        library(
            "SoundboxBox",
            [
                "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxVoice", "SoundboxAudio", logging,
                serviceLifecycle,
                unixSignals,
            ]),
        // What soundbox.yaml says, and what stands beside it.
        library(
            "SoundboxConfiguration",
            ["SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxYAML", "SoundboxVoice", logging]),
        // Which sink and which panel a name stands for.
        library(
            "SoundboxHardware",
            ["SoundboxCore", "SoundboxSystem", "SoundboxVoice", "SoundboxAudio", "SoundboxALSA", "SoundboxGPIO"]),
        // The installer's: setup, first boot, doctor, support bundle.
        library(
            "SoundboxSetup",
            [
                "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxYAML", "SoundboxVoice", "SoundboxAudio",
                "SoundboxALSA",
                "SoundboxMQTT", "SoundboxStore", "SoundboxGPIO", "SoundboxControl", "SoundboxBox",
                "SoundboxConfiguration", "SoundboxHardware", logging, serviceLifecycle,
                subprocess,
            ]),
        // The author's: voices made, imported, checked and reported.
        library(
            "SoundboxWorkshop",
            [
                "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxYAML", "SoundboxVoice", "SoundboxAudio",
                "CEBUR128", "CICU",
                subprocess,
            ]),

        // The shop's page: another process, which knows the control socket and nothing else of the box.
        library(
            "SoundboxPage",
            ["SoundboxCore", "SoundboxSystem", "SoundboxControl", "CQRCode", logging, serviceLifecycle],
            exclude: ["Page"]),

        // The provider's half: payments in by HTTP, stored, published to boxes, and resent until they have them.
        library(
            "SoundboxGateway",
            [
                "SoundboxCore", "SoundboxSystem", "SoundboxYAML", "SoundboxControl", "SoundboxMQTT", grdb, logging,
                serviceLifecycle,
            ]),

        // The work of soundbox-speak: texts spoken, clips fetched and decoded.
        library(
            "SoundboxSpeak", ["SoundboxCore", "SoundboxSystem", "CSndFile"],
            resources: [.embedInCode("Speech/pinyin.txt")]),

        // What the programs have in common: output, exit codes, options.
        library(
            "SoundboxCommandLine",
            ["SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxYAML", "SoundboxVoice", argumentParser]),
        // The box's program: its commands, and the box put together.
        .executableTarget(
            name: "soundbox",
            dependencies: [
                "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxYAML", "SoundboxVoice", "SoundboxAudio",
                "SoundboxGPIO",
                "SoundboxMQTT", "SoundboxStore", "SoundboxClips", "SoundboxControl", "SoundboxBox",
                "SoundboxConfiguration", "SoundboxHardware", "SoundboxSetup", "SoundboxPage", "SoundboxCommandLine",
                "SoundboxLogging", "CWithoutICUData", argumentParser, logging, serviceLifecycle, unixSignals,
            ],
            swiftSettings: strict, linkerSettings: leanly),
        // The voice author's program.
        .executableTarget(
            name: "soundbox-voicetools",
            dependencies: [
                "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxYAML", "SoundboxVoice", "SoundboxAudio",
                "SoundboxWorkshop",
                "SoundboxCommandLine", "CWithoutICUData", argumentParser,
            ],
            swiftSettings: strict, linkerSettings: leanly),
        // The box's helper, which the box starts for each sound.
        .executableTarget(
            name: "soundbox-speak",
            dependencies: ["SoundboxCore", "SoundboxSpeak", "SoundboxSystem", argumentParser],
            swiftSettings: strict, linkerSettings: leanly),

        // The provider's program.
        .executableTarget(
            name: "soundbox-gateway",
            dependencies: [
                "SoundboxCore", "SoundboxSystem", "SoundboxLogging", "SoundboxGateway", "CWithoutICUData",
                argumentParser, logging, serviceLifecycle, unixSignals,
            ],
            swiftSettings: strict, linkerSettings: leanly),

        // A fake for every other port, and the contract that it and the real adapter keep; the real inbox, able to fail.
        library("SoundboxTesting", ["SoundboxCore", "SoundboxSystem", "SoundboxStore", "TestSupport"]),

        // Brokers, processes and folders for tests.
        .target(
            name: "TestSupport", dependencies: ["SoundboxSystem"], path: "Tests/TestSupport", swiftSettings: strict),
        // Sound files and voices for tests.
        .target(
            name: "VoiceTestSupport", dependencies: ["SoundboxSystem", "SoundboxVoice", "CSndFile"],
            path: "Tests/VoiceTestSupport", swiftSettings: optimised),
        // For Benchmarks/: the parts of the box that no other package sees.
        .target(
            name: "BenchmarkSupport",
            dependencies: [
                "SoundboxAudio", "SoundboxBox", "SoundboxCore", "SoundboxStore", "SoundboxVoice", "CLinux", logging,
            ],
            path: "Tests/BenchmarkSupport", swiftSettings: strict),
        tests(of: "SoundboxCore", ["SoundboxTesting", "TestSupport"]),
        tests(of: "SoundboxSpeech", ["SoundboxCore", "TestSupport"]),
        // The arrows between rooms, and between the folders of a room.
        .testTarget(name: "HouseTests", swiftSettings: strict),
        // Compiled C: its header says why.
        .target(name: "ConfinementTrial", dependencies: ["CConfinement"], path: "Tests/ConfinementTrial"),
        tests(of: "SoundboxSystem", ["SoundboxCore", "TestSupport", "ConfinementTrial"]),
        tests(of: "SoundboxYAML", ["SoundboxCore", "SoundboxSystem"]),
        tests(
            of: "SoundboxVoice",
            [
                "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxYAML", "TestSupport", "VoiceTestSupport",
                "CSndFile",
            ]),
        // Compiled C: its header says why.
        .target(name: "AllocationCount", path: "Tests/AllocationCount"),
        tests(
            of: "SoundboxAudio",
            [
                "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxVoice", "SoundboxTesting", "TestSupport",
                "VoiceTestSupport", "CSndFile", "AllocationCount",
            ]),
        tests(
            of: "SoundboxALSA",
            [
                "SoundboxAudio", "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxTesting", "SoundboxVoice",
                "VoiceTestSupport",
            ]),
        tests(of: "SoundboxMQTT", ["SoundboxCore", "SoundboxSystem", "SoundboxTesting", "TestSupport"]),
        tests(of: "SoundboxStore", ["SoundboxCore", "SoundboxSystem", "SoundboxTesting", "TestSupport", grdb]),
        tests(
            of: "SoundboxControl",
            ["SoundboxCore", "SoundboxSystem", "TestSupport", logging, serviceLifecycle]),
        tests(
            of: "SoundboxPage",
            ["SoundboxControl", "SoundboxCore", "SoundboxSystem", "TestSupport", logging, serviceLifecycle]),
        tests(of: "SoundboxClips", ["soundbox-speak", "SoundboxCore", "SoundboxSystem", "TestSupport"]),
        tests(
            of: "SoundboxSpeak",
            [
                "soundbox-speak", "SoundboxCore", "SoundboxSystem", "SoundboxClips", "TestSupport", "VoiceTestSupport",
                "CSndFile",
            ]),
        tests(
            of: "SoundboxGateway",
            [
                "SoundboxCore", "SoundboxSystem", "SoundboxYAML", "SoundboxControl", "SoundboxMQTT", "TestSupport",
                grdb, logging,
            ]),
        tests(of: "SoundboxGPIO", ["SoundboxCore", "SoundboxYAML", "SoundboxTesting"]),
        tests(
            of: "SoundboxBox",
            [
                "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxVoice", "SoundboxAudio", "SoundboxStore",
                "SoundboxConfiguration", "SoundboxControl", "SoundboxLogging", "SoundboxTesting", "TestSupport",
                "VoiceTestSupport", grdb, logging, serviceLifecycle,
            ]),
        tests(of: "SoundboxLogging", ["SoundboxCore", "SoundboxSystem", "TestSupport", logging]),
        tests(
            of: "SoundboxConfiguration",
            ["SoundboxCore", "SoundboxSystem", "SoundboxVoice", "SoundboxYAML", "TestSupport"]),
        tests(
            of: "SoundboxHardware",
            ["SoundboxCore", "SoundboxALSA", "SoundboxAudio", "SoundboxGPIO", "SoundboxTesting", "TestSupport"]),
        tests(
            of: "SoundboxSetup",
            [
                "SoundboxCore", "SoundboxSystem", "SoundboxALSA", "SoundboxAudio", "SoundboxBox",
                "SoundboxConfiguration",
                "SoundboxGPIO", "SoundboxHardware", "SoundboxMQTT", "SoundboxStore", "SoundboxYAML", "TestSupport",
                logging,
            ]),
        tests(
            of: "SoundboxWorkshop",
            [
                "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxVoice", "SoundboxAudio", "SoundboxYAML",
                "SoundboxTesting",
                "TestSupport", "VoiceTestSupport", "CSndFile",
            ]),
        // The readings of every voice beside those of ICU.
        .testTarget(
            name: "OracleTests",
            dependencies: ["SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxVoice", "SoundboxWorkshop"],
            exclude: ["Deviations"], swiftSettings: strict),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "soundbox", "soundbox-gateway", "soundbox-speak", "soundbox-voicetools", "SoundboxAudio", "SoundboxBox",
                "SoundboxConfiguration",
                "SoundboxControl", "SoundboxCore", "SoundboxSpeech", "SoundboxHardware", "SoundboxMQTT",
                "SoundboxSetup", "SoundboxStore",
                "SoundboxSystem",
                "SoundboxTesting", "SoundboxVoice", "TestSupport", grdb,
            ],
            swiftSettings: strict),
        // The box on real GPIO lines and a real sound card: a Linux kernel under emulation.
        .testTarget(
            name: "BoardTests",
            dependencies: [
                "soundbox", "SoundboxBox", "SoundboxConfiguration", "SoundboxControl", "SoundboxCore", "SoundboxMQTT",
                "SoundboxSetup", "SoundboxSystem", "TestSupport", grdb,
            ],
            path: "Tests/Board", exclude: ["Guest"], swiftSettings: strict),
        // The packages where they live: as services of a whole Debian under emulation.
        .testTarget(
            name: "DebianTests", dependencies: ["SoundboxCore", "TestSupport"], path: "Tests/Debian",
            exclude: ["Guest"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
