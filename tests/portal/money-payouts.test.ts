// @module-tag long
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startPeopleService } from '../support/people-service.ts'
import { makeVisitor } from '../people/visitor.ts'
import { houseAccount, paidStatement } from './paid-statement.ts'
import { soldAndRefunded } from './sold.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-payouts-'))
const service = await startPeopleService({ BANK_ACCOUNT: houseAccount })
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

/** The payout's badge and progress. */
const payoutIn = (html: string) => ({
  badge: /<span class="badge[^"]*">([^<]*)</.exec(html)?.[1],
  way: [...html.matchAll(/<li class="(?:done|later|bad)">([^<]*)</g)].map(([, step = '']) =>
    step.replace(/\b[A-Z][a-z]{2} \d+(?:, \d{4})?/, 'DAY'),
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
    <StsRsnInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>Closed</AddtlInf></StsRsnInf>
    </OrgnlGrpInfAndSts></CstmrPmtStsRpt></Document>`,
  )
  return report
}

const alice = makeVisitor(service)

const payout = async (language = 'en') => {
  const headers = { 'Accept-Language': language }
  const page = await alice.visit('/portal/sandbox/money/settlements/1', { headers })
  return payoutIn(page.html)
}

test('a payout is due, overdue, ordered, returned, and says no more than that', async () => {
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'owner')
  await alice.signIn('alice')
  await soldAndRefunded(service)
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

/** The alarm of a returned payout, empty if there is none. */
const alarm = async (path = 'messages') => {
  const { html } = await alice.visit(`/portal/sandbox/${path}`)
  const row = /<span class="name">A payout[^]*?<\/form>/.exec(html)?.[0] ?? ''
  const links = [...row.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)
  return {
    links,
    text: row
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/[\s\u00a0]+/g, ' ')
      .trim(),
  }
}

test('an alarm tells which payout came back, why, and where to go', async () => {
  await expect.poll(async () => (await alarm()).text).not.toBe('')
  const { text, links } = await alarm()
  const reason =
    /A payout of NOK 431\.40 came .* to account (\w+), returned on .*: AC04 \(the account is closed/
  expect(text).toMatch(reason)
  expect(text).toMatch(
    /is closed\), Closed\. Check the payout account\. The amount is then paid out again\./,
  )
  const money = '/portal/sandbox/money'
  expect(links).toEqual([`${money}/settlements/1`, `${money}/account`])
  expect((await alarm('')).text).toBe(text)
  const shown = await alice.visit(`${money}/settlements/1`)
  expect(shown.html).toMatch(
    /The bank returned it\. Check the account; [^<]*<a href="[^"]*account"/,
  )
  expect(shown.html).toMatch(
    /to account \w+, returned on [^:]*: AC04 \(the account is closed\), Closed\./,
  )
})

test('once it is paid the alarm is gone, and its page still tells the return', async () => {
  const again = join(folder, 'again.xml')
  await service.operator('settle', '--pain001', again)
  const [, day = ''] = /<ReqdExctnDt>\s*<Dt>([^<]*)</.exec(readFileSync(again, 'utf8')) ?? []
  const paid = join(folder, 'paid.xml')
  writeFileSync(paid, paidStatement(again, day))
  await service.operator('bank', 'import', paid)
  await expect.poll(async () => (await payout()).badge).toBe('Paid')
  expect((await alarm()).text).toBe('')
  expect(await payout()).toEqual({
    badge: 'Paid',
    way: [
      'Settled DAY',
      'Returned by the bank on DAY',
      'Ordered, to be paid on DAY',
      'Paid, on the bank statement of DAY',
    ],
  })
  const settled = async () =>
    (await service.events())
      .filter(({ type }) => type === 'NoticeSettled')
      .map(({ metadata }) => metadata['actor'])
  await expect.poll(settled).toEqual(['daybook'])
})
