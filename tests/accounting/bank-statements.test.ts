// @module-tag long
// Long because it builds bank files with every possible content.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { planOf } from '../../domain/accounting/bank-facts.ts'
import { operatorHere } from '../../harness/operator.ts'
import { openPlace, type Place } from '../../harness/ledger-service.ts'
import { readLog } from '../support/event-log.ts'
import { readSettings } from '../../infrastructure/settings.ts'

const account = 'NO9386011117947'
const folder = mkdtempSync(join(tmpdir(), 'daybook-bank-'))
let place: Place
let files = 0

beforeAll(async () => {
  place = await openPlace()
})

afterAll(async () => {
  await place.stop()
  place.remove()
  rmSync(folder, { recursive: true })
})

const daybook = (...words: string[]) =>
  operatorHere(readSettings({ MODE: 'sandbox', DATA_DIR: place.directory, BANK_ACCOUNT: account }))(
    '--json',
    ...words,
  )
const told = async (...words: string[]) => {
  const { code, output, errors } = await daybook(...words)
  if (code !== 0) throw new Error(errors)
  return JSON.parse(output)
}
const newFile = (text: string | Uint8Array): string => {
  const file = join(folder, `${(files += 1)}.xml`)
  writeFileSync(file, text)
  return file
}
const load = (text: string) => told('bank', 'import', newFile(text))
const numberOfEvents = async () => (await readLog(place.directory)).length

type Payout = { settlement_id: string; end_to_end_id: string; message_id: string; status: string }

/** Settles a capture and orders its payout. */
const orderedPayout = async (amount: string): Promise<Payout & { amount: string }> => {
  await place.capture(await place.authorize({ amount }))
  await place.sandbox('settlement/', { merchant: 'sandbox' })
  await told('settle', '--pain001', join(folder, `${(files += 1)}-order.xml`))
  return (await told('payouts', '--status', 'ordered'))[0]
}
const payoutOf = async ({ settlement_id }: Payout) =>
  (await told('payouts')).find((one: Payout) => one.settlement_id === settlement_id)
const shownBy = async ({ settlement_id }: Payout) => {
  const serial = settlement_id.split('-').at(-1)
  return (await place.get(`/merchant/v1/settlement/${serial}/`)).payout_details[0]
}
const balances = async () => (await told('status')).trial_balance[0]

type Movement = {
  readonly amount: string
  readonly side?: 'DBIT' | 'CRDT'
  readonly endToEndId?: string
  readonly messageId?: string
  readonly day?: string
  readonly status?: string
  readonly reference?: string
  readonly reason?: string
}

const refsOf = ({ endToEndId, messageId }: Movement): string =>
  (messageId === undefined ? '' : `<MsgId>${messageId}</MsgId>`) +
  (endToEndId === undefined ? '' : `<EndToEndId>${endToEndId}</EndToEndId>`)

const entryOf = (given: Movement): string => {
  const { amount, side = 'DBIT', day = '2026-11-30', status = '<Cd>BOOK</Cd>', reason } = given
  const back = reason === undefined ? '' : `<RtrInf><Rsn><Cd>${reason}</Cd></Rsn></RtrInf>`
  return `<Ntry><Amt Ccy="NOK">${amount}</Amt><CdtDbtInd>${side}</CdtDbtInd><Sts>${status}</Sts>
    <BookgDt><Dt>${day}</Dt></BookgDt><AcctSvcrRef>${given.reference ?? 'ref'}</AcctSvcrRef>
    <NtryDtls><TxDtls><Refs>${refsOf(given)}</Refs>${back}</TxDtls></NtryDtls></Ntry>`
}

const statement = (entries: readonly string[], id = `s${(files += 1)}`, of = account): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
  <GrpHdr><MsgId>${id}</MsgId><CreDtTm>2026-12-01T06:00:00+01:00</CreDtTm></GrpHdr>
  <Stmt><Id>${id}</Id><CreDtTm>2026-12-01T06:00:00+01:00</CreDtTm>
    <Acct><Id><IBAN>${of}</IBAN></Id></Acct>${entries.join('\n')}</Stmt>
</BkToCstmrStmt></Document>`

const notification = (entries: readonly string[]): string =>
  statement(entries)
    .replaceAll('BkToCstmrStmt', 'BkToCstmrDbtCdtNtfctn')
    .replaceAll(/(<\/?)Stmt>/g, '$1Ntfctn>')
    .replace('camt.053', 'camt.054')

const report = (messageId: string, inner: string): string =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
  <GrpHdr><MsgId>r1</MsgId><CreDtTm>2026-11-30T08:00:00</CreDtTm></GrpHdr>
  <OrgnlGrpInfAndSts><OrgnlMsgId>${messageId}</OrgnlMsgId></OrgnlGrpInfAndSts>${inner}
</CstmrPmtStsRpt></Document>`

const of = ({ end_to_end_id, message_id, amount }: Payout & { amount: string }): Movement => ({
  ...{ endToEndId: end_to_end_id, messageId: message_id, amount },
})

test('given an ordered payout, when a statement has it, then it is paid', async () => {
  const payout = await orderedPayout('100.00')
  expect(payout).toMatchObject({ status: 'ordered', amount: '83.20', paid_on: null })
  expect(await shownBy(payout)).toMatchObject({ status: 'ordered' })
  expect(await balances()).toMatchObject({ payout_clearing: '-83.20', bank: '0.00' })

  const file = newFile(statement([entryOf(of(payout))]))
  const answer = await told('bank', 'import', file)
  expect(answer).toMatchObject({ kind: 'camt.053', payouts_paid: 1, not_matched: 0 })
  expect(await payoutOf(payout)).toMatchObject({ status: 'paid', paid_on: '2026-11-30' })
  expect(await shownBy(payout)).toMatchObject({ status: 'paid', paid_on: '2026-11-30' })
  expect(await balances()).toMatchObject({
    ...{ payout_clearing: '0.00', bank: '-83.20', payouts_payable: '0.00', imbalance: '0.00' },
  })

  const events = await numberOfEvents()
  expect(await told('bank', 'import', file)).toMatchObject({ payouts_paid: 0, known_already: 1 })
  // Also in a notification, which the bank may send on another day.
  const again = await load(notification([entryOf({ ...of(payout) })]))
  expect(again).toMatchObject({ kind: 'camt.054', payouts_paid: 0, known_already: 1 })
  expect(await numberOfEvents()).toBe(events)
})

test('given a paid payout that comes back, then it is due, ordered and paid again', async () => {
  const payout = await orderedPayout('200.00')
  const back = { ...of(payout), side: 'CRDT', day: '2026-12-02', reason: 'AC04' } as const
  const both = statement([entryOf(back), entryOf(of(payout))])
  expect(await load(both)).toMatchObject({ payouts_paid: 1, payouts_returned: 1, not_matched: 0 })
  expect(await payoutOf(payout)).toMatchObject({
    ...{ status: 'returned', returned_on: '2026-12-02', return_code: 'AC04' },
    return_in_words: 'AC04 (the account is closed)',
  })
  expect(await shownBy(payout)).toMatchObject({ status: 'returned', return_reason: 'AC04' })
  expect(await balances()).toMatchObject({ payouts_payable: '-183.20', imbalance: '0.00' })
  expect((await told('status')).payouts_to_order).toBe(1)

  const file = join(folder, 'again.xml')
  await told('settle', '--pain001', file)
  const ordered = await payoutOf(payout)
  expect(ordered).toMatchObject({
    ...{ status: 'ordered', end_to_end_id: `${payout.end_to_end_id}-2` },
  })
  expect(readFileSync(file, 'utf8')).toContain(`<EndToEndId>${payout.end_to_end_id}-2<`)
  const events = await numberOfEvents()
  expect(await load(both)).toMatchObject({ known_already: 2, not_matched: 0 })
  expect(await numberOfEvents()).toBe(events)
  await load(statement([entryOf({ ...of(ordered), day: '2026-12-04' })]))
  expect(await payoutOf(payout)).toMatchObject({ status: 'paid', paid_on: '2026-12-04' })
  expect(await shownBy(payout)).not.toHaveProperty('return_reason')
  // The file of the first message can still be written.
  const first = join(folder, 'first.xml')
  await told('settle', '--again', payout.message_id, '--pain001', first)
  expect(readFileSync(first, 'utf8')).toContain(`<EndToEndId>${payout.end_to_end_id}<`)
})

test('given a status report that refuses a payout, then it is due again, once', async () => {
  const payout = await orderedPayout('300.00')
  const refused = report(
    payout.message_id,
    `<OrgnlPmtInfAndSts><OrgnlPmtInfId>x-1</OrgnlPmtInfId><TxInfAndSts>
      <OrgnlEndToEndId>${payout.end_to_end_id}</OrgnlEndToEndId><TxSts>RJCT</TxSts>
      <StsRsnInf><Rsn><Cd>AC01</Cd></Rsn>
      <AddtlInf>No such account &amp; branch</AddtlInf></StsRsnInf>
    </TxInfAndSts></OrgnlPmtInfAndSts>`,
  )
  expect(await load(refused)).toMatchObject({ kind: 'pain.002', payouts_returned: 1 })
  expect(await payoutOf(payout)).toMatchObject({
    ...{ status: 'returned', return_code: 'AC01', return_reason: 'No such account & branch' },
  })
  const events = await numberOfEvents()
  expect(await load(refused)).toMatchObject({ payouts_returned: 0, known_already: 1 })
  expect(await numberOfEvents()).toBe(events)
  expect(await balances()).toMatchObject({ payout_clearing: '0.00', imbalance: '0.00' })
  await told('settle', '--pain001', join(folder, 'refused.xml'))
  const ordered = await payoutOf(payout)
  const whole = report(ordered.message_id, '').replace('</OrgnlMsgId>', '$&<GrpSts>RJCT</GrpSts>')
  expect(await load(whole)).toMatchObject({ payouts_returned: 1 })
  await told('settle', '--pain001', join(folder, 'whole.xml'))
  await load(statement([entryOf(of(await payoutOf(payout)))]))
  expect(await payoutOf(payout)).toMatchObject({ status: 'paid' })
})

test('given payouts that the bank books as one entry, then all of them are paid', async () => {
  await place.capture(await place.authorize({ amount: '150.00' }))
  await place.sandbox('settlement/', { merchant: 'sandbox' })
  await place.capture(await place.authorize({ amount: '250.00' }))
  await place.sandbox('settlement/', { merchant: 'sandbox' })
  await told('settle', '--pain001', join(folder, 'both.xml'))
  const [one, other] = await told('payouts', '--status', 'ordered')
  expect(one.message_id).toBe(other.message_id)
  const sum = (Number(one.amount) + Number(other.amount)).toFixed(2)
  const batch = `<Ntry><Amt Ccy="NOK">${sum}</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts>
    <BookgDt><DtTm>2026-12-01T00:00:00+01:00</DtTm></BookgDt>
    <NtryDtls><Btch><PmtInfId>${one.message_id}-1</PmtInfId><NbOfTxs>2</NbOfTxs></Btch>
    </NtryDtls></Ntry>`
  expect(await load(statement([batch]))).toMatchObject({ payouts_paid: 2, not_matched: 0 })
  expect(await told('payouts', '--status', 'ordered')).toEqual([])
})

test('given an entry that an import has begun to record, then it pays its own day alone', () => {
  const entry = {
    id: 'e',
    side: 'debit',
    amount: '100',
    currency: 'NOK',
    day: '2026-12-01',
  } as const
  const names = { account, endToEndId: null, messageId: 'M', reference: 'r' }
  const fact = { ...entry, ...names, source: { kind: 'camt.053', id: 's' } }
  const order = (serial: number, day: string, debits: readonly string[]) => {
    const status = debits.length > 0 ? ('paid' as const) : ('ordered' as const)
    const ids = { endToEndId: `S-${serial}-NOK`, paymentId: `M-${serial}` }
    const of = { ...ids, day, amount: '100', currency: 'NOK', isCurrent: true, status }
    return { ...of, serial, debits, credits: [], isRejected: false }
  }
  const found = (debits: readonly string[]) => {
    const all = [order(1, '2026-12-01', debits), order(2, '2026-12-02', [])]
    const verdict = planOf('M', all, [fact], []).verdicts.get('e')
    return verdict?.problem === undefined && verdict?.orders.map(({ serial }) => serial)
  }
  expect(found([])).toEqual([1])
  expect(found(['e'])).toEqual([1])
  expect(found(['another'])).toEqual([2])
})

describe('given entries that are those of no payout, then they are listed with the reason:', () => {
  const listed = async () => told('bank', 'list')

  test.each([
    ['another amount', { amount: '1.00' }, 'other amount'],
    ['another message', { messageId: 'DAYBOOK-0' }, 'other message'],
    ['an id of nobody', { endToEndId: 'AAAAAA-2026-01-01-1-NOK' }, 'unknown payout'],
    ['no id at all', { endToEndId: 'NOTPROVIDED', messageId: undefined }, 'names no payout'],
    ['money that comes back before it has left', { side: 'CRDT' }, 'payout is not paid'],
  ] as const)('%s', async (_, change, why) => {
    const [known] = await told('payouts', '--status', 'ordered')
    const payout = known ?? (await orderedPayout('500.00'))
    const before = await listed()
    const file = statement([entryOf({ ...of(payout), ...change } as Movement)])
    expect(await load(file)).toMatchObject({ payouts_paid: 0, payouts_returned: 0, not_matched: 1 })
    expect(await load(file)).toMatchObject({ known_already: 1, not_matched: 0 })
    const after = await listed()
    expect(after).toHaveLength(before.length + 1)
    expect(after.at(-1)).toMatchObject({ why, currency: 'NOK', day: '2026-11-30' })
    expect(await payoutOf(payout)).toMatchObject({ status: 'ordered' })
  })

  test('a payout that is paid twice', async () => {
    const [payout] = await told('payouts', '--status', 'ordered')
    const paid = entryOf(of(payout))
    expect(await load(statement([paid, paid]))).toMatchObject({ payouts_paid: 1, not_matched: 1 })
    expect((await listed()).at(-1)).toMatchObject({ why: 'payout is paid' })
  })

  test('until the operator says what an entry is', async () => {
    const [entry, ...others] = await listed()
    await told('bank', 'dismiss', entry.id, '--note', 'fee of the bank')
    expect(await listed()).toEqual(others)
  })
})

test('what is not booked yet is passed over', async () => {
  const pending = entryOf({ amount: '5.00', status: 'PDNG' })
  expect(await load(statement([pending]))).toMatchObject({ passed_over: 1, not_matched: 0 })
})

describe('a file that is not read, and why:', () => {
  test.each([
    [
      '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><Document>&b;</Document>',
      /has a document type/,
    ],
    ['<Document><BkToCstmrStmt></Document>', /is not XML: line 1/],
    [
      '<Document><Other/></Document>',
      /is not an ISO 20022 camt.052, camt.053, camt.054 or pain.002/,
    ],
    ['nothing', /is not XML|is not an ISO 20022 camt/],
    [statement([entryOf({ amount: '1.00', day: '2026-02-30' })]), /2026-02-30 is not a day/],
    [statement([entryOf({ amount: '9'.repeat(21) })]), /9 of NOK: .*too many digits/],
    ['<Document><__proto__/></Document>', /cannot be read/],
    ['<?xml version="1.0" encoding="UTF-16"?><Document/>', /is in UTF-16; it has to be in UTF-8/],
    [
      statement([], 's', 'NO2830000099999'),
      /is of account NO2830000099999, and BANK_ACCOUNT is NO93/,
    ],
  ])('%s', async (text, why) => {
    const events = await numberOfEvents()
    const { code, errors } = await daybook('bank', 'import', newFile(text))
    expect([code, errors]).toEqual([1, expect.stringMatching(why)])
    expect(await numberOfEvents()).toBe(events)
  })

  test('one that is nested deeply', async () => {
    const text = `<Document>${'<a>'.repeat(2000)}${'</a>'.repeat(2000)}</Document>`
    const { code, errors } = await daybook('bank', 'import', newFile(text))
    expect([code, errors]).toEqual([1, expect.stringMatching(/cannot be read/)])
  })

  test('bytes that are no UTF-8', async () => {
    const { errors } = await daybook('bank', 'import', newFile(Uint8Array.of(60, 65, 62, 255)))
    expect(errors).toMatch(/says that it is in utf-8, and is not/)
  })
})

test('given all of that, then every payout follows from the log by the rules', async () => {
  expect(await told('audit', 'verify')).toMatchObject({ problems: [] })
})
