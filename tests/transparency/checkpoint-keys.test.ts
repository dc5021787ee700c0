// @module-tag long
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openCore } from '../../service/core.ts'
import { makeLog } from '../../infrastructure/logs/log.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import {
  openCheckpointKeys,
  rotateCheckpointKey,
} from '../../service/transparency/checkpoint-keys.ts'
import { rawKeyOf } from '../../audit/transparency/ask-witnesses.ts'
import { morning } from '../domain/payments.ts'

const day = 86_400_000

/** A log with its keys, on a controlled clock. */
const openPlace = async () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'daybook-checkpoint-keys-'))
  const core = await openCore(readSettings({ DATA_DIR }), makeLog('silent'))
  onTestFinished(async () => {
    await core.close()
    rmSync(DATA_DIR, { recursive: true })
  })
  const place = { now: morning, warned: [] as unknown[] }
  const open = async () => {
    const keys = openCheckpointKeys(core, DATA_DIR, () => place.now, {
      warn: (...told: unknown[]) => void place.warned.push(told),
    })
    await keys.publishFirst()
    return keys
  }
  const keys = await open()
  return Object.assign(place, {
    DATA_DIR,
    open,
    held: () => keys.held().map(({ id, from, until }) => [id, from, until]),
    signing: async () => {
      const publicKeys = (await keys.signing()).map(rawKeyOf)
      return publicKeys.map((key) => {
        const text = Buffer.from(key).toString('base64')
        return keys.held().find(({ publicKey }) => publicKey === text)?.id
      })
    },
    rotate: (othersUntil: number) =>
      rotateCheckpointKey(core, DATA_DIR, othersUntil, () => place.now),
    files: () => readdirSync(DATA_DIR).filter((name) => name.startsWith('checkpoint-ed25519')),
  })
}

test('given a new log, then its first key signs, with its start published', async () => {
  const { held, signing, files } = await openPlace()
  const [[id]] = held() as [[string]]
  expect(held()).toEqual([[id, morning, null]])
  expect(await signing()).toEqual([id])
  expect(files()).toEqual(['checkpoint-ed25519.pem'])
})

test('a new key signs beside the older one until its time is over, and then alone', async () => {
  const place = await openPlace()
  const [[first]] = place.held() as [[string]]
  place.now = morning + day
  const { id: second, file } = await place.rotate(morning + 3 * day)
  expect(place.held()).toEqual([
    [second, morning + day, null],
    [first, morning, morning + 3 * day],
  ])
  place.now = morning + 3 * day - 1
  expect(await place.signing()).toEqual([first, second])
  place.now = morning + 3 * day
  expect(await place.signing()).toEqual([second])
  expect(place.files()).toContain('checkpoint-ed25519.pem')

  // The next rotation removes expired private keys.
  const { id: third, removed } = await place.rotate(place.now + day)
  expect(removed).toBe(1)
  expect(place.files()).not.toContain('checkpoint-ed25519.pem')
  expect(place.files()).toContain(file)
  expect(await place.signing()).toEqual([second, third])
  expect(place.held().map(([id]) => id)).toEqual([third, second, first])
  await place.open()
  expect(place.held()).toHaveLength(3)
})

test('an older key ends no later because another one follows', async () => {
  const place = await openPlace()
  const [[first]] = place.held() as [[string]]
  const { id: second } = await place.rotate(morning + day)
  await place.rotate(morning + 5 * day)
  const ends = new Map(place.held().map(([id, , until]) => [id, until]))
  expect([ends.get(first), ends.get(second)]).toEqual([morning + day, morning + 5 * day])
})

test('given another key in its file, then it signs nothing and is not published', async () => {
  const place = await openPlace()
  const [[first]] = place.held() as [[string]]
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const file = join(place.DATA_DIR, 'checkpoint-ed25519.pem')
  writeFileSync(file, pem)
  place.now = morning + day
  await expect(place.open()).rejects.toThrow(`${file} contains another key than the log knows`)
  expect(place.held()).toEqual([[first, morning, null]])
  expect(await place.signing()).toEqual([])
})

test('a node that lacks the keys of its log makes none, signs nothing and says so', async () => {
  const place = await openPlace()
  rmSync(join(place.DATA_DIR, 'checkpoint-ed25519.pem'))
  const keys = await place.open()
  expect(await keys.signing()).toEqual([])
  expect(await keys.signing()).toEqual([])
  expect(place.files()).toEqual([])
  const told = expect.stringContaining('no key of checkpoints that holds')
  expect(place.warned).toEqual([[expect.anything(), told]])
})
