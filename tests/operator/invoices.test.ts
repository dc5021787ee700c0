import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { formIn, makeVisitor, type Shown, type TestVisitor } from '../people/visitor.ts'
import { operateCorrections } from '../../application/corrections.ts'

let service: PeopleService
/** Owns the shop. */
let alice: TestVisitor
/** Works in the operator's finance. */
let bob: TestVisitor

const path = '/operator/invoices'

beforeAll(async () => {
  service = await startPeopleService()
  await service.operator('operator', 'add', '+4799999902', '--role', 'finance')
  await service.operator('staff', 'add', 'sandbox', '+4799999901', '--role', 'owner')
  await signInAll()
})
afterAll(() => service.stop())

const signInAll = async () => {
  ;[alice, bob] = [makeVisitor(service), makeVisitor(service)]
  await alice.signIn('alice')
  await bob.signIn('bob')
}

const plain = ({ html }: Shown): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[\s\u00a0]+/g, ' ')
    .replaceAll('−', '-')

/** The shop owes this and the fee of a settlement, 15.00. */
const owe = async (amount: string) => {
  const id = `c-${Number(amount)}`
  const why = ['--reason', 'terminal', '--id', id]
  await service.operator('correction', 'propose', 'sandbox', `--amount=-${amount}`, ...why)
  await operateCorrections(service.core).approve(id, (merchant) =>
    service.core.contextOf('operator:another', merchant),
  )
  await service.call('POST', '/sandbox/v1/settlement/', { merchant: 'sandbox' })
}

const invoiceEvents = async () =>
  (await service.events()).filter(({ type }) =>
    /^(DebtBilled|InvoicePaid|DebtWrittenOff)$/.test(type),
  )

/** Sends the first form with the field, with a code. */
const sendForm = async (page: Shown, field: string, values: Readonly<Record<string, string>>) => {
  const { action, fields } = formIn(page.html, field)
  const body = new URLSearchParams({ ...Object.fromEntries(fields), ...values })
  return bob.visit(action, { method: 'POST', body })
}

/** Another person approves what waits. */
const approve = async (): Promise<void> => {
  for (const { id } of (await service.operator('correction', 'list')) as unknown as {
    readonly id: string
  }[])
    await operateCorrections(service.core).approve(id, (merchant) =>
      service.core.contextOf('operator:another', merchant),
    )
}

const coded = () => ({ code: codeOf('bob') })

test('a debt is invoiced with a code alone, once, and never as another sum', async () => {
  await owe('100.00')
  const page = await bob.visit(path)
  expect(plain(page)).toMatch(/No invoice is open\..*-?NOK 115.00.*Invoice it/)
  expect(plain(await alice.visit('/portal/sandbox/money'))).toContain(
    'You owe NOK 115.00 from earlier settlements.',
  )
  expect((await sendForm(page, 'owed', { code: '' })).status).toBe(400)
  await owe('50.00')
  const stale = await sendForm(page, 'owed', coded())
  expect([stale.status, plain(stale)]).toEqual([
    400,
    expect.stringContaining('It owes another sum by now.'),
  ])
  expect(await invoiceEvents()).toEqual([])
  const fresh = await bob.visit(path)
  const sent = [await sendForm(fresh, 'owed', coded()), await sendForm(fresh, 'owed', coded())]
  expect(sent.map(({ location }) => location)).toEqual([path, path])
  const [billed, ...more] = await invoiceEvents()
  expect(more).toEqual([])
  expect(billed?.metadata['actor']).toMatch(/^operator:[\w-]{16}/)
  await service.advance(2 * 86_400)
  await signInAll()
  expect(plain(await bob.visit(path))).toMatch(/Open .*NOK 180.00 NOK 180.00 2 days/)
})

test('what came in is booked once another person approves, and the shop sees it', async () => {
  const list = await bob.visit(path)
  const [, href = ''] = /href="(\/operator\/invoices\/[^"]+)"/.exec(list.html) ?? []
  const page = await bob.visit(href)
  const paid = { amount: '100,00', day: '2026-12-03', reference: 'bank-1' }
  for (const wrong of [{ code: '' }, { amount: '0' }, { day: 'soon' }, { reference: ' ' }])
    expect((await sendForm(page, 'reference', { ...paid, ...coded(), ...wrong })).status).toBe(400)
  const tooMuch = await sendForm(page, 'reference', { ...paid, amount: '180.01', ...coded() })
  expect(plain(tooMuch)).toContain('More than what is open of the invoice.')
  for (const _ of ['once', 'again'])
    expect((await sendForm(page, 'reference', { ...paid, ...coded() })).location).toBe(
      '/operator/corrections',
    )
  expect(await invoiceEvents()).toHaveLength(1)
  const waiting = await bob.visit('/operator/corrections')
  expect(plain(waiting)).toMatch(/100.00 .*Invoice \S+, paid in on 2026-12-03 .*bank-1/)
  const [{ id = '' } = {}] = (await service.operator('correction', 'list')) as unknown as {
    readonly id: string
  }[]
  const alone = await sendForm(waiting, 'id', { id, act: 'approve', ...coded() })
  expect(alone.status).toBe(400)
  await approve()
  const partly = await bob.visit(href)
  expect(plain(partly)).toMatch(/Paid NOK 100.00 Open NOK 80.00/)
  const [, story = ''] = /href="(\/operator\/story[^"]+)"/.exec(partly.html) ?? []
  expect(plain(await bob.visit(story))).toMatch(/NOK 100.00|100.00 NOK/)
  const rest = { amount: '70.00', day: '2026-12-04', reference: 'bank-2' }
  await sendForm(await bob.visit(href), 'reference', { ...rest, ...coded() })
  const off = ['write-off', href.split('/').at(-1) ?? '', '--reason', 'goodwill']
  await expect(service.operator('invoice', ...off, '--amount', '180.01')).rejects.toThrow()
  await service.operator('invoice', ...off, '--amount', '10.00')
  await approve()
  expect(await invoiceEvents()).toHaveLength(4)
  await service.core.caughtUp()
  const journal = service.core.accounting.journal.trialBalance()
  expect(journal).toMatchObject([
    { imbalance: '0', balances: { invoices: '0', bank: '17000', written_off: '1000' } },
  ])
  const done = await bob.visit(path)
  expect(plain(done)).toMatch(/No invoice is open\. .*NOK 180.00 (4 Dec|Dec 4)/)
  expect((await bob.visit(href)).html).not.toContain('name="reference"')
  const portal = plain(await alice.visit('/portal/sandbox/money'))
  expect(portal).toMatch(/Invoices .*NOK 180.00 NOK 180.00 (4 Dec|Dec 4)/)
  expect(portal).not.toContain('You owe')
})
