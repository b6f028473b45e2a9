import SoundboxControl
import SoundboxCore
import TestSupport
import Testing

@Suite("The text that Prometheus reads")
struct PrometheusTextTests {
    private func series(_ labels: [MetricFamily.Label], _ value: Double) -> MetricFamily.Series {
        .init(labels, .number(value))
    }

    @Test("Every family says what it is, and has its series below it")
    func families() throws {
        let text = PrometheusText.text([
            MetricFamily(
                "a_total", .counter, "What was counted.",
                [series([.init("state", "x")], 3), series([.init("state", "y"), .init("b", "z")], 0)]),
            MetricFamily("b_ratio", .gauge, "", 0.25),
        ])
        #expect(
            text == """
                # HELP a_total What was counted.
                # TYPE a_total counter
                a_total{state="x"} 3
                a_total{state="y",b="z"} 0
                # TYPE b_ratio gauge
                b_ratio 0.25

                """)
        #expect(try Exposition(text).families.count == 2)
        #expect(PrometheusText.text([]).isEmpty)
    }

    @Test("Nothing in a value or an explanation ends it, or begins a line of its own")
    func escaping() throws {
        let hostile = "a\\b\"c\nfake_total 7\r微信\u{0}"
        let text = PrometheusText.text([
            MetricFamily("a", .gauge, "say \"a\\b\"\nfake", [series([.init("l", hostile)], 1)])
        ])
        #expect(
            text
                == "# HELP a say \"a\\\\b\"\\nfake\n# TYPE a gauge\n"
                + "a{l=\"a\\\\b\\\"c\\nfake_total 7\r微信\u{0}\"} 1\n")
        #expect(try Exposition(text).families.keys.sorted() == ["a"])
    }

    @Test("What may not stand in a name becomes an underscore", arguments: ["a.b-c", "9a", "", "微信"])
    func names(name: String) throws {
        let text = PrometheusText.text([MetricFamily(name, .gauge, "x", [series([.init(name + ":", "")], 1)])])
        #expect(try Exposition(text).families.count == 1)
    }

    @Test(
        "Numbers are exact where they are whole, and have Prometheus' words where they are none",
        arguments: [
            (0, "0"), (-0.0, "0"), (12, "12"), (-3, "-3"), (0.001, "0.001"), (1e-7, "1e-07"),
            (999_999_999_999_999, "999999999999999"), (1e21, "1e+21"), (.infinity, "+Inf"), (-.infinity, "-Inf"),
            (.nan, "NaN"),
        ] as [(Double, String)])
    func numbers(value: Double, text: String) throws {
        let line = PrometheusText.text([MetricFamily("a", .gauge, "", value)])
        #expect(line.hasSuffix("\na \(text)\n"))
        _ = try Exposition(line)
    }

    @Test("Each bucket of a histogram holds those below it, and what lies on a bound lies within")
    func histogram() throws {
        var histogram = MetricHistogram(bounds: [0.5, 1])
        for value in [0.25, 0.5, 0.75, 1, 1, 8] { histogram.record(value) }
        let text = PrometheusText.text([
            MetricFamily("t_seconds", .histogram, "", [.init([.init("k", "v")], .histogram(histogram))])
        ])
        #expect(
            text == """
                # TYPE t_seconds histogram
                t_seconds_bucket{k="v",le="0.5"} 2
                t_seconds_bucket{k="v",le="1"} 5
                t_seconds_bucket{k="v",le="+Inf"} 6
                t_seconds_sum{k="v"} 11.5
                t_seconds_count{k="v"} 6

                """)
        _ = try Exposition(text)
        let empty = MetricFamily("t_seconds", .histogram, "", [.init([], .histogram(MetricHistogram(bounds: [])))])
        #expect(try Exposition(PrometheusText.text([empty]))["t_seconds_count"] == 0)
    }

    @Test(
        "An address that stands for all of them is known",
        arguments: [
            (ListenAddress(.v4([0, 0, 0, 0]), port: 1), true, "0.0.0.0:1"),
            (ListenAddress(.v4([127, 0, 0, 1]), port: 9464), false, "127.0.0.1:9464"),
            (ListenAddress(.v6([UInt8](repeating: 0, count: 16)), port: 2), true, "[0:0:0:0:0:0:0:0]:2"),
            (
                ListenAddress(.v6([0xFD, 0] + [UInt8](repeating: 0, count: 13) + [1]), port: 3), false,
                "[fd00:0:0:0:0:0:0:1]:3"
            ),
        ])
    func everyAddress(address: ListenAddress, isEvery: Bool, text: String) {
        #expect(address.isEveryAddress == isEvery)
        #expect("\(address)" == text)
    }
}
