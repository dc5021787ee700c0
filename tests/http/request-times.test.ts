import { expect, test } from 'vitest'
import { metricOf } from '../../service/metrics/catalogue.ts'
import { joinMetrics } from '../../service/metrics/join-metrics.ts'
import { requestTimes } from '../../service/server/request-log.ts'

test('an answer counts in its bucket and in all larger ones, its time in the sum', async () => {
  const times = requestTimes()
  for (const milliseconds of [0.4, 1, 30, 7000]) times.observe('GET', '/a/:id/', 200, milliseconds)
  times.observe('PUT', '/a/:id/', 204, 3)
  const lines = (
    await joinMetrics([[metricOf('daybook_http_request_seconds', times.samples())]]).metrics()
  ).split('\n')
  const of = (rest: string) => `daybook_http_request_seconds_${rest}`
  const labels = 'method="GET",path="/a/:id/",status="200"'
  expect(lines.slice(0, 2)).toEqual([
    '# HELP daybook_http_request_seconds Time to answer a request, by route.',
    '# TYPE daybook_http_request_seconds histogram',
  ])
  expect(lines).toContain(of(`bucket{le="0.001",${labels}} 2`))
  expect(lines).toContain(of(`bucket{le="0.025",${labels}} 2`))
  expect(lines).toContain(of(`bucket{le="0.05",${labels}} 3`))
  expect(lines).toContain(of(`bucket{le="5",${labels}} 3`))
  expect(lines).toContain(of(`bucket{le="+Inf",${labels}} 4`))
  expect(lines).toContain(of(`count{${labels}} 4`))
  expect(lines).toContain(of(`sum{${labels}} ${(0.4 + 1 + 30 + 7000) / 1000}`))
  expect(lines).toContain(of('count{method="PUT",path="/a/:id/",status="204"} 1'))
})
