import { describe, expect, test } from 'vitest'
import { isDueByRightClock } from '../../domain/calendar.ts'
import { callback, waitsTooLong } from '../../domain/callback.ts'
import { fold } from '../../domain/decider.ts'
import { scans, type Listener, type ScanEvent } from '../../domain/merchant/scans.ts'
import { grant } from '../../domain/people/grant.ts'
import { checkLockout } from '../../domain/people/lockout.ts'
import { payer } from '../../domain/people/payer.ts'
import { dayMs, stillLasts } from '../../domain/time.ts'

const now = Date.parse('2026-11-25T12:00:00Z')

/** From a clock that was 40 days ahead. */
const ahead = now + 40 * dayMs

describe('given a clock that was ahead and has been put back, then', () => {
  const daily = { timeZone: 'UTC', frequency: 'daily', startOfDay: '00:00' } as const
  test.each([
    ['lines and the last settlement of then', ahead, ahead - dayMs, true],
    ['lines of then, and no settlement', ahead, null, true],
    ['lines of then, and a settlement of yesterday', ahead, now - dayMs, true],
    ['lines of then, and a settlement of today', ahead, now - 3_600_000, false],
    ['lines of today, and a settlement of then', now - 3_600_000, ahead, false],
    ['lines of yesterday, and a settlement of then', now - dayMs, ahead, true],
    ['lines of two hours ahead, due tonight all the same', now + 7_200_000, null, false],
    ['lines of today by the clock of another machine', now + 900, now - 3_600_000, false],
  ])('%s: due now is %s, %s, %s', (_, unsettledSince, settledAt, isDue) => {
    expect(isDueByRightClock({ ...daily, unsettledSince, settledAt }, now)).toBe(isDue)
  })

  test.each([
    ['was to be told then', 0, ahead, true],
    ['was to be tried again in five minutes', 4, now + 300_000, false],
    ['is tried again in four hours, as the schedule has it', 10, now + 14_400_000, false],
    ['is tried again then', 3, ahead, true],
  ])('a message that %s waits too long: %s, %s, %s', (_, attempts, nextAttemptAt, isTooLong) => {
    expect(waitsTooLong({ attempts, nextAttemptAt }, now)).toBe(isTooLong)
  })

  test('a message that was never tried is brought forward, and one that has arrived is not', () => {
    const message = { subject: 'payment-a', revision: 1, event: 'payment_captured', seqno: 2 }
    const command = { type: 'BringForward', at: now, message } as const
    const data = { ...message, nextAttemptAt: now }
    expect(callback.decide(command, callback.initial)).toEqual([
      { type: 'CallbackRetryRequested', data },
    ])
    const about = { uri: 'http://a', attemptedAt: now, httpStatus: 200, problem: null }
    const arrived = { ...message, ...about, result: 'delivered', nextAttemptAt: null } as const
    const state = fold(callback, [{ type: 'CallbackAttempted', data: arrived }])
    expect(callback.decide(command, state)).toEqual([])
  })

  const listener = (tid: string, requestedAt: number): Listener => ({
    ...{ tid, requestedAt, maxScanAge: 60, expiresAt: ahead + dayMs },
  })
  const scan = (id: string, scannedAt: number) => ({
    ...{ scan: id, payer: 'alice', argstring: '', scannedAt },
  })
  const scanned = (id: string, at: number): ScanEvent => ({
    type: 'ShortlinkScanned',
    data: { ...scan(id, at), tokenDigest: id },
  })
  const matchesOf = (events: readonly ScanEvent[]) =>
    events.flatMap((event) => (event.type === 'ScanMatched' ? [event.data] : []))

  test('a scan of then is not fresh', () => {
    const state = fold(scans, [scanned('old', ahead)])
    const command = { type: 'AwaitScan', at: now, listener: listener('t', now) } as const
    expect(matchesOf(scans.decide(command, state))).toEqual([])
  })

  test('a request of then takes a scan of now, unless a later one waits', () => {
    const waits = (tid: string, at: number): ScanEvent => ({
      type: 'ScanAwaited',
      data: listener(tid, at),
    })
    const record = { type: 'RecordScan', scan: scan('new', now), tokenDigest: 'new' } as const
    const alone = fold(scans, [waits('then', ahead)])
    expect(matchesOf(scans.decide(record, alone))).toMatchObject([{ tid: 'then' }])
    const both = fold(scans, [waits('then', ahead), waits('now', now)])
    expect(matchesOf(scans.decide(record, both))).toMatchObject([{ tid: 'now' }])
  })

  test('nobody is locked out until then, and current lockouts stay', () => {
    expect(() => checkLockout({ failures: 5, lockedUntil: ahead }, now)).not.toThrow()
    const soon = { failures: 5, lockedUntil: now + 600_000 }
    expect(() => checkLockout(soon, now)).toThrow()
  })

  test('a one-time code of now is not taken for one that was used then', () => {
    const step = (at: number): number => Math.floor(at / 30_000)
    const registered = { type: 'PayerRegistered', data: { profile: '', credentials: '' } } as const
    const session = { session: 's', expiresAt: ahead }
    const signedIn = (at: number) =>
      ({ type: 'PayerSignedIn', data: { ...session, codeStep: step(at) } }) as const
    const command = { type: 'SignIn', at: now, codeStep: step(now), codesWorkOnce: true } as const
    const decide = (used: number) =>
      payer.decide({ ...command, ...session }, fold(payer, [registered, signedIn(used)]))[0]?.type
    expect(decide(ahead)).toBe('PayerSignedIn')
    expect(decide(now)).toBe('PayerSignInFailed')
    expect(decide(now + 30_000)).toBe('PayerSignInFailed')
  })

  test('a refresh token used at a time in the future does not count as a recent repeat', () => {
    const tokens = (issuedAt: number) => ({
      ...{ accessHash: 'a', refreshHash: 'r', issuedAt, expiresAt: issuedAt + 3_600_000 },
    })
    const granted = { scope: [], tokens: tokens(ahead) }
    const refreshed = { type: 'GrantRefreshed', data: { generation: 1, ...granted } } as const
    const command = { type: 'RefreshGrant', at: now, granted, presented: 0, scope: null } as const
    const events = grant.decide({ ...command, next: tokens(now) }, fold(grant, [refreshed]))
    expect(events).toEqual([{ type: 'GrantRevoked', data: { by: 'refresh_reuse' } }])
  })

  test('what lasts an hour lasts no longer', () => {
    expect(stillLasts(now + 3_600_000, 3600, now)).toBe(true)
    expect(stillLasts(now + 3_630_000, 3600, now)).toBe(true)
    expect(stillLasts(ahead, 3600, now)).toBe(false)
    expect(stillLasts(now, 3600, now)).toBe(false)
  })
})
