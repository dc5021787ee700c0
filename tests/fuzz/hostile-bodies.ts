import type { Schema } from '../../harness/values-of-schema.ts'
import { crc32, deflateSync } from 'node:zlib'

/** A chunk of a PNG file. */
export const chunk = (type: string, content: Uint8Array): Buffer => {
  const named = Buffer.concat([Buffer.from(type), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** A black picture of one byte a pixel, with so many rows behind its header. */
export const pngOf = (width: number, height: number, rows = height): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  const pixels = deflateSync(Buffer.alloc((width + 1) * rows))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    ...[chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))],
  ])
}

/** Makes a body of at most this size. */
export type Hostile = {
  readonly name: string
  readonly body: (size: number) => string | Uint8Array
}

const repeated = (text: string, size: number): string =>
  text.repeat(Math.max(0, Math.floor(size / Math.max(1, text.length))))

/** `before`, as many parts as fit, then `after`. */
const filled = (
  before: string,
  part: (index: number) => string,
  after: string,
  size: number,
  most = Infinity,
): string => {
  const parts: string[] = []
  let left = size - before.length - after.length
  for (let index = 0; index < most; index += 1) {
    const next = part(index)
    left -= Buffer.byteLength(next) + 1
    if (left < 0) break
    parts.push(next)
  }
  return before + parts.join(',') + after
}

const list = (name: string, part: (index: number) => string, most?: number): Hostile => ({
  name,
  body: (size) => filled('{"a":[', part, ']}', size, most),
})

const text = (name: string, part: string): Hostile => ({
  name,
  body: (size) => `{"a":"${repeated(part, (size - 8) / (Buffer.byteLength(part) / part.length))}"}`,
})

/** As many values as one body may have (interface 2.5). */
const values = 15_990

/** JSON that matches no route. */
const anyJson: readonly Hostile[] = [
  list('numbers with exponents', () => '1e1'),
  list('numbers, as many as may be', () => '1e1', values),
  list('long numbers, as many as may be', (n) => `0.${String(n).padStart(45, '7')}`, values),
  list('numbers as long as may be', (n) => `0.${String(n).padStart(997, '7')}`, 100),
  { name: 'one number', body: (size) => `{"a":1${repeated('0', size - 8)}1}` },
  { name: 'huge exponent', body: (size) => `{"a":1e${repeated('9', size - 8)}}` },
  { name: 'nested lists', body: (size) => repeated('[', size) },
  { name: 'nested objects', body: (size) => repeated('{"a":', size) },
  list('lists of the deepest kind', () => `${'['.repeat(30)}${']'.repeat(30)}`, values / 30),
  { name: 'keys', body: (size) => filled('{', (n) => `"k${n}":1`, '}', size) },
  {
    name: 'keys, as many as may be',
    body: (size) => filled('{', (n) => `"k${n}${'x'.repeat(30)}":1`, '}', size, values),
  },
  {
    name: 'keys that are indices',
    body: (size) => filled('{', (n) => `"${n * 99_991}":1`, '}', size, values),
  },
  {
    name: 'one key again and again',
    body: (size) => filled('{', () => '"a":1', '}', size, values),
  },
  text('long text', 'a'),
  text('long text of escapes', '\\n'),
  text('long text of surrogates', '\\ud83d\\ude00'),
  text('long text of emoji', '😀'),
  { name: 'blanks', body: (size) => `{}${repeated(' ', size - 2)}` },
  { name: 'no JSON', body: (size) => repeated('"', size) },
  { name: 'no UTF-8', body: (size) => new Uint8Array(size).fill(0xff) },
]

const nothings = ['', 'x', ' ', '\u200b', '\u00e5', '1', 'http://a/', '\\']

/** The fields of a schema, each at maximum length. */
const longFields = (properties: Schema, valid: Schema): readonly Hostile[] => {
  const names = Object.keys(properties)
  return nothings.map((part) => ({
    name: `every field long: ${JSON.stringify(part)}`,
    body: (size) => {
      const share = size / Math.max(1, names.length) - 100
      const long = repeated(part, (share * part.length) / Math.max(1, Buffer.byteLength(part) + 1))
      const all = Object.fromEntries(names.map((name) => [name, long]))
      return JSON.stringify(part === '' ? { ...valid, ...all } : all)
    },
  }))
}

/** Long lists for a schema: empty items, items with one fault each, or valid items. */
const longLists = (
  properties: Schema,
  valid: Schema,
  item: (schema: Schema) => unknown,
): readonly Hostile[] =>
  Object.entries<Schema>(properties).flatMap(([name, schema]) => {
    const lists = [schema, ...((schema['anyOf'] ?? []) as Schema[])]
    const items = lists.find(({ items }) => items !== undefined)?.['items'] as Schema | undefined
    if (!items) return []
    const of = (most: number, what: string, make: (index: number) => unknown): Hostile => ({
      name: `${name}: ${what}`,
      body: (size) => {
        const { [name]: _, ...rest } = valid
        const before = `${JSON.stringify(rest).slice(0, -1)},${JSON.stringify(name)}:[`
        return filled(before.replace('{,', '{'), (n) => JSON.stringify(make(n)), ']}', size, most)
      },
    })
    const whole = item(items)
    const faulty = (index: number) =>
      typeof whole === 'object' && whole !== null
        ? { ...whole, [Object.keys(whole)[index % Object.keys(whole).length] ?? 'a']: {} }
        : { a: index }
    return [
      of(values, 'empty objects, as many as may be', () => ({})),
      of(1000, '1000 empty objects', () => ({})),
      of(1000, '1000 items with one fault each', faulty),
      of(1000, '1000 items', () => whole),
      of(1000, '1000 items, the last at fault', (n) => (n < 999 ? whole : faulty(0))),
    ]
  })

/** Every case for JSON bodies. */
export const hostileJson = (
  properties: Schema,
  valid: Schema,
  item: (schema: Schema) => unknown,
): readonly Hostile[] => [
  ...anyJson,
  ...longFields(properties, valid),
  ...longLists(properties, valid, item),
]

/** Every case for form bodies. */
export const hostileForms = (names: readonly string[]): readonly Hostile[] => [
  { name: 'fields', body: (size) => repeated('a=b&', size) },
  {
    name: 'fields, as many as may be',
    body: (size) => filled('', (n) => `k${n}=1&`, '', size, 999).replaceAll(',', ''),
  },
  { name: 'one field again and again', body: (size) => repeated('a&', Math.min(size, 1990)) },
  { name: 'escapes', body: (size) => `a=${repeated('%41', size - 2)}` },
  { name: 'half escapes', body: (size) => repeated('%', size) },
  { name: 'pluses', body: (size) => repeated('+', size) },
  ...nothings.map((part) => ({
    name: `every field long: ${JSON.stringify(part)}`,
    body: (size: number) => {
      const share = size / Math.max(1, names.length) - 20
      const long = repeated(part, share / 3)
      return new URLSearchParams(names.map((name): [string, string] => [name, long]))
        .toString()
        .slice(0, size)
    },
  })),
]

export const boundary = 'b'.repeat(60)

const multipart = (parts: readonly (readonly [type: string, content: Uint8Array])[]): Uint8Array =>
  Buffer.concat([
    ...parts.flatMap(([type, content]) => [
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n`),
      Buffer.from(`Content-Type: ${type}\r\n\r\n`),
      content,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ])

/** Every case for uploads: parts of at most 1 MB. */
export const hostileUploads = (
  types: readonly string[],
  json: readonly Hostile[],
): readonly Hostile[] => {
  const largestPart = 1_000_000
  const png = pngOf(4096, 4096)
  const bomb = pngOf(30_000, 30_000)
  const chunks = Buffer.concat([
    png.subarray(0, 33),
    ...Array.from({ length: 80_000 }, () => chunk('tEXt', Buffer.alloc(0))),
    png.subarray(33),
  ])
  const ofAll = (name: string, type: string, content: Uint8Array): Hostile => ({
    name,
    body: (size) => {
      const count = Math.min(20, Math.floor(size / (content.length + 300)))
      return multipart(Array.from({ length: count }, () => [type, content]))
    },
  })
  const jsonTypes = types.filter((type) => type.endsWith('json'))
  return [
    { name: 'parts', body: (size) => repeated(`--${boundary}\r\n\r\n\r\n`, size) },
    { name: 'nearly boundaries', body: (size) => repeated(`\r\n--${boundary.slice(1)}`, size) },
    {
      name: 'headers of one part',
      body: (size) => `--${boundary}\r\n${repeated('a: b\r\n', size - 200)}\r\n\r\n--${boundary}--`,
    },
    { name: 'nothing', body: (size) => new Uint8Array(size) },
    ofAll('pictures of 4096 × 4096', 'image/png', png),
    ofAll('pictures of 30,000 × 30,000', 'image/png', bomb),
    ofAll('pictures of empty chunks', 'image/png', chunks.subarray(0, largestPart)),
    ...jsonTypes.flatMap((type) =>
      json.map(({ name, body }) =>
        ofAll(
          `${type.replace(/.*\.([a-z]+)\.v1\+json/, '$1')}: ${name}`,
          type,
          Buffer.from(body(largestPart)),
        ),
      ),
    ),
  ]
}
