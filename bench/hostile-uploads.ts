import { chunk, pngOf } from '../harness/png.ts'
import { repeated, type Hostile } from './hostile-bodies.ts'

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
