import Testing

@Suite("The arrows between rooms")
struct ArrowTests {
    static let adapters = [
        "SoundboxALSA", "SoundboxMQTT", "SoundboxStore", "SoundboxGPIO", "SoundboxClips", "SoundboxControl",
    ]

    private let manifest: [String: [String]]

    init() throws { manifest = try SourceTree.manifest() }

    @Test("Every module of Sources is declared, and none that is not there")
    func declared() {
        #expect(Set(SourceTree.modules) == Set(manifest.keys))
    }

    @Test("The core depends on nothing, and speech on the core only")
    func core() {
        #expect(manifest["SoundboxCore"] == [])
        #expect(manifest["SoundboxSpeech"] == ["SoundboxCore"])
    }

    @Test("No way along the arrows leads back to where it began")
    func noCircle() {
        for module in manifest.keys.sorted() {
            var reached: Set<String> = []
            var next = manifest[module] ?? []
            while let one = next.popLast() {
                if reached.insert(one).inserted { next += manifest[one] ?? [] }
            }
            #expect(!reached.contains(module), "\(module) depends on itself")
        }
    }

    @Test("An adapter knows the core, the system and its own library, and none of its siblings", arguments: adapters)
    func siblings(adapter: String) throws {
        let own = try #require(manifest[adapter]).filter { $0.hasPrefix("Soundbox") }
        #expect(Set(own).isSubset(of: ["SoundboxCore", "SoundboxSystem", "SoundboxYAML"]))
    }

    @Test("The daemon knows the ports only: no adapter, no configuration, no setup")
    func box() throws {
        let own = try #require(manifest["SoundboxBox"]).filter { $0.hasPrefix("Soundbox") }
        #expect(
            Set(own).isSubset(of: [
                "SoundboxCore", "SoundboxSpeech", "SoundboxSystem", "SoundboxYAML", "SoundboxVoice", "SoundboxAudio",
            ]))
    }

    /// Every module that a program is linked with.
    private func modules(of program: String) throws -> Set<String> {
        var reached: Set<String> = []
        var next = try #require(manifest[program])
        while let one = next.popLast() {
            if reached.insert(one).inserted { next += manifest[one] ?? [] }
        }
        return reached
    }

    @Test("A library in C has one importer in a program, which hides it from the others")
    func libraries() throws {
        let programs = try ["soundbox", "soundbox-speak", "soundbox-voicetools", "soundbox-gateway"]
            .map { try modules(of: $0) }
        for library in [
            "CALSA", "CGPIOD", "CTLSClient", "CDigest", "CIdentity", "CCurl", "CSndFile", "CSoxr", "CSonic", "CEBUR128",
            "CLinux", "COpus",
            "CConfinement", "CICU", "CMicroHTTPD", "CQRCode", "grdb", "yams",
        ] {
            let importers = Set(manifest.filter { $0.value.contains(library) }.keys)
            #expect(!importers.isEmpty, "\(library)")
            for program in programs {
                let own = importers.intersection(program)
                #expect(own.count <= 1, "\(library): \(own.sorted())")
            }
        }
    }

    @Test("The box's program has nothing of the voice author's")
    func workshop() throws {
        #expect(try modules(of: "soundbox").isDisjoint(with: ["SoundboxWorkshop", "CEBUR128", "COpus", "CICU"]))
    }

    @Test("What reads foreign sound is in the helper, and the helper has nothing else of the box")
    func helper() throws {
        #expect(try !modules(of: "soundbox").contains("SoundboxSpeak"))
        let own = try modules(of: "soundbox-speak").filter { $0.hasPrefix("Soundbox") }
        #expect(own == ["SoundboxCore", "SoundboxSystem", "SoundboxSpeak"])
    }

    @Test("The gateway has nothing of a box but what both share, and the box's program nothing of the gateway")
    func gateway() throws {
        let gateway = try modules(of: "soundbox-gateway")
        for module in [
            "SoundboxBox", "SoundboxAudio", "SoundboxVoice", "SoundboxSpeech", "SoundboxALSA", "SoundboxGPIO",
            "SoundboxStore", "SoundboxConfiguration",
        ] {
            #expect(!gateway.contains(module), "\(module)")
        }
        #expect(try !modules(of: "soundbox").contains("SoundboxGateway"))
    }

    @Test("Nobody but the program itself depends on every adapter")
    func composition() {
        let all = manifest.filter { Set(Self.adapters).isSubset(of: $0.value) }.keys
        // Setup looks at each part by itself, before there is a box and when there is none.
        #expect(Set(all).isSubset(of: ["soundbox", "SoundboxSetup"]))
    }
}

@Suite("The folders inside a room")
struct FolderTests {
    @Test("A feature's decisions, its files of rules, know the core and speech only")
    func rules() {
        let rules = ["SoundboxBox", "SoundboxGateway"].flatMap { SourceTree.files(of: $0) }
            .filter { $0.name.hasSuffix("Rules.swift") || $0.name.contains("/Rules/") }
        #expect(rules.count > 8)
        for file in rules {
            let known = file.code.matches(of: /(?m)^import (\w+)/).map { String($0.1) }
            #expect(Set(known).isSubset(of: ["SoundboxCore", "SoundboxSpeech"]), "\(file.name)")
        }
    }

    @Test("No folder needs another one that needs it", arguments: SourceTree.modules)
    func noCircle(module: String) {
        let files = SourceTree.files(of: module)
        var home: [Substring: String] = [:]
        for file in files {
            for type in SourceTree.types(in: file.code) where !type.isPrivate { home[type.name[...]] = file.folder }
        }
        // For each folder, whom it needs, and one example of why.
        var needs: [String: [String: String]] = [:]
        for file in files {
            for name in SourceTree.names(in: file.code) {
                // The daemon's features are made from what that folder has, and its list knows them all.
                guard let other = home[name], other != file.folder, other != "Features" else { continue }
                needs[file.folder, default: [:]][other] = "\(file.name) names \(name)"
            }
        }
        for folder in needs.keys.sorted() {
            var reached: Set<String> = []
            var next = Array((needs[folder] ?? [:]).keys)
            while let one = next.popLast() {
                if reached.insert(one).inserted { next += (needs[one] ?? [:]).keys }
            }
            let trail = (needs[folder] ?? [:]).map { "\($0.key): \($0.value)" }.sorted()
            #expect(!reached.contains(folder), "\(module)/\(folder) is part of a circle: \(trail)")
        }
    }
}
