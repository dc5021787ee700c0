import { afterAll, describe, expect, test } from 'vitest'
import { start, type RecordedEvent } from '../../application/event-store.ts'
import { parseCheckpoint } from '../../domain/transparency/checkpoints.ts'
import { namesPayer } from '../../application/proved-events.ts'
import { parseNote } from '../../domain/transparency/signed-note.ts'
import { reportView } from '../../http/merchant/report-reply.ts'
import { leafOf } from '../../infrastructure/event-store/event-entry.ts'
import { sha256 } from '../../infrastructure/keys/keys.ts'
import { base } from '../../harness/ledger-service.ts'
import { secretHeaders } from '../../harness/signing.ts'
import { tellStory, type Name, type Receipt } from './story.ts'
import { includes, isConsistent, parseProof } from './proof-checks.ts'

const story = await tellStory()

const { place, paths, receiptAt } = story

afterAll(() => story.remove())

const names = Object.keys(paths) as Name[]

const document = (path: string) => place.get(`/merchant/v1${path}`)

const status = async (path: string): Promise<number> =>
  (await place.ask('GET', `/merchant/v1${path}`)).status

const bytes = (base64 = ''): Buffer => Buffer.from(base64, 'base64')

const events: RecordedEvent[] = []

for await (const batch of place.core.store.readAll(start)) events.push(...batch)

const { rootOf } = place.core.tree

const checkpointOf = ({ checkpoint }: Receipt) => {
  const found = parseCheckpoint(parseNote(checkpoint)?.text ?? '')
  if (!found) throw new Error(`no checkpoint: ${checkpoint}`)
  return found
}

describe('a receipt', () => {
  test.each(names)('of %s has for each event the proof that it stands in the log', async (name) => {
    const receipt = await receiptAt(paths[name])
    const { size, root } = checkpointOf(receipt)
    expect(receipt.entries.length).toBeGreaterThan(2)
    for (const { index, proof: text, entry, leaf: given, type } of receipt.entries) {
      const proof = parseProof(text)
      const leaf = entry === undefined ? bytes(given) : sha256(Buffer.of(0), Buffer.from(entry))
      expect([proof?.index, proof?.checkpoint]).toEqual([index, receipt.checkpoint])
      expect(includes(sha256, { leaf, index, size, root, proof: proof?.hashes ?? [] })).toBe(true)
      expect([type, leaf]).toEqual([events[index]?.type, bytes(leafOf(events[index]!).leaf)])
    }
  })

  test('of a payment has all of its events', async () => {
    const { entries } = await receiptAt(paths.coffee)
    const own = events.filter(({ stream }) => stream === `payment-${story.coffee}`)
    expect(entries.map(({ type }) => type)).toEqual(own.map(({ type }) => type))
  })

  test('withholds entries that name a payer, and no other ones', async () => {
    const { payer } = events.find(({ type }) => type === 'PaymentAuthorized')?.data ?? {}
    expect(payer).toMatch(/./)
    const named = [`"payer":"${payer}"`, `"payer:${payer}"`, `"sealed:${payer}:`]
    const isNamedIn = (text: string) => named.some((each) => text.includes(each))
    for (const name of names) {
      const { entries } = await receiptAt(paths[name])
      expect(isNamedIn(entries.map(({ entry, data }) => `${entry} ${data}`).join())).toBe(false)
      for (const { index, withheld, entry, leaf } of entries) {
        const isOfPayer = isNamedIn(JSON.stringify([events[index]?.data, events[index]?.metadata]))
        expect([index, withheld]).toEqual([index, isOfPayer ? 'names a payer' : undefined])
        expect([entry === undefined, leaf === undefined]).toEqual([isOfPayer, !isOfPayer])
      }
    }
  })

  test('proves with ?from= that the log continues a checkpoint that was kept', async () => {
    const earlier = checkpointOf({ checkpoint: story.kept } as Receipt)
    const receipt = await receiptAt(paths.late, `?from=${earlier.size}`)
    const { size: laterSize, root: laterRoot } = checkpointOf(receipt)
    const [{ old_size, size, hashes } = { old_size: 0, size: 0, hashes: [] }] = receipt.consistency
    expect([old_size, size]).toEqual([earlier.size, laterSize])
    const between = { ...earlier, laterSize, laterRoot, proof: hashes.map(bytes) }
    expect(isConsistent(sha256, between)).toBe(true)
    expect(await status(`${paths.late}proof/?from=${laterSize + 1}`)).toBe(400)
    expect(await status(`${paths.late}proof/?from=-1`)).toBe(400)
  })

  test('counts the events newer than its checkpoint', async () => {
    const tid = await place.authorize({ amount: '3.00' })
    expect(await status(`/payment_request/${tid}/proof/`)).toBe(404)
    await story.passTime()
    await place.capture(tid)
    const before = await receiptAt(`/payment_request/${tid}/`)
    expect([before.entries.length, before.not_covered_yet]).toEqual([2, 1])
    await story.passTime()
    const after = await receiptAt(`/payment_request/${tid}/`)
    expect([after.entries.length, after.not_covered_yet]).toEqual([3, 0])
  })

  test.each([
    '/payment_request/nothing/proof/',
    '/ledger/default/report/99/proof/',
    '/ledger/default/report/3/proof/',
    '/ledger/nothing/report/1/proof/',
    '/settlement/99/proof/',
  ])('of %s, which is not there or not closed, is a 404', async (path) => {
    expect(await status(path)).toBe(404)
  })

  test('waits its turn while sixteen of its merchant are not read to their end', async () => {
    const ask = (query = '') => {
      const headers = secretHeaders('sandbox', 'pos1', 'sandbox-secret')
      return place.app.request(`${base}/merchant/v1${paths.report1}proof/${query}`, { headers }, {})
    }
    const then = `?as_of=${events.length}`
    const unread = await Promise.all(Array.from({ length: 16 }, (_, at) => ask(at % 2 ? then : '')))
    expect(unread.map(({ status }) => status)).toEqual(Array(16).fill(200))
    const refused = [await ask(), await ask(then)]
    expect(refused.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
      [429, '2'],
      [429, '2'],
    ])
    await unread.pop()?.text()
    await unread.pop()?.body?.cancel()
    const next = [await ask(), await ask(then)]
    expect(next.map(({ status }) => status)).toEqual([200, 200])
    for (const { body } of [...unread, ...next]) await body?.cancel()
  })

  test('is for its merchant alone', async () => {
    const ask = async (path: string, headers = {}) =>
      (await place.app.request(`${base}/merchant/v1${path}proof/`, { headers }, {})).status
    const other = secretHeaders('other', 'till', 'open sesame')
    expect(await ask(paths.coffee, other)).toBe(404)
    expect(await ask(paths.settlement1, other)).toBe(404)
    expect(await ask(paths.coffee)).toBe(401)
  })
})

describe('the document of a report or settlement', () => {
  test.each([
    [paths.report1, paths.report2],
    [paths.settlement1, paths.settlement2],
  ])('names the range of the log, which begins where %s ended', async (first, second) => {
    const [one, next] = [await document(first), await document(second)]
    expect([one.log_range.from, next.log_range.from]).toEqual([0, one.log_range.to])
    for (const { checkpoint, log_range, proof_uri } of [one, next]) {
      expect(checkpoint.size).toBe(log_range.to)
      expect(bytes(checkpoint.root)).toEqual(Buffer.from(rootOf(log_range.to)))
      expect((await place.ask('GET', proof_uri)).status).toBe(200)
    }
    const cut = events[one.log_range.to]
    expect(cut?.type).toMatch(/^(ReportClosed|SettlementStarted)$/)
  })

  test('has neither range nor checkpoint where its events do not', () => {
    const nothing = { counters: {}, totals: [], transactionLogs: [], scopeLogs: [] }
    const about = { ledger: 'default', number: 1, status: 'closed', callbackUri: null } as const
    const report = { ...about, openedAt: 0, closedAt: 1, sums: nothing }
    const links = { full: (path: string) => path, inBody: (path: string) => path }
    const view = reportView({ links, sign: () => '' }, report, 0)
    expect(Object.keys(view)).not.toContain('log_range')
    expect(Object.keys(view)).not.toContain('checkpoint')
  })
})

test.each([
  [{ data: { payer: 'a1' } }, true],
  [{ data: { payer: null } }, false],
  [{ data: { request: { customer: 'sealed:a1:xyz' } } }, true],
  [{ data: { request: { customer: null, text: '"payer":"a1"' } } }, false],
  [{ data: {}, metadata: { actor: 'payer:a1' } }, true],
  [{ data: { amount: 1 }, metadata: { actor: 'user:payer' } }, false],
])('whether %j names a payer: %s', (event, expected) => {
  expect(namesPayer({ metadata: { actor: 'daybook' }, ...event })).toBe(expected)
})
