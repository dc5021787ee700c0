import type { FurnishedSandbox } from './furnished-sandbox.ts'
import {
  type Operation,
  type Schema,
  pick,
  type Random,
  type Values,
} from '../../harness/values-of-schema.ts'

type Kind = 'valid' | 'nearly valid' | 'hostile'

export type FuzzRequest = {
  readonly kind: Kind
  readonly operation: Operation
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

const odd: readonly unknown[] = [
  ...[null, true, '', 'x', 0, -1, 1.5, 1e21, 1e400, -0, [], {}, [[]], [null], ' ', '\0', '\u200b'],
  ...['😀', '\ud800', 'x'.repeat(300), '-1', '1e5', 'NaN', '../..', '%00', "' OR 1=1", '<b>'],
  ...['__proto__', 'constructor', '2026-02-30 00:00:00', 'http://', 'javascript:1', '٣'],
  ...[{ __proto__: 1 }, { length: 9 }, Array(200).fill({}), Array(60).fill('a'), [[[[[[1]]]]]]],
]

const rawBodies = [
  '',
  '{',
  'null',
  '[]',
  '"a"',
  '{"a":1}{',
  '\ufeff{}',
  '{"a":1e1}',
  'a=b&a=c',
  '%',
]

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Makes one member missing, odd or unknown. */
const spoiled = (random: Random, value: unknown): unknown => {
  if (Array.isArray(value) && value.length > 0)
    return value.map((item, index) => (index === 0 ? spoiled(random, item) : item))
  if (!isRecord(value)) return pick(random, odd)
  const names = Object.keys(value)
  if (names.length === 0 || random() < 0.1) return { ...value, [pick(random, ['a', ''])]: 1 }
  const name = pick(random, names)
  const { [name]: member, ...rest } = value
  if (random() < 0.3) return rest
  return { ...value, [name]: random() < 0.3 ? spoiled(random, member) : pick(random, odd) }
}

const hostileJson = (random: Random): string =>
  pick(random, [
    ...rawBodies,
    '['.repeat(5_000),
    `{"a":[${'1e1,'.repeat(900)}1]}`,
    `{"a":"${'\\ud83d\\ude00'.repeat(300)}"}`,
    `{"line_items":[${Array(300).fill('{}').join(',')}]}`,
    `{${Array.from({ length: 300 }, (_, n) => `"k${n}":${n}`).join(',')}}`,
    `{"a":1${'0'.repeat(3_000)}}`,
    ' '.repeat(17_000),
  ])

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

const formOf = (value: unknown): string => {
  const fields = isRecord(value) ? Object.entries(value) : []
  const pairs = fields.map(([name, member]) => [name, textOf(member) ?? ''] as [string, string])
  return new URLSearchParams(pairs).toString()
}

const boundary = 'fuzz-boundary'

const multipartOf = (type: string, content: string): string =>
  `--${boundary}\r\nContent-Type: ${type}\r\n\r\n${content}\r\n--${boundary}--\r\n`

const wrongTypes = ['text/plain', 'application/x-www-form-urlencoded', 'application/json;x', '']

const wrongHeaders: readonly Record<string, string>[] = [
  { Accept: 'text/csv' },
  { Accept: '*/*;q=0' },
  { Authorization: 'SECRET wrong-secret' },
  { Authorization: 'Bearer wrong' },
  { Authorization: 'Basic OjpFUlI=' },
  { Authorization: 'RSA-SHA256 AAAA' },
  { 'X-Service-Merchant': 'nobody' },
  { 'X-Service-Timestamp': '2020-01-01 00:00:00' },
  { 'Content-Encoding': 'gzip' },
  { Cookie: 'session=a; session=b; __proto__=c' },
  { 'X-Forwarded-For': '999.1.1.1, ::1' },
  { 'Accept-Language': 'xx;q=9,,' },
  { Origin: 'null' },
]

const escaped = (value: unknown): string => {
  try {
    return encodeURIComponent(textOf(value) ?? '')
  } catch {
    return '%ED%A0%80'
  }
}

/**
 * These would end the session that other requests need, or move the clock, so they are only sent
 * invalid.
 */
const refusedOnly = ['DELETE /payer/v1/session/', 'POST /sandbox/v1/clock/', 'POST /payer/sign-out']

/**
 * Generates requests of all kinds, for each operation of a service.
 * Long because its functions share what it is given.
 */
export const fuzzRequests = (
  sandbox: FurnishedSandbox,
  values: Values,
  attachmentPath: string,
  random: Random,
) => {
  const valueFor = (kind: Kind, schema: Schema, name = ''): unknown => {
    if (kind === 'hostile' && random() < 0.4) return pick(random, odd)
    const value = values.valueOf(schema, name)
    return kind === 'valid' ? value : spoiled(random, value)
  }

  const pathFor = (kind: Kind, { path, parameters }: Operation): string => {
    if (path.startsWith('/attachment/') && kind === 'valid') return attachmentPath
    const spoils = kind === 'hostile' && random() < 0.3
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const { schema = {} } = parameters.find((parameter) => parameter.name === name) ?? {}
      return escaped(spoils ? pick(random, odd) : values.valueOf(schema, name))
    })
    const query = parameters.flatMap(({ in: where, name, required, schema }) => {
      if (where !== 'query' || (!required && random() < 0.5)) return []
      return `${name}=${escaped(valueFor(random() < 0.7 ? 'valid' : kind, schema, name))}`
    })
    if (kind === 'hostile' && random() < 0.1)
      query.push(pick(random, ['%', 'a&a', 'next=%00', '=']))
    return query.length > 0 ? `${filled}?${query.join('&')}` : filled
  }

  const bodyFor = (kind: Kind, { body }: Operation): readonly [type: string, body: string] => {
    if (!body) return ['application/json', kind === 'hostile' ? pick(random, rawBodies) : '']
    const { type, schema } = body
    if (type === 'multipart/form-data') {
      const part = pick(random, schema['additionalProperties'].anyOf as Schema[])
      const isPicture = part['contentMediaType'] !== undefined
      const name = pick(random, ['itemlist', 'receipt'])
      const partType = isPicture ? 'image/png' : `application/vnd.service.${name}.v1+json`
      const content = isPicture ? 'no picture' : textOf(valueFor(kind, part))
      return [`${type}; boundary=${boundary}`, multipartOf(partType, content ?? '')]
    }
    if (kind === 'hostile' && random() < 0.5) return [type, hostileJson(random)]
    const value = valueFor(kind, schema)
    return [type, type.endsWith('urlencoded') ? formOf(value) : (JSON.stringify(value) ?? '')]
  }

  return (operation: Operation): FuzzRequest => {
    const isRefused = refusedOnly.includes(`${operation.method} ${operation.path}`)
    const kind = isRefused ? 'hostile' : pick(random, ['valid', 'nearly valid', 'hostile'] as const)
    const path = pathFor(kind, operation)
    const [type, made] = bodyFor(kind, operation)
    const content = isRefused ? pick(random, rawBodies) : made
    const body = operation.method === 'GET' || content === '' ? undefined : content
    const { method } = operation
    const isStranger = isRefused || (kind === 'hostile' && random() < 0.2)
    const asker = isStranger ? 'open' : operation.asker
    const headers = sandbox.credentials[asker]({
      method,
      path,
      ...(body !== undefined && { body }),
    })
    if (body !== undefined) headers['Content-Type'] = type
    if (kind === 'hostile') {
      if (random() < 0.2) headers['Content-Type'] = pick(random, wrongTypes)
      if (random() < 0.4) Object.assign(headers, pick(random, wrongHeaders))
    }
    return { kind, operation, path, headers, body }
  }
}
