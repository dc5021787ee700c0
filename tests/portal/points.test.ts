import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPaymentDesk, type PaymentDesk } from './payment-desk.ts'

let desk: PaymentDesk

beforeAll(async () => {
  desk = await startPaymentDesk()
})
afterAll(() => desk.service.stop())

const path = '/portal/sandbox/points-of-sale'
const visit = (more = '', visitor = desk.alice) => visitor.visit(path + more)
const api = (method: string, more: string, body?: object) =>
  desk.service.call(method, `/merchant/v1/${more}`, body)

describe('given a point of sale that is made in the portal,', () => {
  test('when it is used, changed and removed, the interface has it so', async () => {
    const page = await visit('/new')
    const made = await desk.alice.submit(page, { id: 'kiosk', name: 'Kiosk', type: 'vending' })
    expect(made.location).toBe(`${path}?done=made`)
    expect((await api('GET', 'pos/kiosk/')).body).toMatchObject({ name: 'Kiosk', type: 'vending' })
    // The same form again makes nothing else; another one with its id is refused.
    const same = { id: 'kiosk', name: 'Kiosk', type: 'vending' }
    expect((await desk.alice.submit(page, same)).status).toBe(303)
    const other = await desk.alice.submit(page, { ...same, name: 'Bar' })
    expect([other.status, other.html.includes('There is another one')]).toEqual([400, true])
    const changed = await desk.alice.submit(await visit('/pos/kiosk'), { name: 'Kiosk 2' })
    expect(changed.location).toBe(`${path}?done=changed`)
    expect((await api('GET', 'pos/kiosk/')).body.name).toBe('Kiosk 2')
    const removed = await desk.alice.submit(await visit('/pos/kiosk?remove'), { do: 'remove' })
    expect(removed.location).toBe(`${path}?done=removed`)
    expect((await api('GET', 'pos/kiosk/')).status).toBe(404)
    expect((await visit('/pos/kiosk')).status).toBe(404)
  })

  test.each([
    [{ id: 'a b', name: 'X' }, 'This is no id.'],
    [{ id: 'x', name: '' }, 'Give a name'],
    [{ id: 'x', name: '\u200b' }, 'Give a name'],
  ])('when %o is typed, the page says what is wrong', async (typed, text) => {
    const { status, html } = await desk.alice.submit(await visit('/new'), typed)
    expect([status, html.includes(text)]).toEqual([400, true])
  })
})

describe('given a code,', () => {
  let id = ''
  const pageOf = (more = '', visitor = desk.alice) => visit(`/code/${id}${more}`, visitor)
  beforeAll(async () => {
    await desk.service.operator('sticker', 'add', 'S-1')
    const page = await visit('/new-code')
    const typed = { description: 'Garden', serial_number: 'S-1' }
    const [made, again] = [
      await desk.alice.submit(page, typed),
      await desk.alice.submit(page, typed),
    ]
    expect(again.location).toBe(made.location)
    id = /code\/(\w+)\?done=made/.exec(made.location ?? '')?.[1] ?? ''
  })

  test('then it is one shortlink, with its sticker', async () => {
    const { body } = await api('GET', `shortlink/${id}/`)
    expect(body).toMatchObject({ description: 'Garden', serial_number: 'S-1' })
    expect((await api('GET', 'shortlink/')).body.uris).toHaveLength(1)
    const taken = await desk.alice.submit(await visit('/new-code'), { serial_number: 'none' })
    expect([taken.status, taken.html.includes('no such sticker')]).toEqual([400, true])
  })

  test('when it is scanned, its page and the list count it', async () => {
    for (let time = 0; time < 3; time += 1)
      await desk.service.call('POST', `/sandbox/v1/shortlink/${id}/scan/`, {})
    expect((await pageOf()).html).toContain('Scans in 14 days: 3')
    expect((await visit()).html).toMatch(/Garden<\/a>[\s\S]*<td class="number">3<\/td>/)
  })

  test('when its poster and labels are shown, each code leads where it says', async () => {
    expect((await pageOf('')).html).toMatch(
      /poster"[^<]*>Print a poster<.*labels"[^<]*>Print labels<.*For tables print labels/s,
    )
    const { html } = await pageOf('/poster')
    expect(html).toContain('Scan to pay')
    expect(html).toContain(`alt="${desk.service.address}/s/${id}/"`)
    const labels = await pageOf('/labels?texts=Table+7%0D%0ABar+%2F+2')
    expect(labels.html).toContain(`alt="${desk.service.address}/s/${id}/Table%207"`)
    expect(labels.html).toContain(`alt="${desk.service.address}/s/${id}/Bar%20%2F%202"`)
    const scanned = await fetch(`${desk.service.address}/s/${id}/Bar%20%2F%202`, {
      headers: { Accept: 'application/json' },
    })
    expect(await scanned.json()).toMatchObject({ id, argstring: 'Bar / 2' })
    const many = encodeURIComponent('x\n'.repeat(241))
    expect((await pageOf(`/labels?texts=${many}`)).status).toBe(400)
  })

  test('when it is changed and removed, the interface has it so', async () => {
    const change = await pageOf('/change')
    const wrong = await desk.alice.submit(change, { callback_uri: 'somewhere' })
    expect([wrong.status, wrong.html.includes('no address')]).toEqual([400, true])
    await desk.alice.submit(change, { description: 'Terrace' })
    expect((await api('GET', `shortlink/${id}/`)).body.description).toBe('Terrace')
    await desk.alice.submit(await pageOf('/change?remove'), { do: 'remove' })
    expect((await api('GET', `shortlink/${id}/`)).status).toBe(404)
    expect((await pageOf('/poster')).status).toBe(404)
  })
})

test('given a developer, when they look, there is nothing to change', async () => {
  await desk.bobIs('developer')
  const { status, html } = await visit('', desk.bob)
  expect([status, html.includes('/new')]).toEqual([200, false])
  expect((await visit('/new', desk.bob)).status).toBe(403)
})
