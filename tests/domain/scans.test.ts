import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fold } from '../../domain/decider.ts'
import { scans, type Listener, type Scan, type ScanCommand } from '../../domain/merchant/scans.ts'

const step = fc.record({
  wait: fc.constantFrom(0, 0, 10, 30),
  what: fc.oneof(
    fc.record({ type: fc.constant('scan' as const) }),
    fc.record({
      type: fc.constant('request' as const),
      maxScanAge: fc.constantFrom(0, 30, 600),
      expiresIn: fc.constantFrom(20, 100, 21_600),
      /** Clocks of nodes differ, and work interrupted by a crash is late. */
      late: fc.constantFrom(0, 0, 20),
    }),
    fc.record({ type: fc.constant('end' as const), latestBut: fc.nat(3) }),
    fc.record({ type: fc.constant('confirm' as const), latestBut: fc.nat(3) }),
  ),
})

const mayTake = (scan: Scan, { requestedAt, maxScanAge, expiresAt }: Listener, at: number) =>
  at < expiresAt && scan.scannedAt >= requestedAt - maxScanAge * 1000

/** The static-QR rules over plain lists, sorted by time; returns the matches. */
const oneCode = () => {
  const free: Scan[] = []
  const listening: Listener[] = []
  const matches = new Map<string, Scan>()
  const take = (scan: Scan, { tid }: Listener): string[] => {
    if (free.includes(scan)) free.splice(free.indexOf(scan), 1)
    listening.splice(0, Infinity, ...listening.filter((other) => other.tid !== tid))
    matches.set(tid, scan)
    return [`${scan.scan} ${tid}`]
  }
  const offer = (scan: Scan, at: number): string[] => {
    free.push(scan)
    free.sort((one, other) => one.scannedAt - other.scannedAt)
    const taker = listening.findLast((listener) => mayTake(scan, listener, at))
    return taker ? take(scan, taker) : []
  }
  return (command: ScanCommand): string[] => {
    switch (command.type) {
      case 'RecordScan':
        return offer(command.scan, command.scan.scannedAt)
      case 'AwaitScan': {
        const { listener, at } = command
        listening.push(listener)
        listening.sort((one, other) => one.requestedAt - other.requestedAt)
        const scan = free.findLast((scan) => mayTake(scan, listener, at))
        return scan ? take(scan, listener) : []
      }
      case 'ConfirmMatch':
        matches.delete(command.tid)
        return []
      case 'EndAwaiting': {
        const { tid, at } = command
        listening.splice(0, Infinity, ...listening.filter((other) => other.tid !== tid))
        const scan = matches.get(tid)
        matches.delete(tid)
        return scan ? offer(scan, at) : []
      }
    }
  }
}

test('in any order, each scan goes to the latest request that waits and may take it', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const expected = oneCode()
      const tids: string[] = []
      const scanOf = new Map<string, string>()
      let state = scans.initial
      let at = 1_000_000
      steps.forEach(({ wait, what }, index) => {
        at += wait * 1000
        const commandFor = (): ScanCommand | undefined => {
          if (what.type === 'scan') {
            const scan = { scan: `s${index}`, payer: 'alice', argstring: '', scannedAt: at }
            return { type: 'RecordScan', scan, tokenDigest: '' }
          }
          if (what.type === 'request') {
            const tid = `t${index}`
            tids.push(tid)
            const requestedAt = at - what.late * 1000
            const expiresAt = requestedAt + what.expiresIn * 1000
            const listener = { tid, requestedAt, maxScanAge: what.maxScanAge, expiresAt }
            return { type: 'AwaitScan', at, listener }
          }
          const tid = tids.at(-1 - what.latestBut)
          if (tid === undefined) return undefined
          if (what.type === 'end') return { type: 'EndAwaiting', at, tid }
          const scan = scanOf.get(tid)
          return scan === undefined ? undefined : { type: 'ConfirmMatch', tid, scan }
        }
        const command = commandFor()
        if (!command) return
        const events = scans.decide(command, state)
        const matched = events.flatMap(({ type, data }) => (type === 'ScanMatched' ? [data] : []))
        expect(matched.map(({ scan, tid }) => `${scan} ${tid}`)).toEqual(expected(command))
        for (const { tid, scan } of matched) scanOf.set(tid, scan)
        state = fold(scans, events, state)
      })
    }),
    { numRuns: 500 },
  )
})
