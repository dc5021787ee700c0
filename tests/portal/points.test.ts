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
    // The same form again creates nothing; another form with its id is refused.
    const same = { id: 'kiosk', name: 'Kiosk', type: 'vending' }
    expect((await desk.alice.submit(page, same)).status).toBe(303)
    const other = await desk.alice.submit(page, { ...same, name: 'Bar' })
    expect([other.status, other.html.includes('Another point of sale has this id')]).toEqual([
      400,
      true,
    ])
    const form = await visit('/pos/kiosk')
    expect(form.html).toContain('Keys and secrets of tills')
    const changed = await desk.alice.submit(form, { name: 'Kiosk 2' })
    expect(changed.location).toBe(`${path}?done=changed`)
    expect((await api('GET', 'pos/kiosk/')).body.name).toBe('Kiosk 2')
    const removed = await desk.alice.submit(await visit('/pos/kiosk?remove'), { do: 'remove' })
    expect(removed.location).toBe(`${path}?done=removed`)
    expect((await api('GET', 'pos/kiosk/')).status).toBe(404)
    expect((await visit('/pos/kiosk')).status).toBe(404)
  })

  test.each([
    [{ id: 'a b', name: 'X' }, 'Use letters, digits and'],
    [{ id: 'x', name: '' }, 'Write a name'],
    [{ id: 'x', name: '\u200b' }, 'Write a name'],
  ])('when %o is typed, the page says what is wrong', async (typed, text) => {
    const { status, html } = await desk.alice.submit(await visit('/new'), typed)
    expect([status, html.includes(text)]).toEqual([400, true])
  })
})

describe('given a code,', () => {
  let id = ''
  const pageOf = (more = '', visitor = desk.alice) => visit(`/code/${id}${more}`, visitor)
  const scan = (argstring: string) =>
    desk.service.call('POST', `/sandbox/v1/shortlink/${id}/scan/`, { argstring })
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
    for (let time = 0; time < 3; time += 1) await scan('')
    expect((await pageOf()).html).toContain('Scans in 14 days: 3')
    expect((await visit()).html).toMatch(/Garden<\/a>[\s\S]*<td class="number">3<\/td>/)
  })

  test('when its labels are scanned, each is counted, and the newest are named', async () => {
    for (const label of ['Table 10', 'Table 7', 'Table 7']) await scan(label)
    const { html } = await pageOf()
    const counted = [...html.matchAll(/<th scope="row">(.*?)<\/th>((?:\s*<td.*?<\/td>){3})/gs)]
    const numbersIn = (cells = '') => [...cells.matchAll(/>(\d+)</g)].map(([, count]) => count)
    expect(counted.map(([, name, cells]) => [name, ...numbersIn(cells)])).toEqual([
      ['Table 7', '2', '2', '2'],
      ['Table 10', '1', '1', '1'],
      ['<span class="quiet">No label (poster)</span>', '3', '3', '3'],
    ])
    const newest = html.slice(html.indexOf('Latest scans'))
    expect([...newest.matchAll(/<td>(Table \d+)<\/td>/g)].map(([, name]) => name)).toEqual([
      ...['Table 7', 'Table 7', 'Table 10'],
    ])
  })

  test('when its poster and labels are shown, each code leads where it says', async () => {
    expect((await pageOf('')).html).toMatch(
      /Labels for tables<.*Which tables\?<.*>Print a poster</s,
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
    const dots = await pageOf('/labels?texts=a%2F..%2Fb%0D%0A%252e%0D%0A...')
    for (const [, address = ''] of dots.html.matchAll(/alt="([^"]*\/s\/[^"]+)"/g))
      expect(new URL(address).href).toBe(address)
    expect(printed(dots)).toEqual(['a/../b', '%2e', '...'])
  })

  const printed = ({ html }: { readonly html: string }) =>
    [...html.matchAll(/<b>([^<]*)<\/b><small>/g)].map(([, text]) => text)

  test('when nobody has said which tables, there is nothing to print', async () => {
    const page = await pageOf('/labels')
    expect([page.status, printed(page), page.html.includes('data-print')]).toEqual([200, [], false])
    expect((await pageOf('/labels?tables=')).html).toContain('Write at least one table.')
  })

  test.each([
    ['tables=7', ['Table 7']],
    ['tables=1-3,+14;2', ['Table 1', 'Table 2', 'Table 3', 'Table 14']],
    ['tables=8+%E2%80%93+9&word=Seat', ['Seat 8', 'Seat 9']],
    ['tables=7&word=&texts=Bar', ['7', 'Bar']],
  ])('when %s is asked for, there is a label for each', async (asked, labels) => {
    expect(printed(await pageOf(`/labels?${asked}`))).toEqual(labels)
  })

  test.each([
    ['what is no number', 'tables=1-x', 'Write numbers such as'],
    ['a range that ends before it begins', 'tables=9-7', 'Write numbers such as'],
    ['121 tables', 'tables=0-120', 'Print at most 120 labels'],
    ['any number of tables', `tables=${'1-9999,'.repeat(60)}`, 'Print at most 120 labels'],
    ['121 lines', `texts=${'x%0A'.repeat(121)}`, 'Print at most 120 labels'],
    ['a long line', `texts=${'x'.repeat(101)}`, 'A label has at most 100 characters.'],
    ['a dot', 'texts=Bar%0A.', 'A label must not be . or ..'],
    ['two dots', 'texts=+..+', 'A label must not be . or ..'],
    ['a long word', `tables=7&word=${'x'.repeat(99)}`, 'A label has at most 100 characters.'],
  ])('when %s is asked for, the page says what is wrong', async (_, asked, text) => {
    const page = await pageOf(`/labels?${asked}`)
    expect([page.status, page.html.includes(text), printed(page)]).toEqual([400, true, []])
  })

  test('when it is changed and removed, the interface has it so', async () => {
    const change = await pageOf('/change')
    const wrong = await desk.alice.submit(change, { callback_uri: 'somewhere' })
    expect([wrong.status, wrong.html.includes('Write a full address')]).toEqual([400, true])
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
