import ArgumentParser

struct TestBoard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Walk through the hardware: the lights and buttons of a board, or its sound.",
        discussion: """
              soundbox board test raspberry-pi     its lights and buttons
              soundbox board test audio            the sound, as configured
            """,
        subcommands: [TestPanel.self, TestAudio.self], defaultSubcommand: TestPanel.self)
}
