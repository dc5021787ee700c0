// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pathOf } from './audited-service.ts'
import { cookieOf, startVisits, type Visits } from './auditor-visits.ts'

let service: Visits
beforeAll(async () => {
  service = await startVisits()
})
afterAll(() => service.remove())

test('given a person with two factors, then pages open, and each look is recorded', async () => {
  const tid = await service.capture()
  const { event } = await service.refund({ amount: '1.00', currency: 'NOK', refund_id: 'r1' })
  const ola = await service.add('ola')
  const signedIn = await service.signIn(ola)
  expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/audit/events'])
  const [cookie] = signedIn.headers.getSetCookie()
  expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/)
  const headers = cookieOf(signedIn)
  const pages = [
    ['/audit/', 'The newest events'],
    ['/audit/events?type=PaymentCaptured', 'is captured, for 1.80 of fees'],
    [`/audit/event/${event.position}`, 'proved: user:admin of sandbox ordered PaymentRefunded'],
    [`/audit/explain?subject=${tid}`, 'with a secret, from 127.0.0.1'],
    [`/audit/explain?subject=${tid}&number=auth_amount`, 'It adds up'],
    ['/audit/refusals', 'Nothing was refused then.'],
    ['/audit/checkpoints', 'The newest, signed'],
    ['/audit/export', 'Download'],
    ['/audit/query', 'Views and their columns'],
  ] as const
  for (const [path, text] of pages) {
    const { status, text: page, headers: answered } = await service.visit(path, { headers })
    expect([path, status]).toEqual([path, 200])
    expect(page.toLowerCase()).toContain(text.toLowerCase())
    expect(answered.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'/)
    expect(page).not.toMatch(/<script|<style| style="/)
  }
  expect(service.looks('auditor:ola').map(({ about }) => about)).toEqual(
    pages.map(([path]) => path),
  )
})

test('given a reader of Norwegian, then pages are Norwegian, and JSON is English', async () => {
  const tid = await service.capture()
  const { event } = await service.refund({ amount: '1.00', currency: 'NOK', refund_id: 'r2' })
  const norwegian = { 'accept-language': 'nb-NO,nb;q=0.9,en;q=0.5' }
  const form = { id: 'kari', password: 'wrong', code: '000000' }
  const refused = await service.visit('/audit/sign-in', {
    ...{ method: 'POST', form, headers: norwegian },
  })
  expect(refused.text).toMatch(/Navnet, passordet eller koden er feil/)
  const headers = { ...cookieOf(await service.signIn(await service.add('kari'))), ...norwegian }
  const pages = [
    ['/audit/', 'De nyeste hendelsene'],
    ['/audit/events?type=PaymentCaptured', 'er trukket, for 1,80 i gebyrer'],
    [`/audit/event/${event.position}`, 'bruker admin hos sandbox, signert med'],
    ['/audit/explain', 'Oppgi tid-en til en betaling'],
    [`/audit/explain?subject=${tid}`, 'bruker pos1 hos sandbox, med en hemmelighet, fra 127.0.0.1'],
    [`/audit/explain?subject=${tid}`, 'Den er ok, statuskode 2000'],
    [`/audit/explain?subject=${tid}&number=auth_amount`, 'Summen stemmer'],
    ['/audit/refusals', 'Avvisninger'],
    ['/audit/checkpoints', 'Kontrollpunkter'],
    ['/audit/export', 'Last ned'],
  ] as const
  for (const [path, text] of pages) {
    const page = await service.visit(path, { headers })
    expect([path, page.status]).toEqual([path, 200])
    expect(page.text).toContain('<html lang="nb">')
    expect(page.text).toContain(text)
  }
  const missing = await service.visit('/audit/explain?subject=nothing', { headers })
  expect(missing.text).toMatch(/<h1>Ikke funnet<\/h1>/)
  expect(missing.text).toMatch(/<input [^>]*name="subject" value="nothing"/)
  const wrong = await service.visit('/audit/events?since=soon', { headers })
  expect(wrong.text).toContain('<span lang="en">since must be a UTC time such as')
  for (const list of ['events', 'refusals']) {
    const path = `/audit/${list}?since=2026-05-02&until=2026-05-01`
    const { status, text } = await service.visit(path, { headers })
    expect([status, text]).toEqual([400, expect.stringContaining('until must be later than since')])
  }
  const json = { ...headers, accept: 'application/json' }
  const story = await service.visit(`/audit/explain?subject=${tid}`, { headers: json })
  expect(JSON.parse(story.text).says[0]).toMatch(/^it is ok, status code 2000/)
})

const told = {
  'en-GB': ['Time zone Europe/Oslo', 'NOK 12.50 is refunded', '1 Jun 2027, 12:00:'],
  'nb-NO': ['Tidssone Europe/Oslo', '12,50 NOK er refundert', '1. juni 2027, 12:00:'],
  'sv-SE': ['Tidszon Europe/Oslo', '12,50 NOK är återbetalat', '1 juni 2027 12:00:'],
  'da-DK': ['Tidszone Europe/Oslo', '12,50 NOK er refunderet', '1. jun. 2027, 12.00.'],
}

test('a story has the dates and sums of its reader, in the zone of the shop', async () => {
  await service.run('merchant', 'change', 'sandbox', '--time-zone', 'Europe/Oslo')
  const now = '2027-06-01 10:00:00'
  await service.world('POST', '/sandbox/v1/clock/', { now })
  const part = { amount: '12.50', currency: 'NOK', refund_id: 'r8' }
  const { tid } = await service.refund(part)
  const headers = cookieOf(await service.signIn(await service.add('hege')))
  const path = `/audit/explain?subject=${tid}`
  for (const [locale, texts] of Object.entries(told)) {
    const { text } = await service.visit(path, {
      headers: { ...headers, 'accept-language': locale },
    })
    for (const one of texts) expect(text.replaceAll('\u00a0', ' '), locale).toContain(one)
    expect(text, locale).not.toMatch(/12\.50 NOK|2027-06-01 \d/)
  }
  const json = { ...headers, accept: 'application/json', 'accept-language': 'nb-NO' }
  const { text } = await service.visit(path, { headers: json })
  expect(text).toContain('12.50 NOK is refunded')
  expect(text).toMatch(/it can be captured until 2027-\d\d-\d\d \d\d:0\d:\d\d/)
})

test('a story is found by an order number, says what is refunded, has a proof', async () => {
  const tid = await service.authorize({ pos_tid: 'lunch-7' })
  await service.till('PUT', pathOf(tid), { action: 'capture' })
  const part = { amount: '12.50', currency: 'NOK', refund_id: 'r7' }
  await service.owner('PUT', pathOf(tid), { action: 'refund', ...part })
  await service.world('POST', '/sandbox/v1/clock/', { advance_seconds: 30 })
  const headers = cookieOf(await service.signIn(await service.add('nina')))
  const { text } = await service.visit('/audit/explain?subject=lunch-7', { headers })
  expect(text).toContain(`Payment ${tid} of sandbox`)
  expect(text).toContain(
    '<p>It is ok, status code 2000</p><p>NOK\u00a012.50 of NOK\u00a050.00 is refunded</p>',
  )
  const [, href = ''] = /href="(\/audit\/proof\.json[^"]*)"/.exec(text) ?? []
  const proof = await service.visit(href, { headers })
  const own = await service.till('GET', `${pathOf(tid)}proof/`)
  expect(JSON.parse(proof.text).entries).toEqual((own.body as { entries: unknown }).entries)
  const till = { id: 'till-9', name: 'Till 9', type: 'store' }
  await service.owner('POST', '/merchant/v1/pos/', till)
  const other = await service.authorize({ pos_tid: 'lunch-7', pos_id: 'till-9' })
  expect(other).toMatch(/^[0-9a-f]{32}$/)
  const json = { ...headers, accept: 'application/json' }
  const both = await service.visit('/audit/explain?subject=lunch-7', { headers: json })
  expect(JSON.parse(both.text).subjects.sort()).toEqual([tid, other].sort())
  expect((await service.visit('/audit/proof.json?subject=x', { headers })).status).toBe(404)
})

test('given nobody who is signed in, then pages lead to the sign-in', async () => {
  const page = await service.visit('/audit/explain?subject=x')
  expect([page.status, page.headers.get('location')]).toEqual([
    303,
    '/audit/sign-in?next=%2Faudit%2Fexplain%3Fsubject%3Dx',
  ])
  const json = await service.visit('/audit/events', { headers: { accept: 'application/json' } })
  expect([json.status, json.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="audit"'])
  expect((await service.visit('/audit/export/events.jsonl')).status).toBe(303)
})

test('given a token, then a program reads the same as JSON, and exports events', async () => {
  const tid = await service.capture()
  const { token } = await service.add('robot', '--token')
  const headers = { authorization: `Bearer ${token}` }
  const read = async (path: string) => {
    const { status, text } = await service.visit(path, { headers })
    expect([path, status]).toEqual([path, 200])
    return JSON.parse(text)
  }
  const { events, before } = await read(`/audit/events?stream=payment-${tid}`)
  expect(events.map(({ type }: { type: string }) => type)).toEqual([
    ...['PaymentCaptured', 'PaymentAuthorized', 'PaymentRequested'],
  ])
  expect(before).toBeNull()
  expect((await read(`/audit/explain?subject=${tid}`)).title).toBe(`payment ${tid} of sandbox`)
  expect((await read(`/audit/event/${events[0].position}`)).proof.holds).toBe(false)
  expect((await read('/audit/checkpoints')).checkpoints[0].size).toBeGreaterThan(0)
  const lines = await service.visit('/audit/export/events.jsonl?merchant=sandbox', { headers })
  const exported = (await service.run('audit', 'events', '--merchant', 'sandbox')).output
  expect(lines.text).toBe(exported)
  const wrong = { authorization: `Bearer robot.${'A'.repeat(43)}` }
  expect((await service.visit('/audit/events', { headers: wrong })).status).toBe(401)
  await service.run('auditor', 'remove', 'robot')
  expect((await service.visit('/audit/events', { headers })).status).toBe(401)
})

test('given a refused request, then its page shows the reason, decided again', async () => {
  const tid = await service.authorize()
  const part = { amount: '70.00', currency: 'NOK', capture_id: 'c1' }
  await service.till('PUT', `/merchant/v1/payment_request/${tid}/`, { action: 'capture', ...part })
  const { token } = await service.add('reader', '--token')
  const headers = { authorization: `Bearer ${token}`, accept: 'text/html' }
  const { text } = await service.visit('/audit/refusals?merchant=sandbox', { headers })
  expect(text).toContain('capture_exceeds_authorization')
  expect(text).toContain('Decided again: refused, capture_exceeds_authorization, the same rule.')
  const wrong = await service.visit('/audit/refusals?at=yesterday', { headers })
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('must be a UTC time')])
})

describe('given SQL,', () => {
  const asked = (text: string, more = '') => `?sql=${encodeURIComponent(text)}${more}`
  let headers: Record<string, string>
  beforeAll(async () => {
    headers = cookieOf(await service.signIn(await service.add('siri')))
    await service.refund({ amount: '2.00', currency: 'NOK', refund_id: 'sql' })
  })

  test('the page, JSON and CSV have the same answer, and what it takes to ask again', async () => {
    const sql = "select '=' || sub_id as a, gross from lines where sub_id = 'sql'"
    const json = { ...headers, accept: 'application/json' }
    const answer = JSON.parse(
      (await service.visit(`/audit/query${asked(sql)}`, { headers: json })).text,
    )
    expect(answer).toMatchObject({ query: sql, columns: ['a', 'gross'], has_more: false })
    expect(answer.rows).toEqual([['=sql', -200]])
    // The service adds events by itself.
    const { position, tree } = answer
    const at = asked(sql, `&as_of=${position}`)
    const page = await service.visit(`/audit/query${at}`, { headers })
    expect(page.status).toBe(200)
    for (const told of [String(position), tree.root, 'ask it again', '=sql', '-200'])
      expect(page.text).toContain(told)
    await service.capture()
    const again = await service.visit(`/audit/query${at}`, { headers: json })
    expect(JSON.parse(again.text)).toEqual(answer)
    const { text } = await service.visit(`/audit/query/rows.csv${at}`, { headers })
    expect(text.replace('\ufeff', '').split('\r\n')).toEqual([
      `query,"${sql}"`,
      `position,${position}`,
      `time,${answer.time}`,
      `tree_size,${tree.size}`,
      // A spreadsheet would take one that begins with a plus for a formula.
      `tree_root,${tree.root.replace(/^\+/, "'+")}`,
      `made_by,${answer.made_by}`,
      ...['', 'a,gross', "'=sql,-200", ''],
    ])
  })

  test('a page has 500 rows and says that there are more', async () => {
    const many = 'with recursive n(x) as (select 1 union all select x + 1 from n) select x from n'
    const { text } = await service.visit(`/audit/query${asked(`${many} limit 501`)}`, { headers })
    expect(text).toContain('These are the first 500.')
  })

  test.each([
    ['delete from lines', '', 'begins with select'],
    ['select * from payers', '', 'no such table: payers'],
    ['select 1', '&as_of=soon', 'as_of must be a time'],
    ['select 1', '&as_of=2199-01-01', 'has not come yet'],
  ])('%s%s says why there is no answer, above the query', async (text, more, why) => {
    const { status, text: page } = await service.visit(`/audit/query${asked(text, more)}`, {
      headers,
    })
    expect([status, page]).toEqual([400, expect.stringContaining(why)])
    expect(page).toContain(`>\n${text}</textarea>`)
  })

  test('who has not signed in is led there', async () => {
    const { status } = await service.visit(`/audit/query${asked('select 1')}`)
    expect(status).toBe(303)
  })
})

test('every operation of auditors is answered as it is described', async () => {
  expect((await service.visit('/audit/sign-in')).text).toContain('Sign in as an auditor')
  const form = { id: '', password: '', code: '' }
  expect((await service.visit('/audit/sign-in', { method: 'POST', form })).status).toBe(400)
  expect((await service.visit('/audit')).headers.get('location')).toBe('/audit/')
  await service.visit('/audit/sign-out', { method: 'POST', form: {} })
  expect(service.unseen()).toEqual([])
})
