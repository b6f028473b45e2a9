// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that building the box never builds its benchmarks. `make bench` runs them.
let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(name: "soundbox", path: ".."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                .product(name: "BenchmarkSupport", package: "soundbox"),
                .product(name: "CICU", package: "soundbox"),
                .product(name: "SoundboxALSA", package: "soundbox"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "SoundboxAudio", package: "soundbox"),
                .product(name: "SoundboxVoice", package: "soundbox"),
                .product(name: "SoundboxCore", package: "soundbox"),
                .product(name: "SoundboxSpeech", package: "soundbox"),
                .product(name: "SoundboxStore", package: "soundbox"),
                .product(name: "SoundboxSystem", package: "soundbox"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
