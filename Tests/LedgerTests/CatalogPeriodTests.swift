import Ledger
import Testing

@Suite struct CatalogPeriodTests {
    @Test(arguments: [
        ("P6M", "P6M"), ("P12M", "P1Y"), ("P1Y6M", "P1Y6M"), ("P2W", "P14D"), ("P30D", "P30D"),
        ("PT12H", "PT12H"), ("P1DT90M", "P1DT1H30M"), ("PT36H", "P1DT12H"), ("PT5S", "PT5S"),
    ])
    func `A duration is read and written in its shortest form`(text: String, shortest: String) {
        #expect(Period(text)?.description == shortest)
    }

    @Test(arguments: [
        "", "P", "6M", "P6", "PM", "P-1D", "P1.5D", "P1D1Y", "P1D1D", "PT", "P1DT", "P1H", "PT1D",
        "P0D", "P9999999D", "P101Y", "p6m", "P١D",
    ])
    func `What is no duration, or none that ends within a century, is refused`(text: String) {
        #expect(Period(text) == nil)
    }

    @Test(arguments: [
        // 2026-01-31 + 1 month ends on the last of February.
        ("P1M", 1_769_817_600_000, 1_772_236_800_000),
        // 2023-12-31T23:59:59.999Z + 2 months ends on 29 February.
        ("P2M", 1_704_067_199_999, 1_709_251_199_999),
        // 2026-08-15 + 6 months crosses the year.
        ("P6M", 1_786_752_000_000, 1_802_649_600_000),
        // 1969-12-15 + 1 month crosses 1970.
        ("P1M", -1_468_800_000, 1_209_600_000),
        ("P1DT1S", 0, 86_401_000),
    ])
    func `Months are those of the calendar`(text: String, start: Int64, end: Int64) {
        #expect(Period(text)?.end(from: start) == end)
    }

    @Test func `Extreme times do not trap`() {
        for text in ["P100Y", "P36525D", "P1200M"] {
            let period = Period(text)
            #expect(period != nil)
            _ = period?.end(from: .min)
            _ = period?.end(from: .max)
        }
    }
}
