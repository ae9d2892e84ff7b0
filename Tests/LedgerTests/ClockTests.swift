import TestSupport
import Testing

@testable import Ledger

@Suite struct ClockTests {
    @Test func `a full counter carries into the milliseconds`() {
        var clock = HybridClock(last: Timestamp(value: 1000 << 16 | 0xFFFF))
        let next = clock.tick(wall: 1000)
        #expect(next.milliseconds == 1001)
        #expect(next.counter == 0)
    }

    @Test func `a remote time moves the clock at most five minutes past the wall`() {
        var clock = HybridClock()
        clock.observe(Timestamp(milliseconds: 10_000_000), wall: 1000)
        #expect(clock.last.milliseconds == 1000 + 5 * 60 * 1000)
        clock.observe(Timestamp(milliseconds: 2000), wall: 1000)
        #expect(clock.last.milliseconds == 1000 + 5 * 60 * 1000)
    }

    @Test func `the end of time is not passed`() {
        var clock = HybridClock(last: Timestamp(value: .max))
        #expect(clock.tick(wall: .max).value == .max)
    }

    @Test func `the clock never runs back, also over a restart`() throws {
        let test = try TestLedger()
        let first = try test.ledger.append(.primerShown("me", resource: "camera", at: phone))
        test.clock.advance(minutes: -60)
        let second = try test.ledger.append(.primerShown("me", resource: "camera", at: phone))
        #expect(second.event.header.timestamp > first.event.header.timestamp)
        #expect(second.event.payload?.wall == test.clock.milliseconds)
        try test.ledger.close()
        let again = try Ledger(openAt: test.path, environment: test.clock.environment)
        let third = try again.append(.primerShown("me", resource: "camera", at: phone))
        #expect(third.event.header.timestamp > second.event.header.timestamp)
    }

    @Test func `a wall clock far off marks what rests on it as doubtful`() throws {
        let test = try TestLedger()
        test.clock.advance(minutes: 60)
        try test.ledger.append(.primerShown("me", resource: "camera", at: phone))
        test.clock.advance(minutes: -60)
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        let query = StatusQuery("me", resource: "camera", at: phone)
        #expect(try test.ledger.status(query).hasDoubtfulClock)
    }

    @Test func `events of a device whose clock is ahead are taken and marked`() throws {
        let test = try TestLedger()
        let ahead = try test.joined(clock: ManualClock(test.clock.milliseconds + 3_600_000))
        var denial = Draft.denied("me", resource: "newsletter", at: nil)
        denial.payload.scope = .person
        for _ in 0..<10 { try ahead.ledger.append(denial) }
        try Exchange.merge(test.ledger, ahead.ledger)
        let query = StatusQuery("me", resource: "newsletter", at: nil)
        #expect(try test.ledger.status(query).status == .denied)
        #expect(try test.ledger.status(query).hasDoubtfulClock)
        #expect(
            try test.ledger.clock().logical.milliseconds <= test.clock.milliseconds + 300_000)
    }
}
