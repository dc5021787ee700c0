// @module-tag long
// Long because it is one day of finance, from due payouts to the books.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs, dayOf } from '../../domain/time.ts'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { problemsOfPayoutFile } from '../accounting/payout-file-structure.ts'
import { formIn, makeVisitor, type Shown, type TestVisitor } from '../people/visitor.ts'
import { soldAndRefunded } from '../portal/sold.ts'

let service: PeopleService
/** Works in finance. */
let bob: TestVisitor
const folder = mkdtempSync(join(tmpdir(), 'daybook-operator-money-'))
const bank = 'NO9386011117947'

beforeAll(async () => {
  service = await startPeopleService({ BANK_ACCOUNT: bank })
  await service.operator('operator', 'add', '+4799999902', '--role', 'finance')
  bob = makeVisitor(service)
  await bob.signIn('bob')
  await soldAndRefunded(service)
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

const plain = ({ html }: Shown): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[\s\u00a0]+/g, ' ')
    .replaceAll('−', '-')
const any = { headers: { Accept: '*/*' } }

type Told = {
  readonly settlement_id: string
  readonly amount: string
  readonly message_id: string
  readonly end_to_end_id: string
}
const payouts = async (status: string) =>
  (await service.operator('payouts', '--status', status)) as unknown as readonly Told[]
const eventsOf = async (type: string) =>
  (await service.events()).filter((event) => event.type === type)

test('given a due payout, then the page shows the same as the command', async () => {
  const [due] = await payouts('due')
  const page = await bob.visit('/operator/payouts')
  expect(page.status).toBe(200)
  expect(plain(page)).toContain(`NOK ${due?.amount}`)
  expect(page.html).toMatch(/<td[^>]*>\s*NO9386011117947\s*</)
  const story = /href="(\/operator\/story\?subject=sandbox%2F1)">([^<]*)</.exec(page.html)
  expect(story?.[2]).toBe(due?.settlement_id)
  const told = await bob.visit(story?.[1] ?? '')
  expect(told.status).toBe(200)
  expect(plain(told)).toContain(due?.settlement_id)
  const norwegian = { headers: { 'Accept-Language': 'nb' } }
  const inNorwegian = plain(await bob.visit(story?.[1] ?? '', norwegian))
  expect(inNorwegian).toContain('linjene som flytter penger')
  expect(inNorwegian).not.toMatch(/ (?:is|it|the|by|because) /)
  expect(plain(await bob.visit('/operator/payouts?status=due&merchant=nobody'))).toContain(
    'There are none.',
  )
})

test('given no second factor, when what is due is to be ordered, then nothing is', async () => {
  const page = await bob.visit('/operator/payouts')
  const answer = await bob.submit(page, { code: '' })
  const wrong = await bob.submit(answer, { code: '000000' })
  expect([answer.status, wrong.status]).toEqual([400, 400])
  expect(wrong.html).toContain('The code is wrong.')
  const messageIn = ({ html }: typeof page) =>
    formIn(html, 'message').fields.find(([name]) => name === 'message')
  expect(messageIn(wrong)).toEqual(messageIn(page))
  expect(await eventsOf('PayoutOrdered')).toEqual([])
})

test('given a form that is sent twice, then one message orders', async () => {
  const page = await bob.visit('/operator/payouts')
  const { action, fields } = formIn(page.html, 'message')
  const given = fields.filter(([name]) => name !== 'code')
  const body = () => new URLSearchParams([...given, ['code', codeOf('bob')]] as string[][])
  const [first, second] = await Promise.all(
    [body(), body()].map((one) => bob.visit(action, { method: 'POST', body: one })),
  )
  const [order, ...more] = await eventsOf('PayoutOrdered')
  expect(more).toEqual([])
  const { messageId } = order?.data as { readonly messageId: string }
  const ways = [first, second].flatMap((one) => one?.location ?? [])
  expect(ways).toContain(`/operator/payouts/messages/${messageId}`)
  expect(order?.metadata['actor']).toMatch(/^operator:[\w-]{16}/)

  const message = await bob.visit(`/operator/payouts/messages/${messageId}`)
  const [ordered] = await payouts('ordered')
  expect(ordered?.message_id).toBe(messageId)
  expect(plain(message)).toContain(`NOK ${ordered?.amount}`)
  expect(plain(message)).toContain(ordered?.end_to_end_id)
  const xml = await bob.visit(`/operator/payouts/messages/${messageId}/pain001.xml`, any)
  expect(xml.headers.get('content-disposition')).toBe(`attachment; filename="${messageId}.xml"`)
  expect(problemsOfPayoutFile(xml.html)).toEqual([])
  const file = join(folder, 'again.xml')
  await service.operator('settle', '--again', messageId, '--pain001', file)
  const withoutTime = (text: string) => text.replace(/<CreDtTm>[^<]*</, '<CreDtTm><')
  expect(withoutTime(xml.html)).toBe(withoutTime(readFileSync(file, 'utf8')))
})

const statement = (entries: string, of = bank): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
  <GrpHdr><MsgId>s1</MsgId><CreDtTm>2026-12-01T06:00:00+01:00</CreDtTm></GrpHdr>
  <Stmt><Id>s1</Id><CreDtTm>2026-12-01T06:00:00+01:00</CreDtTm>
    <Acct><Id><IBAN>${of}</IBAN></Id></Acct>${entries}</Stmt>
</BkToCstmrStmt></Document>`

const entry = (amount: string, endToEndId: string, day = dayOf(service.core.now())): string =>
  `<Ntry><Amt Ccy="NOK">${amount}</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
    <BookgDt><Dt>${day}</Dt></BookgDt><AcctSvcrRef>ref</AcctSvcrRef>
    <NtryDtls><TxDtls><Refs><EndToEndId>${endToEndId}</EndToEndId></Refs></TxDtls></NtryDtls>
    </Ntry>`

/** Uploads a file through the page's form. */
const upload = async (text: string, name = 'statement.xml'): Promise<Shown> => {
  const page = await bob.visit('/operator/payouts/bank')
  const { action, fields } = formIn(page.html, 'file')
  const body = new FormData()
  for (const [field, value] of fields) if (field !== 'file') body.append(field, value)
  body.append('file', new Blob([text], { type: 'text/xml' }), name)
  return bob.visit(action, { method: 'POST', body })
}

test('given files that are none of the bank, then the page says why', async () => {
  const before = await service.recorded()
  const other = await upload('<a/>', 'holiday.xml')
  expect(other.status).toBe(400)
  expect(plain(other)).toContain(
    'holiday.xml is not an ISO 20022 camt.052, camt.053, camt.054 or pain.002 file',
  )
  expect(plain(await upload('no XML'))).toContain('statement.xml is not XML')
  const elsewhere = await upload(statement(entry('1.00', 'x'), 'NO0000000000000'))
  expect(plain(elsewhere)).toContain(`BANK_ACCOUNT is ${bank}`)
  expect(await service.recorded()).toEqual(before)
})

test('given a file of 4 MB that is wrong, then the page is small', { tags: 'long' }, async () => {
  const long = 'x'.repeat(4_000_000)
  for (const text of [long, `<${long}/>`, statement(entry(long, 'x')), statement('', long)]) {
    const page = await upload(text, `${'n'.repeat(100_000)}.xml`)
    expect([page.status, page.html.length < 20_000]).toEqual([400, true])
  }
  const many = statement(entry('1.00', 'x').repeat(10_000))
  const page = await upload(many)
  expect([page.status, page.html.length < 20_000]).toEqual([400, true])
})

test('given other accounts beside ours, then the page is small and names them', async () => {
  const others = Array.from({ length: 5_000 }, (_, n) =>
    statement(entry('1.00', 'x'), `other-${n}`).replace(/^[^]*?(?=<Stmt>)/, ''),
  )
  const inner = others.join('').replaceAll('</BkToCstmrStmt></Document>', '')
  const ours = statement(entry('1.00', 'x').replace('BOOK', 'PDNG'))
  const page = await upload(ours.replace('<Stmt>', `${inner}<Stmt>`))
  expect([page.status, page.html.length < 20_000]).toEqual([200, true])
  expect(plain(page)).toMatch(/other-0 \(1\), .*other-9 \(1\) …/)
})

test('given a statement, when it is imported, then each entry is printed', async () => {
  const [ordered] = await payouts('ordered')
  const { amount = '', end_to_end_id = '' } = ordered ?? {}
  const text = statement(entry(amount, end_to_end_id) + entry('12.00', 'FEE-NOK'))
  const page = await upload(text)
  expect(page.status).toBe(200)
  expect(plain(page)).toMatch(/Paid 1 Returned 0 Not matched 1 Known already 0/)
  expect(plain(page)).toContain('There is no such payout')
  expect((await payouts('paid')).map((one) => one.settlement_id)).toEqual([ordered?.settlement_id])
  expect(plain(await bob.visit('/operator/payouts?status=paid'))).toContain(amount)
  const again = await upload(text)
  expect(plain(again)).toMatch(/Paid 0 Returned 0 Not matched 0 Known already 2/)

  const open = await bob.visit('/operator/payouts/bank')
  expect(plain(open)).toContain('NOK 12.00')
  const href = /href="(\/operator\/payouts\/bank\/[\da-f]{32})"/.exec(open.html)?.[1] ?? ''
  const shown = await bob.visit(href)
  expect(plain(shown)).toContain('FEE-NOK')
  expect((await bob.submit(shown, { note: 'a fee of the bank' })).location).toBe(
    '/operator/payouts/bank',
  )
  expect(plain(await bob.visit('/operator/payouts/bank'))).toContain('Nothing waits')
  expect(await service.operator('bank', 'list')).toEqual([])
})

test('given the journal, then its trial balance is that of the command', async () => {
  const status = (await service.operator('status')) as unknown as {
    readonly trial_balance: readonly Record<string, string>[]
  }
  const told = status.trial_balance[0] ?? {}
  const page = plain(await bob.visit('/operator/journal'))
  const debit = (name: string, sum = '') => expect(page).toContain(`${name} NOK ${sum}`)
  debit('Payers, clearing', told['payer_clearing'])
  debit('Bank', told['bank']?.slice(1))
  debit('Fee income', told['fee_income']?.slice(1))
  expect(told['imbalance']).toBe('0.00')
  expect(page).toContain('Debits equal credits.')
  const [, debits, credits] = /Sum NOK ([\d.,]+) NOK ([\d.,]+)/.exec(page) ?? []
  expect(debits).toBe(credits)
  expect(debits).toBeDefined()
  const earlier = plain(await bob.visit('/operator/journal?day=2020-01-01'))
  expect(earlier).toContain('Nothing was posted until that day.')
  const norwegian = await bob.visit('/operator/journal', { headers: { 'Accept-Language': 'nb' } })
  expect(norwegian.html).toContain('<h1>Saldobalanse</h1>')
})

test('given entries, then each leads on, and their CSV is that of the export', async () => {
  const page = await bob.visit('/operator/journal/entries')
  expect(plain(page)).toContain('Payout paid · Event')
  const event = /href="(\/operator\/events\/\d+)"/.exec(page.html)?.[1] ?? ''
  expect(plain(await bob.visit(event))).toContain('PayoutPaid')
  const tid = /href="(\/operator\/story\?subject=[\w-]+)"><code>/.exec(page.html)?.[1] ?? ''
  expect((await bob.visit(tid)).status).toBe(200)
  const ofBank = plain(await bob.visit('/operator/journal/entries?account=bank'))
  expect(ofBank).toContain('Payout paid')
  expect(ofBank).not.toContain('Capture ·')
  for (const none of ['merchant=nobody', 'day=2020-01-01', 'until=2020-01-01'])
    expect(plain(await bob.visit(`/operator/journal/entries?${none}`))).toContain('no such entries')

  const csv = await bob.visit('/operator/journal/entries.csv', any)
  const cookie = [...bob.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const path = `${service.address}/operator/journal/entries.csv`
  const bytes = await (await fetch(path, { headers: { Cookie: cookie } })).arrayBuffer()
  expect(Buffer.from(bytes).toString()).toBe(`\ufeff${csv.html}`)
  const out = join(folder, 'export')
  await service.operator('audit', 'export', '--out', out)
  const lines = (text: string) => text.trimEnd().split('\n')
  const exported = lines(readFileSync(join(out, 'journal.csv'), 'utf8'))
  expect(lines(csv.html).toSorted()).toEqual(exported.toSorted())
  expect(exported.length).toBeGreaterThan(5)
})

test('given an account, or nothing, then there is no story: it would read the log', async () => {
  for (const subject of ['bank', 'merchant_payable/sandbox', 'nothing', ''])
    expect((await bob.visit(`/operator/story?subject=${subject}`)).status).toBe(404)
  expect((await bob.visit('/operator/events/999999')).status).toBe(404)
})

test('given a message that the bank may have, then its form orders nothing more', async () => {
  const [{ data } = { data: {} }] = await eventsOf('PayoutOrdered')
  const { messageId: message } = data as { readonly messageId: string }
  const count = (await eventsOf('PayoutOrdered')).length
  await soldAndRefunded(service, 'r2')
  const page = await bob.visit('/operator/payouts')
  const old = await bob.submit(page, { message, code: codeOf('bob') })
  expect(old.location).toBe(`/operator/payouts/messages/${message}`)
  expect(await eventsOf('PayoutOrdered')).toHaveLength(count)
  const fresh = await bob.submit(page, { code: codeOf('bob') })
  expect(fresh.location).not.toBe(old.location)
  expect((await eventsOf('PayoutOrdered')).length).toBeGreaterThan(count)
})

test('given a payout booked days before it was read, then its booking day finds it', async () => {
  const ordered = dayOf(service.core.now())
  await service.advance(4 * 86_400)
  await bob.signIn('bob')
  const booked = dayOf(service.core.now() - 2 * dayMs)
  const read = dayOf(service.core.now())
  const [payout] = await payouts('ordered')
  const { amount = '', end_to_end_id = '' } = payout ?? {}
  const bankBefore = plain(await bob.visit(`/operator/journal?day=${read}`))
  expect(plain(await upload(statement(entry(amount, end_to_end_id, booked))))).toContain('Paid 1')

  const ofBank = async (days: string) =>
    plain(await bob.visit(`/operator/journal/entries?account=bank&${days}`))
  expect(await ofBank(`day=${booked}`)).toContain('Payout paid')
  expect(await ofBank(`day=${booked}&merchant=sandbox`)).toContain('Payout paid')
  expect(await ofBank(`day=${booked}&merchant=nobody`)).toContain('no such entries')
  expect(await ofBank(`day=${read}`)).toContain('no such entries')
  expect(await ofBank(`until=${booked}`)).toContain(amount)
  const csv = await bob.visit(`/operator/journal/entries.csv?account=bank&day=${booked}`, any)
  const days = csv.html.trimEnd().split('\n').slice(1)
  expect(days.map((line) => line.split(',')[1])).toEqual([booked, booked])
  expect(await ofBank('day=2026-02-31')).toBe(await ofBank(''))

  const sumOfBank = (page: string) => /Bank NOK ([\d.,-]+)/.exec(page)?.[1]
  const balance = async (day: string) =>
    sumOfBank(plain(await bob.visit(`/operator/journal?day=${day}`)))
  expect(await balance(booked)).toBe(await balance(read))
  expect(await balance(read)).not.toBe(sumOfBank(bankBefore))
  expect(await balance(dayOf(Date.parse(booked) - dayMs))).toBe(sumOfBank(bankBefore))
  const captures = plain(await bob.visit(`/operator/journal/entries?day=${ordered}`))
  expect(captures).toContain('Capture ·')
  expect(captures.match(/Payout paid · Event/g)).toHaveLength(1)
})
