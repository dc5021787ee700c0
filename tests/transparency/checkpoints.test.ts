import { createPublicKey, verify } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { start } from '../../application/event-store.ts'
import { parseCheckpoint } from '../../domain/transparency/checkpoints.ts'
import { merkleTree } from '../../domain/transparency/merkle-tree.ts'
import { parseNote, type SignedNote } from '../../domain/transparency/signed-note.ts'
import { startService } from '../support/http-service.ts'
import { operatorHere } from '../../harness/operator.ts'
import { leafOf } from '../../infrastructure/event-store/event-entry.ts'
import { rootOfHashes } from '../../infrastructure/read-models/tree-fold.ts'
import { sha256 } from '../../infrastructure/keys/keys.ts'
import { includes, isConsistent, parseProof } from './proof-checks.ts'

const PUBLIC_URL = 'https://pay.example'

const service = await startService({ PUBLIC_URL, LOG_LEVEL: 'error' })

afterAll(() => service.stop())

const get = (path: string) => service.call('GET', `/transparency/${path}`)

const textAt = async (path: string): Promise<string> => {
  const { status, text } = await get(path)
  expect([path, status]).toEqual([path, 200])
  return text
}

/** Lets time pass until a checkpoint is due. */
const passTime = async (): Promise<void> => {
  const { status } = await service.call('POST', '/sandbox/v1/clock/', {
    body: { advance_seconds: 11 },
  })
  expect(status).toBe(200)
}

const newestCheckpoint = async () => {
  const text = await textAt('checkpoint')
  const note = parseNote(text)
  const checkpoint = note && parseCheckpoint(note.text)
  if (!note || !checkpoint) throw new Error(`no checkpoint: ${text}`)
  return { ...checkpoint, note, text }
}

/** The keys of `/transparency/key`, in a verifier's format. */
const publishedKeys = async () => {
  const lines = (await textAt('key')).trimEnd().split('\n')
  return lines.map((line) => {
    const [verifierKey = '', ...times] = line.split(' ')
    const [name = '', id = '', ...rest] = verifierKey.split('+')
    const x = Buffer.from(rest.join('+'), 'base64').subarray(1).toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    return {
      ...{ name, times },
      hasSigned: ({ text, signatures }: SignedNote): boolean =>
        signatures.some(({ bytes }) => {
          const isTheirs = Buffer.from(bytes.subarray(0, 4)).toString('hex') === id
          return isTheirs && verify(null, Buffer.from(text), key, bytes.subarray(4))
        }),
    }
  })
}

/** Leaf hashes of the log's events, computed from the log. */
const leavesOfLog = async (): Promise<Buffer[]> => {
  const leaves: Buffer[] = []
  for await (const batch of service.core.store.readAll(start))
    for (const event of batch) leaves.push(Buffer.from(leafOf(event).leaf, 'base64'))
  return leaves
}

const treeOf = (leaves: readonly Buffer[]) =>
  merkleTree(sha256, (level, index) =>
    rootOfHashes(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)),
  )

describe('given events and ten seconds,', () => {
  test('a checkpoint is published, and the published key has signed it', async () => {
    await passTime()
    const { origin, note } = await newestCheckpoint()
    const [key, ...others] = await publishedKeys()
    expect([origin, key?.name]).toEqual(['pay.example/transparency', 'pay.example/transparency'])
    expect([others, note.signatures.length]).toEqual([[], 1])
    expect(key?.hasSigned(note)).toBe(true)
    expect(key?.hasSigned({ ...note, text: `${note.text}x` })).toBe(false)
  })

  test('its root is that of all events of the log up to its size', async () => {
    const { size, root } = await newestCheckpoint()
    const { rootOf } = treeOf(await leavesOfLog())
    expect(size).toBeGreaterThan(10)
    expect(Buffer.from(root)).toEqual(Buffer.from(rootOf(size)))
  })

  test('the tiles hold the hashes of the events', async () => {
    const { size } = await newestCheckpoint()
    const leaves = await leavesOfLog()
    const answer = await fetch(`${service.address}/transparency/tile/0/000.p/${size}`)
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.concat(leaves.slice(0, size)))
  })

  test.each(['tile/0/000', 'tile/0/001', 'tile/entries/000', 'tile/0/0', 'tile/x'])(
    '%s, which is not there, is a 404',
    async (path) => {
      expect((await get(path)).status).toBe(404)
    },
  )

  test('each event can be proved to stand in the log', async () => {
    const { size, root, text } = await newestCheckpoint()
    const leaves = await leavesOfLog()
    for (const index of [0, 1, 7, size - 1]) {
      const proof = parseProof(await textAt(`proof/inclusion?index=${index}`))
      const leaf = leaves[index] as Buffer
      const hashes = proof?.hashes ?? []
      expect(proof).toMatchObject({ index, checkpoint: text })
      expect(includes(sha256, { leaf, index, size, proof: hashes, root })).toBe(true)
    }
  })

  test('a later checkpoint can be proved to continue an earlier one', async () => {
    const earlier = await newestCheckpoint()
    await passTime()
    const later = await newestCheckpoint()
    expect(later.size).toBeGreaterThan(earlier.size)
    const { body } = await get(`proof/consistency?from=${earlier.size}`)
    expect(body).toMatchObject({ old_size: earlier.size, size: later.size })
    const proof = (body.hashes as string[]).map((hash) => Buffer.from(hash, 'base64'))
    const between = { size: earlier.size, root: earlier.root, laterSize: later.size, proof }
    expect(isConsistent(sha256, { ...between, laterRoot: later.root })).toBe(true)
    expect(isConsistent(sha256, { ...between, laterRoot: earlier.root })).toBe(false)
  })

  test.each(['proof/inclusion?index=100000', 'proof/inclusion?index=-1', 'proof/inclusion'])(
    '%s is a 400',
    async (path) => {
      expect((await get(path)).status).toBe(400)
    },
  )
})

test('while keys overlap, a checkpoint carries the signatures of both', async () => {
  const [first] = await publishedKeys()
  const { output, errors } = await operatorHere(service.settings)(
    ...['--json', 'key', 'rotate', 'checkpoints', '--overlap', '48'],
  )
  expect([errors, JSON.parse(output)]).toEqual([
    '',
    {
      id: expect.any(String),
      file: expect.stringMatching(/^checkpoint-ed25519-[0-9a-f]{16}\.pem$/),
      others_until: expect.any(String),
      private_keys_removed: 0,
    },
  ])
  // The file is named as the docs say.
  const { id, file } = JSON.parse(output)
  expect([file, existsSync(join(service.folder, file))]).toEqual([
    `checkpoint-ed25519-${id}.pem`,
    true,
  ])
  await passTime()
  const { note } = await newestCheckpoint()
  const [newest, older, ...others] = await publishedKeys()
  expect([others, note.signatures.length, older?.name]).toEqual([[], 2, first?.name])
  expect([newest?.hasSigned(note), older?.hasSigned(note), first?.hasSigned(note)]).toEqual([
    ...[true, true, true],
  ])
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  expect(newest?.times).toEqual(['from', time])
  const { others_until: end } = JSON.parse(output)
  expect(older?.times).toEqual(['from', time, 'until', end.replace(/\.\d+/, '')])
})

test('given a log that lost what was signed before, then nothing more is signed', async () => {
  const { text, size } = await newestCheckpoint()
  const file = join(service.folder, 'checkpoint-signed.json')
  const signed = JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>
  const [origin = ''] = Object.keys(signed)
  const lost = { size: size + 1_000, root: 'AAAA' }
  writeFileSync(file, JSON.stringify({ [origin]: lost }))
  await passTime()
  expect((await newestCheckpoint()).text).toBe(text)
  expect(service.logged.join('')).toContain('the log lacks the end of')
  writeFileSync(file, JSON.stringify(signed))
  await passTime()
  expect((await newestCheckpoint()).size).toBeGreaterThan(size)
})
