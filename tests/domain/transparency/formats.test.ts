import { createHash, createPublicKey, verify } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatCheckpoint, parseCheckpoint } from '../../../domain/transparency/checkpoints.ts'
import {
  formatProof,
  pathOfTile,
  tileOfPath,
  widthOfTile,
} from '../../../domain/transparency/merkle-tree.ts'
import {
  ed25519,
  formatKey,
  formatNote,
  keyIdOf,
  parseNote,
} from '../../../domain/transparency/signed-note.ts'
import { parseProof } from '../../transparency/proof-checks.ts'

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

describe('the path of a tile', () => {
  test.each([
    [{ level: 0, index: 0, width: 256 }, '0/000'],
    [{ level: 1, index: 1234067, width: 256 }, '1/x001/x234/067'],
    [{ level: 2, index: 999, width: 1 }, '2/999.p/1'],
    [{ level: 'entries', index: 1000, width: 255 }, 'entries/x001/000.p/255'],
  ] as const)('of %j is %s', (tile, path) => {
    expect(pathOfTile(tile)).toBe(path)
    expect(tileOfPath(path)).toEqual(tile)
  })

  test('leads back to any tile', () => {
    const tile = fc.record({
      level: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant('entries' as const)),
      index: fc.integer({ min: 0, max: 10 ** 9 }),
      width: fc.integer({ min: 1, max: 256 }),
    })
    fc.assert(
      fc.property(tile, (each) => {
        expect(tileOfPath(pathOfTile(each))).toEqual(each)
      }),
    )
  })

  test.each([
    '0/0',
    '0/x000/001',
    '0/000.p/0',
    '0/000.p/256',
    '0/000.p/257',
    '00/000',
    '0/1000',
    '',
  ])('%j is none', (path) => expect(tileOfPath(path)).toBeUndefined())

  test('the last tile of a level holds what is left of its hashes', () => {
    const widths = (level: number, size: number) =>
      [0, 1, 2].map((index) => widthOfTile({ level, index }, size))
    expect(widths(0, 600)).toEqual([256, 256, 88])
    expect(widths(1, 600)).toEqual([2, 0, 0])
    expect(widthOfTile({ level: 'entries', index: 2 }, 600)).toBe(88)
  })
})

/** An example from Go's golang.org/x/mod/sumdb/note: a note signed by PeterNeumann. */
const peter = {
  key: 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  note:
    'If you think cryptography is the answer to your problem,\n' +
    "then you don't know what your problem is.\n\n" +
    '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuG' +
    'UgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n',
}

describe('a signed note', () => {
  const key = Buffer.from(peter.key.split('+').slice(2).join('+'), 'base64').subarray(1)

  test('made by Go is read, its key id is ours, and its signature holds', () => {
    const note = parseNote(peter.note)
    const [signature] = note?.signatures ?? []
    const id = keyIdOf(sha256, { name: 'PeterNeumann', kind: ed25519, key })
    expect(Buffer.from(signature?.bytes.subarray(0, 4) ?? [])).toEqual(Buffer.from(id))
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') }
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
    const signed = Buffer.from(note?.text ?? '')
    const bytes = signature?.bytes.subarray(4) ?? new Uint8Array()
    expect(verify(null, signed, publicKey, bytes)).toBe(true)
    expect(formatKey(sha256, { name: 'PeterNeumann', kind: ed25519, key })).toBe(peter.key)
  })

  test('is written as it was read', () => {
    const note = parseNote(peter.note)
    expect(note && formatNote(note)).toBe(peter.note)
  })

  test.each([
    ['without a blank line', peter.note.replace('\n\n', '\n')],
    ['without a last line feed', peter.note.slice(0, -1)],
    ['with a control character', peter.note.replace('think', 'think\r')],
    ['with another dash', peter.note.replace('—', '-')],
    ['without signatures', 'text\n\n'],
  ])('%s is none', (_, note) => expect(parseNote(note)).toBeUndefined())
})

describe('a checkpoint', () => {
  const root = sha256()
  const checkpoint = { origin: 'pay.example/transparency', size: 20_852_163, root }
  const text = `pay.example/transparency\n20852163\n${root.toString('base64')}\n`

  test('holds origin, size and root, a line each', () => {
    expect(formatCheckpoint(checkpoint)).toBe(text)
    expect(parseCheckpoint(text)).toEqual(checkpoint)
  })

  test.each([
    ['a size with a leading zero', text.replace('20852163', '020852163')],
    ['a size beyond exact numbers', text.replace('20852163', '9999999999999999')],
    ['a short root', text.replace('=', '')],
    ['no origin', text.slice(text.indexOf('\n'))],
  ])('with %s is none', (_, wrong) => expect(parseCheckpoint(wrong)).toBeUndefined())
})

describe('a proof as a file', () => {
  const hashes = [sha256(), sha256(Uint8Array.of(1))]
  const checkpoint = 'pay.example/transparency\n3\nroot\n\n— pay.example abcdefgh\n'
  const text = formatProof({ index: 2, hashes, checkpoint })

  test('holds the index, the hashes from the leaf upwards, and the checkpoint verbatim', () => {
    const [one, two] = hashes.map((hash) => hash.toString('base64'))
    expect(text).toBe(`c2sp.org/tlog-proof@v1\nindex 2\n${one}\n${two}\n\n${checkpoint}`)
    expect(parseProof(text)).toEqual({ index: 2, hashes, checkpoint })
  })

  test('may have extra data, which are passed over', () => {
    const extra = text.replace('index', 'extra AAEC\nindex')
    expect(parseProof(extra)).toEqual({ index: 2, hashes, checkpoint })
  })

  test.each([
    ['of another version', text.replace('v1', 'v2')],
    ['without an index', text.replace('index 2\n', '')],
    ['with a hash cut short', text.replace('=\n', '\n')],
  ])('%s is none', (_, wrong) => expect(parseProof(wrong)).toBeUndefined())
})
