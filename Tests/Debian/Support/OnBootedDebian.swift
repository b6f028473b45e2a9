import Foundation
import TestSupport
import Testing

/// Boots one Debian for all tests of a suite, which then run one after the other.
struct OnBootedDebian: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        let debian = try await BootedDebian()
        try await debian.boot()
        do {
            try await BootedDebian.$current.withValue(debian) { try await body() }
        } catch {
            try await debian.cutPower()
            throw error
        }
        try await debian.cutPower()
    }
}

extension Trait where Self == ConditionTrait {
    /// Not for the short set of `make test`: `make debian-test` runs it.
    static var onlyInDebianTest: Self {
        .enabled(if: ProcessInfo.processInfo.environment["DEBIAN_TEST"] == "full", "make debian-test runs it")
    }
}
