import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, startPeopleService, type PeopleService } from '../support/people-service.ts'
import { formIn, makeVisitor, type TestVisitor } from '../people/visitor.ts'

let service: PeopleService
let alice: TestVisitor

beforeAll(async () => {
  service = await startPeopleService()
  await service.operator('operator', 'add', '+4799999901', '--role', 'admin')
  await service.operator('staff', 'add', 'sandbox', '+4799999902', '--role', 'owner')
  for (const [id, name] of [
    ['olbaren', 'Café Ølbaren'],
    ['kiosk', 'Kiosken på hjørnet'],
  ])
    await service.operator('merchant', 'add', id ?? '', '--name', name ?? '', '--currency', 'NOK')
  alice = makeVisitor(service)
  await alice.signIn('alice')
})
afterAll(() => service.stop())

const enabled = async (id: string) =>
  (
    (await service.operator('merchant', 'list')) as unknown as readonly {
      readonly id: string
      readonly enabled: boolean
    }[]
  ).find((one) => one.id === id)?.enabled

const namesIn = (html: string): readonly string[] =>
  [...html.matchAll(/<td class="sum"><a[^>]*>([^<]*)</g)].map(([, name = '']) => name)

describe('given some merchants, when the list is opened,', () => {
  test('the newest are first, and a part of the name or id finds one', async () => {
    const { html } = await alice.visit('/operator/merchants')
    expect(namesIn(html).slice(0, 2)).toEqual(['Kiosken på hjørnet', 'Café Ølbaren'])
    for (const part of ['ØLBAR', 'cafe\u0301', 'olbaren'])
      expect(
        namesIn((await alice.visit(`/operator/merchants?q=${encodeURIComponent(part)}`)).html),
      ).toEqual(['Café Ølbaren'])
    expect((await alice.visit('/operator/merchants?q=nobody')).html).toContain(
      'No merchant is like that.',
    )
  })
})

describe('given a merchant,', () => {
  test('when its page is opened, it shows the owner, and what is missing', async () => {
    const { html } = await alice.visit('/operator/merchants/sandbox')
    expect(html).toContain('Bob Berg')
    expect(html).toContain('All addresses answer.')
    const other = await alice.visit('/operator/merchants/kiosk')
    expect(other.html).toContain('daybook staff add kiosk')
    expect((await alice.visit('/operator/merchants/nobody')).status).toBe(404)
  })

  test('when it is disabled, which takes a code, its requests are refused', async () => {
    const page = await alice.visit('/operator/merchants/sandbox/disable')
    const without = await alice.submit(page, { code: '' })
    expect([without.status, await enabled('sandbox')]).toEqual([400, true])
    const done = await alice.submit(page, { code: codeOf('alice') })
    expect(done.location).toBe('/operator/merchants/sandbox?disabled')
    expect(await enabled('sandbox')).toBe(false)
    const list = await alice.visit('/operator/merchants?state=disabled')
    expect(namesIn(list.html)).toHaveLength(1)
    const { status } = await service.call('GET', '/merchant/v1/pos/')
    expect(status).toBe(401)
  })

  test('when it is enabled again, it is let in', async () => {
    const page = await alice.visit('/operator/merchants/sandbox/enable')
    const done = await alice.submit(page, { code: codeOf('alice') })
    expect(done.location).toBe('/operator/merchants/sandbox?enabled')
    expect((await service.call('GET', '/merchant/v1/pos/')).status).toBe(200)
  })

  test('when it was disabled again since, an old page does not enable it', async () => {
    const sent = { code: codeOf('alice') }
    const first = await alice.visit('/operator/merchants/kiosk/disable')
    expect((await alice.submit(first, sent)).status).toBe(303)
    const page = await alice.visit('/operator/merchants/kiosk/enable')
    for (const way of ['enable', 'disable']) await service.operator('merchant', way, 'kiosk')
    const late = await alice.submit(page, sent)
    expect([late.status, await enabled('kiosk')]).toEqual([409, false])
    const fresh = await alice.visit('/operator/merchants/kiosk/enable')
    const answers = await Promise.all([alice.submit(fresh, sent), alice.submit(fresh, sent)])
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    expect(await enabled('kiosk')).toBe(true)
  })

  test('when the log is read, the person is the actor of both', async () => {
    const [{ member }] = (await service.operator('operator', 'list')) as any
    const events = (await service.events()).filter(({ stream }) => stream === 'merchant-sandbox')
    expect(events.slice(-2).map(({ type, metadata }) => [type, metadata['actor']])).toEqual([
      ['MerchantDisabled', `operator:${member}`],
      ['MerchantEnabled', `operator:${member}`],
    ])
  })
})

describe('given the form of its fees,', () => {
  const path = '/operator/merchants/kiosk/fees'
  const fees = async () =>
    (await service.operator('fees', 'list', 'kiosk')) as unknown as readonly Record<
      string,
      string
    >[]
  const typed = { first_day: '2030-01-01', transaction_rate: '1,75', transaction_fixed: '2.50' }
  /** The values of select fields, as sent by a browser. */
  const chosen = { taxcode: 'NO:2013', refunds_return_fees: 'no' }
  const preview = async (values: Readonly<Record<string, string>>) =>
    alice.submit(await alice.visit(path), { transaction_rate: '0', ...chosen, ...values })

  test('when something is wrong, each field says what, and nothing is shown', async () => {
    const page = await preview({ transaction_rate: '101', settlement_fixed: '-1', first_day: '' })
    expect(page.status).toBe(400)
    for (const name of ['transaction_rate', 'settlement_fixed', 'first_day'])
      expect(page.html).toContain(`id="${name}-problem"`)
  })

  test('when it is sent, the page shows what will hold, and nothing is set', async () => {
    const page = await preview(typed)
    expect(page.html).toContain('What will hold from Jan 1, 2030 on')
    expect(page.html).toContain('<b class="changed">1.75%</b>')
    expect(page.html).toContain('<b class="changed">NOK')
    expect(await fees()).toEqual([])
    const back = await alice.submit(page, { step: 'back' })
    expect(formIn(back.html, 'transaction_rate').fields).toContainEqual([
      'transaction_rate',
      '1,75',
    ])
  })

  test('when it is confirmed, the fees are those that the command lists', async () => {
    const page = await preview(typed)
    const wrong = await alice.submit(page, { code: '' })
    expect([wrong.status, await fees()]).toEqual([400, []])
    const done = await alice.submit(page, { code: codeOf('alice') })
    expect(done.location).toBe('/operator/merchants/kiosk?fees')
    const again = await alice.submit(page, { code: codeOf('alice') })
    expect(again.status).toBe(303)
    expect(await fees()).toMatchObject([
      {
        from: '2030-01-01T00:00:00.000Z',
        currency: 'NOK',
        transaction_rate: '0.0175',
        transaction_fixed: '2.50',
        taxcode: 'NO:2013',
        holds_now: false,
      },
    ])
    const shown = await alice.visit('/operator/merchants/kiosk?fees')
    expect(shown.html).toContain('1.75%')
  })

  test('when other fees begin later, the preview says from when they hold again', async () => {
    const page = await preview({ first_day: '2029-06-01', transaction_rate: '1' })
    expect(page.html).toContain('From Jan 1, 2030 on the fees that were set before hold again.')
    const same = await preview({ ...typed, first_day: '2031-01-01' })
    expect(same.html).toContain('This changes nothing')
    const past = await preview({ first_day: '2020-01-01' })
    expect(past.html).toContain('That day has begun')
  })

  test('when others set fees since, nothing is set until those are seen', async () => {
    const one = await preview({ ...typed, first_day: '2032-01-01', transaction_rate: '1' })
    const other = await preview({ ...typed, first_day: '2032-01-01', transaction_rate: '2' })
    const code = { code: codeOf('alice') }
    const answers = await Promise.all([alice.submit(one, code), alice.submit(other, code)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409])
    const set = (await fees()).filter(({ from }) => from?.startsWith('2032'))
    expect(set).toHaveLength(1)
  })

  test('when another currency is given, its fixed parts are in that currency', async () => {
    const page = await alice.visit(`${path}?currency=eur`)
    expect(page.html).toContain('Each capture, EUR')
    const shown = await alice.submit(page, { transaction_fixed: '0.10', ...chosen })
    await alice.submit(shown, { code: codeOf('alice') })
    expect((await fees()).at(-1)).toMatchObject({ currency: 'EUR', transaction_fixed: '0.10' })
  })
})

describe('given the overview,', () => {
  test('when an admin opens it, it has counts, and how the service is', async () => {
    const { html } = await alice.visit('/operator/')
    expect(html).toContain('Nobody waits for approval.')
    expect(html).toContain('<span class="badge good">Ready</span>')
    expect(html).toContain('Nothing is to be paid out.')
  })
})
