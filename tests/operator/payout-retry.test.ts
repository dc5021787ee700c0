// @module-tag long
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { makeVisitor, type Shown, type TestVisitor } from '../people/visitor.ts'

type Told = Readonly<Record<'settlement_id' | 'message_id' | 'end_to_end_id' | 'status', string>>

let service: PeopleService
/** Works in finance. */
let bob: TestVisitor
/** Owns the shop. */
let alice: TestVisitor
const folder = mkdtempSync(join(tmpdir(), 'daybook-retry-'))
const fileOf = (name: string) => join(folder, name)

beforeAll(async () => {
  service = await startPeopleService({ BANK_ACCOUNT: 'NO9386011117947' })
  await service.operator('operator', 'add', '+4799999902', '--role', 'finance')
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'owner')
  alice = makeVisitor(service)
  await alice.signIn('alice')
  bob = makeVisitor(service)
  await bob.signIn('bob')
  await sold('order-1')
  await sold('order-2')
  await service.operator('settle', '--pain001', fileOf('first.xml'))
  await sold('order-3')
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

const sold = async (pos_tid: string) => {
  const back = 'https://shop.example/back'
  const links = { success_return_uri: back, failure_return_uri: back }
  const { id } = await service.requestPayment({ amount: '100.00', pos_tid, ...links })
  await service.call('POST', `/sandbox/v1/payment_request/${id}/accept/`, {})
  await service.call('PUT', `/merchant/v1/payment_request/${id}/`, { action: 'capture' })
  await service.call('POST', '/sandbox/v1/settlement/', { merchant: 'sandbox' })
}

const payouts = async (...words: string[]) =>
  (await service.operator('payouts', ...words)) as unknown as readonly Told[]

const plain = ({ html }: Shown): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

/** The bank refuses to pay. */
const refuse = async ({ message_id, end_to_end_id }: Told) => {
  const report = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10">
  <CstmrPmtStsRpt><GrpHdr><MsgId>${end_to_end_id}</MsgId>
  <CreDtTm>2026-11-30T08:00:00</CreDtTm></GrpHdr>
  <OrgnlGrpInfAndSts><OrgnlMsgId>${message_id}</OrgnlMsgId></OrgnlGrpInfAndSts>
  <OrgnlPmtInfAndSts><TxInfAndSts><OrgnlEndToEndId>${end_to_end_id}</OrgnlEndToEndId>
  <TxSts>RJCT</TxSts></TxInfAndSts></OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`
  writeFileSync(fileOf('report.xml'), report)
  await service.operator('bank', 'import', fileOf('report.xml'))
}

const ofStatus = async () => {
  const all = await payouts()
  const count = (status: string) => all.filter((one) => one.status === status).length
  return { due: count('due'), ordered: count('ordered'), returned: count('returned') }
}

test('one payout that came back is tried again, and nothing else is ordered', async () => {
  const [one, other] = await payouts('--status', 'ordered')
  if (!one || !other) throw new Error('two are ordered')
  await refuse(one)
  await refuse(other)
  expect(await ofStatus()).toEqual({ due: 1, ordered: 0, returned: 2 })
  const file = fileOf('again.xml')
  const answer = await service.operator('payout-retry', one.settlement_id, '--pain001', file)
  expect(answer).toMatchObject({ payout_file: file, payouts_ordered: 1 })
  expect(await ofStatus()).toEqual({ due: 1, ordered: 1, returned: 1 })
  const text = readFileSync(file, 'utf8')
  expect(text).toContain(`<EndToEndId>${one.settlement_id}-NOK-2</EndToEndId>`)
  expect(text).not.toContain(other.settlement_id)
})

test('one that did not come back, or is tried already, is refused without a file', async () => {
  const [due] = await payouts('--status', 'due')
  const [ordered] = await payouts('--status', 'ordered')
  for (const [index, one] of [due, ordered].entries()) {
    const words = [one?.settlement_id ?? '', '--pain001', fileOf(`none-${index}.xml`)]
    await expect(service.operator('payout-retry', ...words)).rejects.toThrow('could not')
    expect(() => readFileSync(fileOf(`none-${index}.xml`))).toThrow('ENOENT')
  }
  expect(await ofStatus()).toEqual({ due: 1, ordered: 1, returned: 1 })
})

test('the page orders what came back of one settlement, once, and its owner sees it', async () => {
  const [back] = await payouts('--status', 'returned')
  const list = await bob.visit('/operator/payouts?status=returned')
  const [, href = ''] = /href="([^"]*again=[^"]*)"/.exec(list.html) ?? []
  const page = await bob.visit(href.replaceAll('&amp;', '&'))
  expect(plain(page)).toContain('What came back is ordered in a message of its own')
  expect((await bob.submit(page, { code: '' })).status).toBe(400)
  const answers = [
    await bob.submit(page, { code: codeOf('bob') }),
    await bob.submit(page, { code: codeOf('bob') }),
  ]
  expect(new Set(answers.map(({ location }) => location)).size).toBe(1)
  expect(answers[0]?.location).toMatch(/^\/operator\/payouts\/messages\/DAYBOOK-/)
  expect(await ofStatus()).toEqual({ due: 1, ordered: 2, returned: 0 })
  const serial = back?.settlement_id.split('-').at(-1)
  const portal = await alice.visit(`/portal/sandbox/money/settlements/${serial}`)
  expect(plain(portal)).toContain(`${back?.settlement_id}-NOK-2`)
})
