// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that building the box never builds its fuzz targets. `make fuzz` builds and runs them with
// `--sanitize fuzzer`, which instruments the box's modules and what they depend on. A plain `swift build` makes a program
// that gives each file of its arguments to `FUZZ_TARGET` once: for an input that crashed, in a debugger.
let package = Package(
    name: "fuzzing",
    dependencies: [.package(name: "soundbox", path: "..")],
    targets: [
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                .product(name: "SoundboxVoice", package: "soundbox"),
                .product(name: "SoundboxCore", package: "soundbox"),
                .product(name: "SoundboxSpeech", package: "soundbox"),
                .product(name: "SoundboxGPIO", package: "soundbox"),
                .product(name: "SoundboxBox", package: "soundbox"),
                .product(name: "SoundboxConfiguration", package: "soundbox"),
                .product(name: "SoundboxLogging", package: "soundbox"),
                .product(name: "SoundboxMQTT", package: "soundbox"),
                .product(name: "SoundboxSpeak", package: "soundbox"),
                .product(name: "SoundboxSystem", package: "soundbox"),
                .product(name: "SoundboxYAML", package: "soundbox"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
