// @module-tag long
import fc from 'fast-check'
import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { ledgers } from '../../domain/aggregates.ts'
import { parseEvent } from '../../domain/events.ts'
import { within } from '../../domain/stream.ts'
import { rebuildReadModels } from '../../infrastructure/read-models/rebuild.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { textCell, withoutGuards } from '../../infrastructure/transaction-logs/transaction-log.ts'
import { makeLogWriter } from '../../infrastructure/transaction-logs/logs.ts'
import { openPlace, type Place } from '../../harness/ledger-service.ts'

let place: Place

beforeAll(async () => {
  place = await openPlace()
})

afterAll(async () => {
  await place.stop()
  place.remove()
})

const pick = (line: Record<string, string> | undefined, names: string): string[] =>
  names.split(' ').map((name) => line?.[name] ?? '?')

describe('the golden arithmetic, with the fees of the sandbox merchant and credit payments', () => {
  let whole: string
  let parts: string

  test('given captures in full and in parts, then each capture has its own fee', async () => {
    whole = await place.authorize({ amount: '200.00', credit: true })
    expect((await place.capture(whole)).status).toBe(204)
    parts = await place.authorize({ amount: '150.00', additional_amount: '15.00', credit: true })
    const part = { amount: '50.00', currency: 'NOK' }
    await place.capture(parts, { ...part, additional_amount: '10.00', capture_id: 'one' })
    await place.capture(parts, { ...part, capture_id: 'two' })
    expect(await place.outcome(whole)).toMatchObject({
      transaction_fee: '1.80',
      interchange_fee: '2.00',
      report_id: '1',
      report_uri: '/merchant/v1/ledger/default/report/1/',
      ledger: 'default',
    })
    expect(await place.outcome(parts)).toMatchObject({
      transaction_fee: '3.60',
      interchange_fee: '1.10',
      captures: [
        { id: 'one', transaction_fee: '1.80', interchange_fee: '0.60' },
        { id: 'two', transaction_fee: '1.80', interchange_fee: '0.50' },
      ],
    })
  })

  test('when the authorisation expires and the report is closed, then its log holds every line', async () => {
    await place.sandbox('clock/', { advance_seconds: 259_200 })
    const open = await place.ledger('report/1/')
    const report = await place.close(1)
    expect(report).toMatchObject({ id: '1', status: 'closed', previous_report_uri: null })
    // The open sum was built line by line; after closing it is computed from the log.
    const { status, time_closed, transaction_log_uris, scope_log_uris, ...rest } = report
    const { log_range, checkpoint, proof_uri, ...sums } = rest
    expect(open).toMatchObject({ status: 'open', ...sums })
    const lines = await place.lines(report.transaction_log_uris)
    const money = 'action sub_id amount additional_amount gross fee interchange vat net type'
    const shown = (tid: string) =>
      lines.filter((line) => line['tid'] === tid).map((line) => pick(line, money).join(' '))
    expect(shown(whole)).toEqual([
      'request  200.00 0.00 0.00 0.00 0.00 0.00 0.00 ',
      'auth  200.00 0.00 0.00 0.00 0.00 0.00 0.00 credit',
      'capture  200.00 0.00 200.00 1.80 2.00 0.00 196.20 credit',
    ])
    expect(shown(parts)).toEqual([
      'request  150.00 15.00 0.00 0.00 0.00 0.00 0.00 ',
      'auth  150.00 15.00 0.00 0.00 0.00 0.00 0.00 credit',
      'capture one 50.00 10.00 60.00 1.80 0.60 0.00 57.60 credit',
      'capture two 50.00 0.00 50.00 1.80 0.50 0.00 47.70 credit',
      'release  50.00 5.00 0.00 0.00 0.00 0.00 0.00 credit',
    ])
    expect(report.report_summary).toEqual([
      {
        currency: 'NOK',
        taxcode: 'NO:2013',
        gross: '310.00',
        amount_total: '300.00',
        additional_amount_total: '10.00',
        fees: [
          { type: 'transaction_fee', amount: '5.40' },
          { type: 'interchange', amount: '3.10' },
        ],
        interchange: '3.10',
        net: '301.50',
      },
    ])
    expect(report).toMatchObject({
      payment_request_count: 2,
      payment_auth_count: 2,
      payment_capture_count: 3,
      payment_release_count: 1,
      payment_expire_count: 0,
    })
  })
})

describe('the register of ledgers', () => {
  const path = '/merchant/v1/ledger/'

  test('given a merchant, then it has the ledger default in its currency, which stays', async () => {
    expect(await place.ledger()).toMatchObject({ id: 'default', currency: 'NOK', enabled: true })
    expect((await place.ask('DELETE', `${path}default/`)).status).toBe(409)
    const described = await place.ask('PUT', `${path}default/`, { description: 'All of it' })
    expect(described.status).toBe(204)
    expect((await place.ledger()).description).toBe('All of it')
    expect((await place.ask('PUT', `${path}default/`, {})).status).toBe(204)
    expect((await place.ledger()).description).toBe('All of it')
  })

  test('given a ledger, when it is registered again, then its Location is the same and other data a conflict', async () => {
    const first = await place.ask('POST', path, { id: 'bar', currency: 'nok', description: 'Bar' })
    const again = await place.ask('POST', path, { id: 'bar', currency: 'NOK', description: 'Bar' })
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.location).toBe(first.location)
    expect((await place.ask('POST', path, { id: 'bar', currency: 'EUR' })).status).toBe(409)
    expect((await place.ask('POST', path, { id: 'a/b', currency: 'EUR' })).status).toBe(400)
    expect(await place.ledger('', 'bar')).toEqual({
      id: 'bar',
      closes: 'by_hand',
      currency: 'NOK',
      description: 'Bar',
      enabled: true,
      open_report_uri: '/merchant/v1/ledger/bar/report/1/',
      last_closed_report_uri: null,
    })
    expect((await place.get(path)).uris).toEqual([`${path}bar/`, `${path}default/`])
  })

  test('given no id, then the service makes one', async () => {
    const { status, location } = await place.ask('POST', path, { currency: 'NOK' })
    expect(status).toBe(201)
    expect((await place.ask('GET', location ?? '')).body.currency).toBe('NOK')
  })

  test('given a disabled ledger, then running payments post to it and new ones are refused', async () => {
    const running = await place.authorize({ amount: '10.00', ledger: 'bar' })
    expect((await place.ask('DELETE', `${path}bar/`)).status).toBe(204)
    expect((await place.ledger('', 'bar')).enabled).toBe(false)
    await place.capture(running)
    expect(await place.outcome(running)).toMatchObject({ ledger: 'bar', report_id: '1' })
    await expect(place.authorize({ amount: '10.00', ledger: 'bar' })).rejects.toThrow('ledger')
    await expect(place.authorize({ amount: '10.00', ledger: 'none' })).rejects.toThrow('ledger')
    const [line] = await place.lines((await place.close(1, 'bar')).transaction_log_uris)
    expect(line).toMatchObject({ tid: running, action: 'request' })
  })

  test('given a disabled ledger, when it is enabled again, then it takes new payments', async () => {
    await place.ask('POST', path, { id: 'yard', currency: 'NOK', description: 'Yard' })
    const put = (ledger: string, json: object) => place.ask('PUT', `${path}${ledger}/`, json)
    const isEnabled = async () => (await place.ledger('', 'yard')).enabled
    expect((await put('yard', { enabled: false })).status).toBe(204)
    expect(await isEnabled()).toBe(false)
    for (const again of [{ enabled: true }, { enabled: true }, { description: 'Back yard' }])
      expect((await put('yard', again)).status).toBe(204)
    expect(await place.ledger('', 'yard')).toMatchObject({
      enabled: true,
      description: 'Back yard',
    })
    const tid = await place.authorize({ amount: '10.00', ledger: 'yard' })
    expect(await place.outcome(tid)).toMatchObject({ ledger: 'yard' })
    const refused = await put('default', { enabled: false, description: 'None' })
    expect(refused.status).toBe(409)
    expect((await place.ledger()).description).toBe('All of it')
    expect((await put('yard', { enabled: 'no' })).status).toBe(400)
  })

  test('given an amendment to another ledger, then what follows stands there', async () => {
    await place.ask('POST', path, { id: 'kiosk', currency: 'NOK' })
    const tid = await place.authorize({ amount: '10.00' })
    expect(await place.outcome(tid)).toMatchObject({ ledger: 'default' })
    const move = (ledger: string) =>
      place.ask('PUT', `/merchant/v1/payment_request/${tid}/`, { ledger })
    expect((await move('bar')).status).toBe(400)
    expect((await move('kiosk')).status).toBe(204)
    const standing = { ledger: 'default', report_id: (await place.outcome(tid)).report_id }
    expect(standing).toMatchObject({ ledger: 'default' })
    // Events without a line leave it in the report of its latest line, even if that is closed.
    await place.close(await openReport())
    expect((await move('kiosk')).status).toBe(204)
    await place.ask('PUT', `/merchant/v1/payment_request/${tid}/`, { action: 'reauth' })
    expect(await place.outcome(tid)).toMatchObject(standing)
    await place.capture(tid)
    expect(await place.outcome(tid)).toMatchObject({
      ledger: 'kiosk',
      report_uri: '/merchant/v1/ledger/kiosk/report/1/',
    })
  })
})

/** Number of the open report of the default ledger. */
const openReport = async (): Promise<number> =>
  Number((await place.ledger()).open_report_uri.split('/').at(-2))

describe('closing a report', () => {
  test('given a closed report, then the next is open from that instant, and closing again changes nothing', async () => {
    const closed = await place.close(2)
    const again = await place.close(2, 'default', { callback_uri: 'https://elsewhere.test/' })
    const withoutLinks = ({ transaction_log_uris: _, ...rest }: Record<string, unknown>) => rest
    expect(withoutLinks(again)).toEqual(withoutLinks(closed))
    const open = await place.ledger('report/3/')
    expect(open).toMatchObject({
      status: 'open',
      date_created: closed.time_closed,
      time_closed: null,
      previous_report_uri: '/merchant/v1/ledger/default/report/2/',
      transaction_log_uris: [],
    })
    expect((await place.ledger()).last_closed_report_uri).toMatch(/report\/2\/$/)
    expect((await place.ask('PUT', '/merchant/v1/ledger/default/report/9/')).status).toBe(404)
    expect((await place.ask('GET', '/merchant/v1/ledger/default/report/4/')).status).toBe(404)
    const { uris, next } = await place.ledger('report/')
    expect(uris.map((uri: string) => uri.split('/').at(-2))).toEqual(['3', '2', '1'])
    expect(next).toBeNull()
  })

  test('given one that opens only while the one before it is closed, then it is not closed with it', async () => {
    const path = '/merchant/v1/ledger/bar/report/'
    const open = Number((await place.ledger('', 'bar')).open_report_uri.split('/').at(-2))
    const answers = await Promise.all(
      [open, open + 1].map((number) => place.ask('PUT', `${path}${number}/`)),
    )
    expect(answers.map(({ status }) => status)).toEqual([204, 404])
    expect(await place.get(`${path}${open + 1}/`)).toMatchObject({ status: 'open' })
  })

  test('given a callback address, then report_closed is sent there once the logs are made', async () => {
    const bodies: { meta: Record<string, unknown> }[] = []
    const server = createServer((request, response) => {
      let text = ''
      request.on('data', (chunk) => (text += chunk))
      request.on('end', () => {
        bodies.push(JSON.parse(text))
        response.end()
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const callback_uri = `http://127.0.0.1:${port}/closed`
    await place.close(3, 'default', { callback_uri })
    await place.sandbox('clock/', { advance_seconds: 0 })
    server.close()
    expect(bodies.map(({ meta }) => meta)).toMatchObject([
      {
        event: 'report_closed',
        uri: 'http://daybook.test/merchant/v1/ledger/default/report/3/',
        seqno: 1,
      },
    ])
  })

  test('given an https callback, then its object is the report, and the same however often it is made', async () => {
    const callback_uri = 'https://merchant.invalid/closed'
    const closed = await place.close(4, 'default', { callback_uri })
    const stream = 'ledger-sandbox/default'
    const history = (await place.core.store.readStream(stream)).map(parseEvent)
    const event = history.at(-1)
    const message = {
      subject: `${stream}#4`,
      revision: event?.revision ?? -1,
      event: 'report_closed',
      seqno: 1,
    }
    const make = () => place.wordCallback(message, callback_uri)
    const { meta, object } = JSON.parse(await make())
    expect(meta).toMatchObject({ id: event?.id, event: 'report_closed' })
    const { transaction_log_uris: told, ...rest } = object
    const { transaction_log_uris: shown, ...same } = closed
    expect(rest).toEqual(same)
    const file = (uri: string) => uri.split('?')[0]
    expect(told.map(file)).toEqual(shown.map(file))
    expect(await make()).toBe(await make())
  })

  test('given captures under way while reports are closed at any moments, then each stands in exactly one', async () => {
    const crowds = fc.record({
      payments: fc.integer({ min: 10, max: 40 }),
      closings: fc.uniqueArray(fc.integer({ min: 0, max: 39 }), { minLength: 1, maxLength: 5 }),
    })
    let crowd = 0
    await fc.assert(
      fc.asyncProperty(crowds, async ({ payments, closings }) => {
        crowd += 1
        const first = await openReport()
        const tids = await Promise.all(
          Array.from({ length: payments }, (_, index) =>
            place.authorize({ amount: '10.00' }, `crowd-${crowd}-${index}`),
          ),
        )
        let next = first
        const close = () => place.ask('PUT', `/merchant/v1/ledger/default/report/${next++}/`)
        await Promise.all(
          tids.flatMap((tid, index) => [
            place.capture(tid),
            ...(closings.includes(index) ? [close()] : []),
          ]),
        )
        const captured: string[] = []
        let counted = 0
        for (let report = first; report <= next; report++) {
          const closed = await place.close(report)
          const lines = await place.lines(closed.transaction_log_uris)
          const captures = lines.filter(({ action }) => action === 'capture')
          captured.push(...captures.map(({ tid = '' }) => tid))
          counted += closed.payment_capture_count
          for (const { tid = '' } of captures)
            expect((await place.outcome(tid)).report_id).toBe(String(report))
        }
        expect(captured.toSorted()).toEqual(tids.toSorted())
        expect(counted).toBe(tids.length)
      }),
      { numRuns: 8 },
    )
  })
})

test('given an authorisation of which only the additional amount was captured, when it expires, then its line is a release, and that of an untouched one an expiry', async () => {
  const report = await openReport()
  const touched = await place.authorize({ amount: '150.00', additional_amount: '15.00' })
  const untouched = await place.authorize({ amount: '150.00', additional_amount: '15.00' })
  const part = { amount: '0.00', additional_amount: '10.00', currency: 'NOK', capture_id: 'tip' }
  expect((await place.capture(touched, part)).status).toBe(204)
  await place.sandbox('clock/', { advance_seconds: 259_200 })
  const { transaction_log_uris, ...counts } = await place.close(report)
  const lines = await place.lines(transaction_log_uris)
  const last = (wanted: string) => lines.filter(({ tid }) => tid === wanted).at(-1)
  const money = 'action amount additional_amount gross'
  expect(pick(last(touched), money).join(' ')).toBe('release 150.00 5.00 0.00')
  expect(pick(last(untouched), money).join(' ')).toBe('expire 150.00 15.00 0.00')
  expect(counts).toMatchObject({ payment_release_count: 1, payment_expire_count: 1 })
})

test('given a request that expires within its second, when it is logged, then it stands before its expiry', async () => {
  const report = await openReport()
  const asked = await place.ask('POST', '/merchant/v1/payment_request/', {
    ...{ pos_id: 'till-1', pos_tid: 'at-once', action: 'auth', expires_in: 0 },
    ...{ amount: '1.00', currency: 'NOK', allow_credit: false, customer: '4799999901' },
  })
  expect(asked.status).toBe(201)
  await place.sandbox('clock/', { advance_seconds: 0 })
  const lines = await place.lines((await place.close(report)).transaction_log_uris)
  const own = lines.filter(({ tid }) => tid === asked.body.id)
  expect(own.map(({ action }) => action)).toEqual(['request', 'expire'])
})

describe('the bytes of a closed report', () => {
  const logOf = async (report: number) =>
    Promise.all(
      (await place.ledger(`report/${report}/`)).transaction_log_uris.map(
        async (uri: string) => (await place.ask('GET', uri)).text,
      ),
    )

  test('are not changed by later refunds, nor by losing the files, nor by a rebuild', async () => {
    const report = await openReport()
    const tid = await place.authorize({ amount: '77.00' })
    await place.capture(tid)
    await place.close(report)
    const before = await logOf(report)
    expect(before[0]).toContain('77.00')
    expect((await place.refund(tid)).status).toBe(204)
    await place.sandbox('settlement/', { merchant: 'sandbox' })
    expect(await logOf(report)).toEqual(before)
    rmSync(join(place.directory, 'logs'), { recursive: true })
    expect(await logOf(report)).toEqual(before)
    const summary = (await place.ledger(`report/${report}/`)).report_summary

    await place.stop()
    rmSync(join(place.directory, 'logs'), { recursive: true })
    await rebuildReadModels(readSettings({ DATA_DIR: place.directory }))
    place = await openPlace(place.directory)
    expect(await logOf(report)).toEqual(before)
    expect((await place.ledger(`report/${report}/`)).report_summary).toEqual(summary)
    expect(await place.outcome(tid)).toMatchObject({ report_id: String(report + 1) })
  })

  test('of a report whose logs an earlier version made stay as they were, also when they are made again', async () => {
    let own = await openPlace()
    onTestFinished(async () => {
      await own.stop()
      own.remove()
    })
    await own.capture(await own.authorize({ amount: '77.00' }))
    await own.service.stop()
    const { core, directory } = own
    const context = () => core.contextOf('test', 'sandbox')
    const ledger = within('sandbox', 'default')
    const implied = { merchant: 'sandbox', id: 'default', currency: 'NOK', description: null }
    const close = { type: 'CloseReport', report: 1, openedAt: 0, callbackUri: null } as const
    await core.handle(ledgers, ledger, { ...close, implied }, context())
    await core.readModels.caughtUp()
    const logs = join(directory, 'logs')
    const writer = makeLogWriter(logs)
    const { closedPosition: before = 0 } =
      core.accounting.reports.find('sandbox', 'default', 1) ?? {}
    const range = { merchant: 'sandbox', ledger: 'default', after: 0, before }
    const earlier = { settlements: [], settlementFees: [], format: 1 }
    const completion = await writer.write({ database: core.readModelFile, ...range, ...earlier })
    await writer.close()
    expect(completion).not.toHaveProperty('format')
    const complete = { type: 'CompleteReport', report: 1, completion } as const
    await core.handle(ledgers, ledger, complete, context())
    await core.close()
    own = await openPlace(directory)

    const [uri = ''] = (await own.ledger('report/1/')).transaction_log_uris
    const read = async () => (await own.ask('GET', uri)).text
    const held = await read()
    expect(held.split('\n')[0]).toMatch(/,reserved2$/)
    expect(held).toContain(',77.00,')
    rmSync(logs, { recursive: true })
    expect(await read()).toBe(held)
  })

  test('name the POS and its id for the payment, its text, and of a refund the reason', async () => {
    const report = await openReport()
    const text = 'Two, and\nsealed:x,granted:1:y, "three"'
    const tid = await place.authorize({ amount: '9.00', text }, 'named-1')
    await place.capture(tid)
    const part = { currency: 'NOK', amount: '1.00' }
    await place.refund(tid, { ...part, refund_id: 'with', text: 'Broken' })
    await place.refund(tid, { ...part, refund_id: 'without' })
    const closed = await place.close(report)
    const [log = '']: string[] = await logOf(report)
    expect(closed.payment_refund_count).toBe(log.split(',refund,').length - 1)
    const lines = log.split('\n').filter((line) => line.startsWith(tid))
    const named = 'till-1,named-1,"Two, and sealed:x,granted:1:y, ""three"""'
    const ends = [named, named, named, 'till-1,named-1,Broken', named]
    expect(lines).toHaveLength(ends.length)
    for (const [index, end] of ends.entries()) expect(lines[index]).toMatch(new RegExp(`,${end}$`))
  })

  test('come as plain CSV to those who like it better, and not to those who refuse it', async () => {
    const [uri = ''] = (await place.ledger('report/1/')).transaction_log_uris
    const typeFor = async (Accept: string) => {
      const init = { headers: { Accept } }
      const { status, headers } = await place.app.request(`http://daybook.test${uri}`, init, {})
      return status === 200 ? headers.get('content-type') : status
    }
    const own = 'application/vnd.service.api.merchant.v1+csv'
    expect(await typeFor('text/csv')).toBe('text/csv; charset=utf-8')
    expect(await typeFor(`${own};q=0.5, text/*`)).toBe('text/csv; charset=utf-8')
    expect(await typeFor('text/csv;q=0, */*')).toBe(own)
    expect(await typeFor(`text/csv;q=0.1, ${own}`)).toBe(own)
    expect(await typeFor('text/csv;q=0')).toBe(406)
  })

  test('are made again when their files are gone or cut short', async () => {
    const [uri = ''] = (await place.ledger('report/1/')).transaction_log_uris
    const read = async () => (await place.app.request(`http://daybook.test${uri}`, {}, {})).text()
    const whole = await read()
    const folder = join(place.directory, 'logs')
    for (const damage of [rmSync, (file: string) => truncateSync(file, 100)]) {
      for (const name of readdirSync(folder)) damage(join(folder, name))
      expect(await read()).toBe(whole)
    }
  })

  test('are not read when the log of events knows nothing of them, though their files are there', async () => {
    const sha256 = 'a'.repeat(64)
    writeFileSync(join(place.directory, 'logs', `${sha256}.csv`), 'of another log')
    const expires = String(Math.floor(place.core.now() / 1000) + 60)
    const signature = place.core.tokens.sign('log', sha256, expires)
    const path = `/merchant/v1/log/${sha256}/?expires=${expires}&signature=${signature}`
    expect((await place.ask('GET', path)).status).toBe(404)
    rmSync(join(place.directory, 'logs', `${sha256}.csv`))
  })

  test('are read by a signed link that ends after 30 days', async () => {
    const [uri = ''] = (await place.ledger('report/1/')).transaction_log_uris
    const open = await place.app.request(`http://daybook.test${uri}`, {}, {})
    expect(open.status).toBe(200)
    expect(open.headers.get('content-type')).toBe('application/vnd.service.api.merchant.v1+csv')
    expect(await open.text()).toContain('tid,sub_id,timestamp,action')
    const forged = uri.replace(/signature=./, (text: string) =>
      text.endsWith('0') ? 'signature=1' : 'signature=0',
    )
    expect((await place.ask('GET', forged)).status).toBe(404)
    const later = uri.replace(/expires=\d/, (text: string) => `${text}9`)
    expect((await place.ask('GET', later)).status).toBe(404)
    await place.sandbox('clock/', { advance_seconds: 2_592_001 })
    expect((await place.ask('GET', uri)).status).toBe(404)
    const [renewed] = (await place.ledger('report/1/')).transaction_log_uris
    expect((await place.ask('GET', renewed)).status).toBe(200)
    const files = readdirSync(join(place.directory, 'logs'))
    expect(files.filter((name) => !/^[0-9a-f]{64}\.csv$/.test(name))).toEqual([])
  })
})

describe('cells of a log', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['+4799999901', "'+4799999901"],
    ['-2', "'-2"],
    ['@here', "'@here"],
    ['＝1', "'＝1"],
    ['\n=1', '"\n\'=1"'],
    ['x;=1+1', "x;'=1+1"],
    ['x\t+1', "x\t'+1"],
    ['x\r\n-1', '"x\r\n\'-1"'],
    ['x; @SUM(1)', "x;' @SUM(1)"],
    [' =1', "' =1"],
    ['\u200b\ufeff=1', "'\u200b\ufeff=1"],
    ['x;\u00a0\u2060＝1', "x;'\u00a0\u2060＝1"],
    ['x;"=1', '"x;\'""=1"'],
    ['\t=1', "'\t'=1"],
    ['a;b;=1;-2', "a;b;'=1;'-2"],
    ['a=b; c-d, e@f', '"a=b; c-d, e@f"'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
    ['plain', 'plain'],
  ])('%s becomes %s', (text, cell) => {
    expect(textCell(text)).toBe(cell)
    const [, quoted = ''] = /^"(.*)"$/s.exec(cell) ?? []
    expect(withoutGuards(quoted === '' ? cell : quoted.replaceAll('""', '"'))).toBe(text)
  })

  test('given a customer written as a formula, then the log shows it as text, and numbers as numbers', async () => {
    const report = await openReport()
    const request = { pos_id: 'till-1', pos_tid: 'formula', action: 'auth', allow_credit: false }
    const about = { currency: 'NOK', amount: '1.00', customer: '=cmd' }
    await place.ask('POST', '/merchant/v1/payment_request/', { ...request, ...about })
    const paid = await place.authorize({ amount: '5.00' })
    await place.capture(paid)
    await place.refund(paid)
    const lines = await place.lines((await place.close(report)).transaction_log_uris)
    expect(lines.filter(({ customer }) => customer === "'=cmd")).toMatchObject([
      { action: 'request' },
      { action: 'fail' },
    ])
    const isRefund = ({ action, tid }: Record<string, string>) =>
      action === 'refund' && tid === paid
    expect(lines.find(isRefund)).toMatchObject({
      amount: '-5.00',
      gross: '-5.00',
      fee: '0.00',
      net: '-5.00',
    })
  })
})

test('given a clock put back, then a report does not close before it was opened', async () => {
  onTestFinished(() => void vi.useRealTimers())
  const now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: now + 3_600_000 })
  const ledger = { id: 'ahead', currency: 'NOK' }
  expect((await place.ask('POST', '/merchant/v1/ledger/', ledger)).status).toBe(201)
  vi.setSystemTime(now)
  const { date_created, time_closed } = await place.close(1, 'ahead')
  expect(time_closed).toBe(date_created)
})
