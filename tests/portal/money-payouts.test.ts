import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startPeopleService } from '../../harness/people-service.ts'
import { makeVisitor } from '../people/visitor.ts'
import { soldAndRefunded } from './sold.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-payouts-'))
const service = await startPeopleService({ BANK_ACCOUNT: 'NO9386011117947' })
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

/** The payout's badge and progress. */
const payoutIn = (html: string) => ({
  badge: /<span class="badge[^"]*">([^<]*)</.exec(html)?.[1],
  way: [...html.matchAll(/<li class="(?:done|later|bad)">([^<]*)</g)].map(([, step = '']) =>
    step.replace(/\d+ \w+\.? \d{4}|\w+ \d+, \d{4}|\d+\. \w+\.? \d{4}/, 'DAY'),
  ),
})

/** A file in which the bank refuses a whole order. */
const refusalOf = (order: string): string => {
  const [, message = ''] = /<MsgId>([^<]*)</.exec(readFileSync(order, 'utf8')) ?? []
  const report = join(folder, 'report.xml')
  writeFileSync(
    report,
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
    <GrpHdr><MsgId>r1</MsgId><CreDtTm>2026-11-30T08:00:00</CreDtTm></GrpHdr>
    <OrgnlGrpInfAndSts><OrgnlMsgId>${message}</OrgnlMsgId><GrpSts>RJCT</GrpSts>
    </OrgnlGrpInfAndSts></CstmrPmtStsRpt></Document>`,
  )
  return report
}

test('a payout is due, overdue, ordered, returned, and says no more than that', async () => {
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'owner')
  const alice = makeVisitor(service)
  await alice.signIn('alice')
  await soldAndRefunded(service)
  const payout = async (language = 'en') => {
    const headers = { 'Accept-Language': language }
    const page = await alice.visit('/portal/sandbox/money/settlements/1', { headers })
    return payoutIn(page.html)
  }
  expect(await payout()).toEqual({
    badge: 'Due',
    way: [
      'Settled DAY',
      'Due DAY, not ordered from the bank yet',
      'Marked as paid when it is on the bank statement',
    ],
  })
  await service.advance(10 * 86_400)
  await alice.signIn('alice')
  expect(await payout()).toEqual({
    badge: 'Overdue',
    way: [
      'Settled DAY',
      'Overdue since DAY, not ordered from the bank yet',
      'Marked as paid when it is on the bank statement',
    ],
  })
  expect((await payout('nb')).badge).toBe('Forfalt')
  expect((await alice.visit('/portal/sandbox/money')).html).toMatch(
    /class="badge warn">Overdue<\/span>\s*<span class="quiet">since /,
  )

  const order = join(folder, 'order.xml')
  await service.operator('settle', '--pain001', order)
  expect(await payout()).toEqual({
    badge: 'Ordered',
    way: [
      'Settled DAY',
      'Ordered, to be paid on DAY',
      'Marked as paid when it is on the bank statement',
    ],
  })
  expect((await payout('nb')).badge).toBe('Bestilt')

  const report = refusalOf(order)
  await service.operator('bank', 'import', report)
  expect(await payout()).toEqual({
    badge: 'Returned',
    way: [
      'Settled DAY',
      'Returned by the bank on DAY, to be ordered again',
      'Not ordered from the bank again yet',
      'Marked as paid when it is on the bank statement',
    ],
  })
})
