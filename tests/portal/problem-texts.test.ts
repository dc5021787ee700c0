import { expect, test } from 'vitest'
import {
  callbackFilters,
  filters,
  statusBadge,
} from '../../web/portal/developers/callback-list.tsx'
import { textsIn } from '../../texts/catalogue.ts'
import { problemText } from '../../web/portal/problem-texts.ts'
import { problemOfStatus } from '../../infrastructure/callbacks/callback-sender.ts'
import { problemOf } from '../../infrastructure/callbacks/post.ts'
import { PrivateAddress } from '../../infrastructure/callbacks/name-resolution.ts'

const english = /\b(?:the|is|are|with|answered|receiver|no|not|by|address)\b/

const failures = [
  Object.assign(new Error('aborted'), { name: 'AbortError' }),
  Object.assign(new Error('self-signed'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
  Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
  Object.assign(new Error('Parse Error: Expected HTTP/'), { code: 'HPE_INVALID_CONSTANT' }),
  Object.assign(new Error('read'), { code: 'ECONNRESET' }),
  Object.assign(new Error('write EPROTO'), { reason: 'wrong version number' }),
].map(problemOf)

const statuses = Array.from({ length: 400 }, (_, index) => 200 + index)

const answers = statuses.flatMap((status) => [
  problemOfStatus(status, undefined),
  problemOfStatus(status, 'https://shop.example/there'),
])

const others = [
  'the answer is not one that HTTP allows',
  'the certificate is for shop.example and not for pay.example',
  'the certificate has expired on 3 Nov 2026',
  'the certificate is not valid before 3 Nov 2026',
  'no address of shop.example is found (ENOTFOUND)',
  new PrivateAddress('shop.example').message,
]

test('each problem text of the service has a Norwegian and a Swedish translation', () => {
  for (const problem of [...failures, ...answers, ...others]) {
    expect(problemText(problem, 'en')).toBe(problem)
    expect(problemText(problem, 'nb')).not.toMatch(english)
    expect(problemText(problem, 'sv')).not.toMatch(english)
  }
})

test('what has a number or a name in it keeps it', () => {
  expect(problemText('answered with status 503: the receiver is out of service', 'nb')).toBe(
    'svarte med status 503: mottakeren er ute av drift',
  )
  expect(problemText('the certificate is for a.example and not for b.example', 'nb')).toBe(
    'sertifikatet er for a.example og ikke for b.example',
  )
  expect(problemText('socket hang up', 'nb')).toBe('socket hang up')
})

test.each(callbackFilters)('given the filter %s, then badges of its rows say so', (filter) => {
  const reader = { language: 'en' } as const
  const said = filters[filter].map((status) => String(statusBadge(reader, { status })))
  // Those that are given up are among the failed ones.
  const names = filter === 'failed' ? (['failed', 'abandoned'] as const) : [filter]
  expect(said.map((badge) => />([^<]*)<\/b>/.exec(badge)?.[1])).toEqual(
    names.map((name) => textsIn.en.developers[`filter_${name}`]),
  )
})
