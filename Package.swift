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

// A target of Sources or Tests is found by its folder, `district/Folder`; its module keeps its whole name.

func library(
    _ name: String, at folder: String, _ dependencies: [Target.Dependency], resources: [Resource] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(folder)", resources: resources,
        swiftSettings: optimised)
}

func program(at folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: String(folder.split(separator: "/")[1]), dependencies: dependencies + [argumentParser],
        path: "Sources/\(folder)", swiftSettings: strict, linkerSettings: leanly)
}

/// The headers of a C library that Debian installs.
func headers(_ name: String, pkgConfig: String? = nil, _ package: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "Sources/c/\(name)", pkgConfig: pkgConfig,
        providers: package.map { [.apt([$0])] })
}

/// C of our own: its header says why.
func compiledC(
    _ name: String, at folder: String? = nil, uses: [Target.Dependency] = [], links libraries: [String] = []
) -> Target {
    .target(
        name: name, dependencies: uses, path: folder ?? "Sources/c/\(name)",
        linkerSettings: libraries.map { .linkedLibrary($0) })
}

func tests(of name: String, at folder: String, _ others: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.target(name: name)] + others, path: "Tests/\(folder)", exclude: exclude,
        swiftSettings: strict)
}

/// What tests share.
func support(_ name: String, at folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/\(folder)", swiftSettings: strict)
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
        // MARK: c, one module per library of Debian's. Their only importers: ALSA, Voice (three), Workshop (CEBUR128,
        // COpus), MQTT, GPIO, Control, Page, System and Gateway (CPostgreSQL), and their tests; in soundbox-speak Speak
        // (CSndFile).
        headers("CALSA", pkgConfig: "alsa", "libasound2-dev"),
        headers("CSndFile", pkgConfig: "sndfile", "libsndfile1-dev"),
        headers("CEBUR128", pkgConfig: "libebur128", "libebur128-dev"),
        headers("COpus", pkgConfig: "opus", "libopus-dev"),
        headers("CSoxr", pkgConfig: "soxr", "libsoxr-dev"),
        headers("CSonic", "libsonic-dev"),
        headers("CMicroHTTPD", pkgConfig: "libmicrohttpd", "libmicrohttpd-dev"),
        headers("CMosquitto", pkgConfig: "libmosquitto", "libmosquitto-dev"),
        headers("CPostgreSQL", pkgConfig: "libpq", "libpq-dev"),
        headers("CQRCode", pkgConfig: "libqrencode", "libqrencode-dev"),
        headers("CGPIOD", pkgConfig: "libgpiod", "libgpiod-dev"),
        headers("CLinux"),
        compiledC("CTLSClient", links: ["ssl", "crypto"]),
        compiledC("CDigest", links: ["crypto"]),
        compiledC("CIdentity", links: ["crypto"]),
        compiledC("CCurl", links: ["curl"]),
        compiledC("CConfinement"),
        compiledC("CWithoutICUData"),
        // For the workshop and Benchmarks/; the box does not link it.
        compiledC("CICU", links: ["icui18n", "icuuc"]),

        // MARK: shared, by the programs.
        // Threads, processes, files, the service manager and errors of Linux, hashes and HTTP.
        library(
            "SoundboxSystem", at: "shared/System",
            ["SoundboxCore", "CLinux", "CDigest", "CIdentity", "CCurl", "CConfinement"]),
        // YAML parsed into documents of the core.
        library("SoundboxYAML", at: "shared/YAML", ["SoundboxCore", "SoundboxSystem", yams]),
        // The lines of the log; apart, since soundbox-speak does without swift-log.
        library("SoundboxLogging", at: "shared/Logging", ["SoundboxCore", "SoundboxSystem", logging]),
        library(
            "SoundboxControl", at: "shared/Control",
            ["SoundboxCore", "SoundboxSystem", "CMicroHTTPD", logging, serviceLifecycle]),
        // What the programs have in common: output, exit codes, options.
        library(
            "SoundboxCommandLine", at: "shared/CommandLine",
            ["SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxYAML", "SoundboxVoice", argumentParser]),
        // A fake for every other port, and the contract that it and the real adapter keep; the real inbox, able to fail.
        library(
            "SoundboxTesting", at: "shared/Testing",
            ["SoundboxCore", "SoundboxSystem", "SoundboxStore", "TestSupport"]),

        // MARK: box, the program at the counter.
        // Pure: no C library, no database, no clock, no socket.
        library("SoundboxCore", at: "box/Core", []),
        // As pure: an amount in words and recordings, by the rules of a language.
        library("SoundboxSpeech", at: "box/Speech", ["SoundboxCore"]),
        // A voice on the disk: its language, its recordings, decoded and resampled.
        library(
            "SoundboxVoice", at: "box/Voice",
            ["SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxYAML", "CSndFile", "CSoxr", "CSonic"]),
        // From a script to frames: mixer, player, sinks.
        library(
            "SoundboxAudio", at: "box/Audio", ["SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxVoice"]),
        // Adapters: each knows the core and its own library, and none of its siblings.
        library("SoundboxALSA", at: "box/ALSA", ["SoundboxCore", "SoundboxSystem", "CALSA"]),
        library("SoundboxMQTT", at: "box/MQTT", ["SoundboxCore", "SoundboxSystem", "CMosquitto", "CTLSClient"]),
        library("SoundboxStore", at: "box/Store", ["SoundboxCore", "SoundboxSystem", grdb]),
        library("SoundboxGPIO", at: "box/GPIO", ["SoundboxCore", "SoundboxSystem", "SoundboxYAML", "CGPIOD"]),
        library("SoundboxClips", at: "box/Clips", ["SoundboxCore", "SoundboxSystem"]),
        // The daemon: knows the ports, and no adapter.
        library(
            "SoundboxBox", at: "box/Daemon",
            [
                "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxYAML", "SoundboxVoice", "SoundboxAudio",
                logging, serviceLifecycle, unixSignals,
            ]),
        // What soundbox.yaml says, and what stands beside it.
        library(
            "SoundboxConfiguration", at: "box/Configuration",
            [
                "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxYAML", "SoundboxVoice", "SoundboxBox",
                logging,
            ]),
        // Which sink and which panel a name stands for.
        library(
            "SoundboxHardware", at: "box/Hardware",
            ["SoundboxCore", "SoundboxSystem", "SoundboxVoice", "SoundboxAudio", "SoundboxALSA", "SoundboxGPIO"]),
        // Its commands, and the box put together.
        program(
            at: "box/soundbox",
            [
                "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxYAML", "SoundboxVoice", "SoundboxAudio",
                "SoundboxGPIO", "SoundboxMQTT", "SoundboxStore", "SoundboxClips", "SoundboxControl", "SoundboxBox",
                "SoundboxConfiguration", "SoundboxHardware", "SoundboxSetup", "SoundboxPage", "SoundboxCommandLine",
                "SoundboxLogging", "CWithoutICUData", logging, serviceLifecycle, unixSignals,
            ]),

        // MARK: page, the shop's: another process, which knows the control socket and nothing else of the box. What
        // the browser gets is beside it, in browser/.
        library(
            "SoundboxPage", at: "page/Page",
            ["SoundboxCore", "SoundboxSystem", "SoundboxControl", "CQRCode", logging, serviceLifecycle]),

        // MARK: helper, which the box starts for each sound: texts spoken, clips fetched and decoded.
        library(
            "SoundboxSpeak", at: "helper/Speak", ["SoundboxCore", "SoundboxSystem", "CSndFile"],
            resources: [.embedInCode("Words/pinyin.txt")]),
        program(at: "helper/soundbox-speak", ["SoundboxCore", "SoundboxSpeak", "SoundboxSystem"]),

        // MARK: installer: setup, first boot, doctor, support bundle.
        library(
            "SoundboxSetup", at: "installer/Setup",
            [
                "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxYAML", "SoundboxVoice", "SoundboxAudio",
                "SoundboxALSA", "SoundboxMQTT", "SoundboxStore", "SoundboxGPIO", "SoundboxControl", "SoundboxBox",
                "SoundboxConfiguration", "SoundboxHardware", logging, serviceLifecycle, subprocess,
            ]),

        // MARK: gateway, the provider's half: payments in by HTTP, stored, published to boxes, and resent until they
        // have them.
        library(
            "SoundboxGateway", at: "gateway/Gateway",
            [
                "SoundboxCore", "SoundboxSystem", "SoundboxYAML", "SoundboxControl", "SoundboxMQTT", "CPostgreSQL",
                grdb, logging, serviceLifecycle,
            ]),
        program(
            at: "gateway/soundbox-gateway",
            [
                "SoundboxCore", "SoundboxSystem", "SoundboxLogging", "SoundboxGateway", "CWithoutICUData", logging,
                serviceLifecycle, unixSignals,
            ]),

        // MARK: workshop, the voice author's: voices made, imported, checked and reported.
        library(
            "SoundboxWorkshop", at: "workshop/Workshop",
            [
                "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxYAML", "SoundboxVoice", "SoundboxAudio",
                "CEBUR128", "COpus", "CICU", subprocess,
            ], resources: [.embedInCode("Comparison/blind.html"), .embedInCode("Comparison/comparison.html")]),
        program(
            at: "workshop/soundbox-voicetools",
            [
                "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxYAML", "SoundboxVoice", "SoundboxAudio",
                "SoundboxWorkshop", "SoundboxCommandLine", "CWithoutICUData",
            ]),

        // MARK: Tests of a module, in the districts of Sources.
        // Brokers, processes and folders for tests.
        support("TestSupport", at: "shared/TestSupport", ["SoundboxSystem"]),
        compiledC("ConfinementTrial", at: "Tests/shared/ConfinementTrial", uses: ["CConfinement"]),
        tests(of: "SoundboxSystem", at: "shared/System", ["SoundboxCore", "TestSupport", "ConfinementTrial"]),
        tests(of: "SoundboxYAML", at: "shared/YAML", ["SoundboxCore", "SoundboxSystem"]),
        tests(of: "SoundboxLogging", at: "shared/Logging", ["SoundboxCore", "SoundboxSystem", "TestSupport", logging]),
        tests(
            of: "SoundboxControl", at: "shared/Control",
            ["SoundboxBox", "SoundboxCore", "SoundboxSystem", "TestSupport", logging, serviceLifecycle]),

        // Sound files and voices for tests.
        .target(
            name: "VoiceTestSupport", dependencies: ["SoundboxSystem", "SoundboxVoice", "CSndFile"],
            path: "Tests/box/VoiceTestSupport", swiftSettings: optimised),
        // For Benchmarks/: the parts of the box that no other package sees.
        support(
            "BenchmarkSupport", at: "box/BenchmarkSupport",
            [
                "SoundboxAudio", "SoundboxBox", "SoundboxCore", "SoundboxSpeech", "SoundboxStore", "SoundboxVoice",
                "CLinux",
                logging,
            ]),
        compiledC("AllocationCount", at: "Tests/box/AllocationCount"),
        tests(of: "SoundboxCore", at: "box/Core", ["SoundboxTesting", "TestSupport"]),
        tests(of: "SoundboxSpeech", at: "box/Speech", ["SoundboxCore", "TestSupport"]),
        tests(
            of: "SoundboxVoice", at: "box/Voice",
            [
                "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxYAML", "TestSupport", "VoiceTestSupport",
                "CSndFile",
            ]),
        tests(
            of: "SoundboxAudio", at: "box/Audio",
            [
                "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxVoice", "SoundboxTesting", "TestSupport",
                "VoiceTestSupport", "CSndFile", "AllocationCount",
            ]),
        tests(
            of: "SoundboxALSA", at: "box/ALSA",
            [
                "SoundboxAudio", "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxTesting", "SoundboxVoice",
                "VoiceTestSupport",
            ]),
        tests(
            of: "SoundboxMQTT", at: "box/MQTT", ["SoundboxCore", "SoundboxSystem", "SoundboxTesting", "TestSupport"]),
        tests(
            of: "SoundboxStore", at: "box/Store",
            ["SoundboxCore", "SoundboxSystem", "SoundboxTesting", "TestSupport", grdb]),
        tests(of: "SoundboxGPIO", at: "box/GPIO", ["SoundboxCore", "SoundboxYAML", "SoundboxTesting"]),
        tests(
            of: "SoundboxClips", at: "box/Clips", ["soundbox-speak", "SoundboxCore", "SoundboxSystem", "TestSupport"]),
        tests(
            of: "SoundboxBox", at: "box/Daemon",
            [
                "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxYAML", "SoundboxVoice", "SoundboxAudio",
                "SoundboxStore", "SoundboxConfiguration", "SoundboxControl", "SoundboxLogging", "SoundboxTesting",
                "TestSupport",
                "VoiceTestSupport", grdb, logging, serviceLifecycle,
            ], exclude: ["Inventory.txt"]),
        tests(
            of: "SoundboxConfiguration", at: "box/Configuration",
            ["SoundboxBox", "SoundboxCore", "SoundboxSystem", "SoundboxVoice", "SoundboxYAML", "TestSupport"],
            exclude: ["Keys.txt"]),
        tests(
            of: "SoundboxHardware", at: "box/Hardware",
            ["SoundboxCore", "SoundboxALSA", "SoundboxAudio", "SoundboxGPIO", "SoundboxTesting", "TestSupport"]),

        tests(
            of: "SoundboxPage", at: "page/Page",
            [
                "SoundboxBox", "SoundboxControl", "SoundboxCore", "SoundboxSystem", "TestSupport", logging,
                serviceLifecycle,
            ]),
        tests(
            of: "SoundboxSpeak", at: "helper/Speak",
            [
                "soundbox-speak", "SoundboxCore", "SoundboxSystem", "SoundboxClips", "TestSupport", "VoiceTestSupport",
                "CSndFile",
            ]),
        tests(
            of: "SoundboxSetup", at: "installer/Setup",
            [
                "SoundboxCore", "SoundboxSystem", "SoundboxALSA", "SoundboxAudio", "SoundboxBox",
                "SoundboxConfiguration", "SoundboxGPIO", "SoundboxHardware", "SoundboxMQTT", "SoundboxStore",
                "SoundboxYAML", "TestSupport", logging,
            ]),
        tests(
            of: "SoundboxGateway", at: "gateway/Gateway",
            [
                "SoundboxBox", "SoundboxCore", "SoundboxSystem", "SoundboxYAML", "SoundboxControl", "SoundboxMQTT",
                "TestSupport", grdb, logging,
            ], exclude: ["Store/Version3", "Store/Version4"]),
        tests(
            of: "SoundboxWorkshop", at: "workshop/Workshop",
            [
                "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxVoice", "SoundboxAudio", "SoundboxYAML",
                "SoundboxTesting", "TestSupport", "VoiceTestSupport", "CSndFile",
            ]),
        // The readings of every voice beside those of ICU.
        .testTarget(
            name: "OracleTests",
            dependencies: ["SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxVoice", "SoundboxWorkshop"],
            path: "Tests/workshop/OracleTests", exclude: ["Alternatives", "Deviations"], swiftSettings: strict),

        // MARK: Tests of the whole.
        // The arrows between modules, and between the folders of a module.
        .testTarget(name: "HouseTests", swiftSettings: strict),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "soundbox", "soundbox-gateway", "soundbox-speak", "soundbox-voicetools", "SoundboxAudio", "SoundboxBox",
                "SoundboxConfiguration", "SoundboxControl", "SoundboxCore", "SoundboxSpeech", "SoundboxHardware",
                "SoundboxMQTT", "SoundboxSetup", "SoundboxStore", "SoundboxSystem", "SoundboxTesting", "SoundboxVoice",
                "TestSupport", grdb,
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
