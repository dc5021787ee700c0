// @module-tag long
import { expect, onTestFinished, test } from 'vitest'
import { authorizedPayment, paths, startService, type Service } from '../support/http-service.ts'
import { catalogue, type MetricName } from '../../service/metrics/catalogue.ts'
import { leasedKinds } from '../../infrastructure/leases/leases.ts'

const started = async (environment: Readonly<Record<string, string>> = {}) => {
  const service = await startService({ LOG_LEVEL: 'silent', ...environment })
  onTestFinished(() => service.stop())
  return service
}

const scraped = async ({ call }: Service): Promise<readonly string[]> =>
  (await call('GET', '/metrics')).text.split('\n').filter((line) => line.startsWith('daybook_'))

const nameOf = (line: string): string => /^\w+/.exec(line)?.[0] ?? ''

const isHistogram = (name: string): boolean =>
  name in catalogue && catalogue[name as MetricName].type === 'histogram'

const metricIn = (line: string): string => {
  const name = nameOf(line)
  const base = name.replace(/_(?:bucket|sum|count)$/, '')
  return isHistogram(base) ? base : name
}

const captured = async (service: Service, changes = {}): Promise<string> => {
  const path = await authorizedPayment(service, changes)
  await service.pos1('PUT', path, { action: 'capture' })
  return path
}

/** Of nodes, threads, processes, an audit, certificates, chosen merchants, a port of their own. */
const absent: readonly string[] = [
  'daybook_audit_held_timestamp_seconds',
  'daybook_audit_holds',
  'daybook_certificate_end_timestamp_seconds',
  'daybook_merchant_callback_attempts_total',
  'daybook_merchant_payment_events_total',
  'daybook_nodes',
  'daybook_processes',
  'daybook_scraped_timestamp_seconds',
  'daybook_thread_failures_total',
]

test('a service exports the metrics of the catalogue, with their labels', async () => {
  const service = await started()
  await captured(service)
  await service.call('POST', '/sandbox/v1/callback/', {
    body: { callback_uri: 'http://127.0.0.1:9/' },
  })
  await service.call('GET', '/no/such/page')
  const failed = 'daybook_callback_attempt_seconds_count{result="failed"}'
  await expect.poll(async () => (await scraped(service)).join()).toContain(failed)
  const lines = await scraped(service)
  // Another test of this process may have had a thread that fails.
  const found = [...new Set(lines.map(metricIn))]
    .filter((name) => !absent.includes(name))
    .toSorted()
  const expected = Object.keys(catalogue).filter((name) => !absent.includes(name))
  expect(found).toEqual(expected.toSorted())
  for (const line of lines) {
    const metric = catalogue[metricIn(line) as MetricName]
    const labels = [...line.matchAll(/(?:\{|,)(\w+)="/g)].map(([, label = '']) => label)
    const own = metric.labels ?? []
    const all = nameOf(line).endsWith('_bucket') ? ['le', ...own] : own
    expect([line, labels.toSorted()]).toEqual([line, [...all].toSorted()])
  }
})

const valueOf = (lines: readonly string[], series: string): number =>
  Number(
    lines
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')
      .at(-1),
  )

test('commits, groups, work, caches and refusals are counted', async () => {
  const service = await started()
  const before = await scraped(service)
  const path = await captured(service)
  await service.pos1('PUT', path, {
    ...{ action: 'capture', amount: '1.00', currency: 'NOK', capture_id: 'more' },
  })
  await service.pos1('GET', `${paths.pointsOfSale}no-such-till/`)
  await service.call('GET', '/no/such/page')
  await service.core.readModels.caughtUp()
  const after = await scraped(service)
  const more = (series: string) => valueOf(after, series) - (valueOf(before, series) || 0)
  expect(more('daybook_commit_seconds_count')).toBeGreaterThan(2)
  expect(more('daybook_commit_events_sum')).toBeGreaterThan(2)
  expect(more('daybook_commit_events_count')).toBe(more('daybook_commit_seconds_count'))
  expect(more('daybook_store_seconds_count{operation="append"}')).toBeGreaterThan(2)
  expect(more('daybook_store_seconds_count{operation="head"}')).toBeGreaterThan(0)
  expect(more('daybook_cache_lookups_total{cache="states",result="hit"}')).toBeGreaterThan(0)
  expect(more('daybook_work_seconds_count{work="expire_payments"}')).toBeGreaterThan(0)
  expect(more('daybook_refusals_total{code="resource_is_unknown"}')).toBe(1)
  expect(more('daybook_refusals_total{code="status_404"}')).toBe(1)
  expect(more('daybook_refusals_total{code="nothing_is_left_to_capture"}')).toBe(1)
  expect(more('daybook_http_failures_total')).toBe(0)
  for (const kind of leasedKinds)
    expect(valueOf(after, `daybook_work_held{kind="${kind}"}`)).toBe(1)
})

test('merchants of the setting have series of their own, and others have none', async () => {
  const service = await started({ METRICS_MERCHANTS: 'sandbox, another' })
  const stranger = await service.addMerchant('stranger')
  await captured(service)
  await stranger('POST', paths.payments, {})
  const lines = (await scraped(service)).filter((line) => line.startsWith('daybook_merchant_'))
  const captures = { merchant: 'sandbox', event: 'PaymentCaptured' }
  const labels = Object.entries(captures).map(([name, value]) => `${name}="${value}"`)
  expect(valueOf(lines, `daybook_merchant_payment_events_total{${labels.join()}}`)).toBe(1)
  expect(lines.filter((line) => !line.includes('merchant="sandbox"'))).toEqual([])
})

test('whatever strangers send, the number of series stays bounded', { tags: 'long' }, async () => {
  const service = await started()
  const strange = async (round: number): Promise<void> => {
    for (let index = 0; index < 10; index += 1) {
      const word = `x${round}-${index}`
      const headers = { 'X-Service-Merchant': word, 'X-Service-User': word, Authorization: word }
      await service.call('GET', `/${word}/${word}?${word}=${word}`, { headers })
      await service.call('GET', `${paths.pointsOfSale}${word}/`, { headers })
      await service.pos1('GET', `${paths.payments}${word}/`)
      await service.pos1('PUT', `${paths.payments}${word}/`, { action: word, [word]: word })
      await captured(service, { pos_tid: word, text: word })
      await service.call('POST', '/sandbox/v1/callback/', {
        body: { callback_uri: `http://127.0.0.1:9/${word}` },
      })
    }
    await expect
      .poll(async () => valueOf(await scraped(service), 'daybook_callbacks_unfinished'))
      .toBe(10 * round)
  }
  await strange(1)
  const first = await scraped(service)
  await strange(2)
  const second = await scraped(service)
  expect(second.map((line) => line.slice(0, line.lastIndexOf(' ')))).toEqual(
    first.map((line) => line.slice(0, line.lastIndexOf(' '))),
  )
  expect(second.join('\n')).not.toMatch(/x\d-\d/)
  expect(second.length).toBeLessThan(1_500)
})
