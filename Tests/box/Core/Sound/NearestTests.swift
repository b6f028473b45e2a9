import SoundboxCore
import Testing

@Suite("A sample as a whole number")
struct NearestTests {
    @Test(
        "is rounded as rounded() does it, halves to the even number, for every full scale",
        arguments: [32_767.0, 32_768, 8_388_607, 2_147_483_647])
    func agrees(fullScale: Double) {
        var differing: [Float] = []
        // Every 16-bit sample, and what gains make of it.
        for sample in Int16.min...Int16.max {
            for gain: Float in [1, 0.5, 0.251_19, 0.999_9, 0.003] {
                let value = Float(sample) / 32_768 * gain
                let scaled = Double(value) * fullScale
                guard abs(scaled) <= 2_147_483_647 else { continue }
                if Int32(nearest: scaled) != Int32(scaled.rounded(.toNearestOrEven)) { differing.append(value) }
            }
        }
        #expect(differing.isEmpty)
    }

    @Test(
        "is the even one of two that are as near, up to both ends",
        arguments: [
            (0.5, 0), (-0.5, 0), (0.500_000_03, 1), (1.5, 2), (-2.5, -2), (0, 0), (2_147_483_647, .max),
            (-2_147_483_647.5, .min),
        ] as [(Double, Int32)])
    func halves(value: Double, expected: Int32) { #expect(Int32(nearest: value) == expected) }
}
