// @module-tag long
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parseEvent } from '../../domain/events.ts'
import { base } from '../../harness/ledger-service.ts'
import { secretHeaders } from '../../harness/signing.ts'
import { operatedPlace } from './operated-place.ts'

const operated = await operatedPlace()
const { place, daybook } = operated

const items = [
  { item_name: 'Coffee', quantity: 2, measurement_unit: 'pcs', item_gross_total: '50.00' },
]

const open = async (tid: string, ...more: string[]) => {
  const due = new Date(place.core.now() + 7 * 86_400_000).toISOString().slice(0, 10)
  const words = ['--reason', 'not delivered', '--due', due, ...more]
  const { output, errors } = await daybook('dispute', 'open', tid, ...words)
  if (output === '') throw new Error(errors)
  return JSON.parse(output)
}

const close = async (outcome: 'won' | 'lost', id: string) => daybook('dispute', outcome, id)

const evidence = (id: string, list: object) => {
  const form = new FormData()
  const type = 'application/vnd.service.itemlist.v1+json'
  form.append('file', new Blob([JSON.stringify(list)], { type }), 'list.json')
  const headers = secretHeaders('sandbox', 'pos1', 'sandbox-secret')
  const path = `${base}/merchant/v1/dispute/${id}/evidence/`
  return place.app.request(path, { method: 'POST', headers, body: form }, {})
}

const sold = async (amount: string, more: object = {}) => {
  const tid = await place.authorize({ amount, ...more })
  await place.capture(tid)
  return tid
}

const minor = (amount: string): number => Math.round(Number(amount) * 100)

const sumOf = (lines: readonly Record<string, string>[], column: string): number =>
  lines.reduce((sum, line) => sum + minor(line[column] ?? ''), 0)

describe('a dispute', () => {
  test('takes its amount and fee, and gives the amount back', async () => {
    const tid = await sold('100.00')
    const opened = await open(tid, '--amount', '40.00', '--fee', '150.00')
    expect(opened).toMatchObject({ tid, amount: '40.00', fee: '150.00', state: 'open' })
    const { id } = opened
    const path = `/merchant/v1/dispute/${id}/`
    const shown = await place.get(path)
    const about = { id, tid, amount: '40.00', currency: 'NOK', reason: 'not delivered' }
    expect(shown).toMatchObject({ ...about, state: 'open', date_closed: null })
    expect((await place.get('/merchant/v1/dispute/')).disputes).toEqual([shown])
    await close('won', id)
    expect(await place.get(path)).toMatchObject({ state: 'won', date_closed: expect.any(String) })
    const report = await place.close(1)
    const lines = await place.lines(report.transaction_log_uris)
    const own = lines.filter(({ action }) => action === 'dispute')
    expect(own).toMatchObject([
      { tid, sub_id: id, amount: '-40.00', gross: '-40.00', fee: '150.00', net: '-190.00' },
      { tid, sub_id: id, amount: '40.00', gross: '40.00', fee: '0.00', net: '40.00' },
    ])
    expect(own.map((line) => line['text'])).toEqual(['not delivered', ''])
    const [summary] = report.report_summary ?? report.summary
    expect(sumOf(lines, 'net')).toBe(minor(summary.net))
  })

  test('limits refunds to what is left, until it is won', async () => {
    const tid = await sold('100.00', { additional_amount: '10.00' })
    const { id } = await open(tid, '--amount', '105.00')
    const part = (amount: string, additional_amount: string, refund_id = 'r') =>
      place.refund(tid, { amount, additional_amount, currency: 'NOK', refund_id })
    expect((await part('0.01', '0.00')).body.error_details).toEqual({
      amount: ['Is disputed: what is left can be refunded.'],
    })
    expect((await part('0.00', '5.00', 'tip')).status).toBe(204)
    await close('won', id)
    expect((await part('100.00', '5.00')).status).toBe(204)
    const { errors } = await daybook(
      ...['dispute', 'open', tid, '--reason', 'x', '--due', '2099-01-01'],
    )
    expect(errors).toContain('dispute exceeds captures')
  })

  test('takes evidence until it is closed, and keeps it sealed', async () => {
    const tid = await sold('30.00')
    const { id } = await open(tid)
    const sent = await evidence(id, { items })
    expect([sent.status, await sent.json()]).toEqual([201, { id: '1', ids: ['1'] }])
    expect((await evidence(id, { items })).status).toBe(201)
    expect(await place.get(`/merchant/v1/dispute/${id}/`)).toMatchObject({
      state: 'evidence_sent',
      evidence_count: 1,
    })
    const { attachments } = await place.get(`/merchant/v1/dispute/${id}/evidence/`)
    const { text } = await place.ask('GET', attachments[0].uri)
    expect(JSON.parse(text)).toEqual({ items })
    expect(createHash('sha256').update(text).digest('hex')).toBe(attachments[0].sha256)
    const events = (await place.core.store.readStream(`payment-${tid}`)).map(parseEvent)
    expect(JSON.stringify(events)).not.toContain('Coffee')
    await close('lost', id)
    expect((await evidence(id, { items: [...items, ...items] })).status).toBe(409)
    const { errors } = await close('won', id)
    expect(errors).toContain('dispute is closed')
  })

  test('of another merchant, or none, is unknown', async () => {
    const tid = await sold('10.00')
    for (const id of [`${tid}-1`, 'x-1', 'x'])
      expect((await place.ask('GET', `/merchant/v1/dispute/${id}/`)).status).toBe(404)
    expect((await evidence(`${tid}-1`, { items })).status).toBe(404)
  })

  test('is told when it is opened and closed, as it was then', async () => {
    const tid = await sold('20.00')
    const { id } = await open(tid, '--amount', '5.00')
    await close('lost', id)
    const path = `/merchant/v1/payment_request/${tid}/`
    const list = await place.get(`/merchant/v1/callback/?resource=${path}`)
    const all = list.callbacks as readonly { readonly id: string; readonly event: string }[]
    const told = all.filter(({ event }) => event.startsWith('dispute_')).toReversed()
    expect(told.map(({ event }) => event)).toEqual(['dispute_opened', 'dispute_closed'])
    const words = await Promise.all(
      told.map(async (one) =>
        JSON.parse((await place.get(`/merchant/v1/callback/${one.id}/`)).body),
      ),
    )
    expect(words.map(({ meta }) => meta.uri)).toEqual([
      `${base}/merchant/v1/dispute/${id}/`,
      `${base}/merchant/v1/dispute/${id}/`,
    ])
    expect(words.map(({ object }) => [object.id, object.state])).toEqual([
      [id, 'open'],
      [id, 'lost'],
    ])
  })

  test('opened twice with one number is opened once; listed while it is open', async () => {
    const tid = await sold('20.00')
    const { id } = await open(tid)
    const list = async () => JSON.parse((await daybook('dispute', 'list')).output)
    expect(await list()).toMatchObject([{ id, amount: '20.00', state: 'open' }])
    await close('lost', id)
    expect(await list()).toEqual([])
  })
})

test('a dispute after a settlement makes the merchant owe, and winning pays it out', async () => {
  const settle = () => place.sandbox('settlement/', { merchant: 'sandbox' })
  const last = async () => {
    const { location } = await place.ask('GET', '/merchant/v1/last_settlement/')
    const made = await place.get(location ?? '')
    const [payout] = made.payout_details
    const lines = await place.lines(made.transaction_log_uris)
    expect(sumOf(lines, 'net')).toBe(minor(payout.net))
    return payout
  }
  const tid = await sold('500.00')
  await settle()
  await last()
  const { id } = await open(tid)
  await settle()
  const owed = await last()
  expect(owed).toMatchObject({ gross: '-500.00', payout: '0.00' })
  expect(owed.unsettled_refunds_after).toBe('-500.00')
  await close('won', id)
  await settle()
  const paid = await last()
  expect(paid).toMatchObject({ gross: '500.00', unsettled_refunds_before: '-500.00' })
  for (const { imbalance } of place.core.accounting.journal.trialBalance())
    expect(imbalance).toBe('0')
  const { output, errors } = await daybook('audit', 'explain', tid)
  expect(errors).toBe('')
  const { numbers } = JSON.parse(output)
  const named = Object.fromEntries(
    numbers.map(({ name, value }: Record<'name' | 'value', string>) => [name, value]),
  )
  expect(named).toMatchObject({ captured_amount: '500.00', disputed_amount: '0.00' })
})

test('the verifier adds up a settlement with disputes', async () => {
  await place.sandbox('clock/', { advance_seconds: 11 })
  const { location } = await place.ask('GET', '/merchant/v1/last_settlement/')
  const receipt = join(place.directory, 'receipt.json')
  const { text } = await place.ask('GET', `${location}proof/`)
  expect(text).toContain('PaymentDisputeWon')
  writeFileSync(receipt, text)
  const key = (await place.ask('GET', '/transparency/key')).text.trim()
  const verifier = join(import.meta.dirname, '../../verifier/verify.mjs')
  const words = [verifier, receipt, '--key', key]
  await expect(promisify(execFile)(process.execPath, words)).resolves.toMatchObject({ stderr: '' })
})

test('an audit of the log finds nothing wrong with disputes', async () => {
  const { code, output } = await daybook('audit', 'verify')
  expect([code, JSON.parse(output)]).toMatchObject([0, { holds: true }])
})
