// @module-tag long
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openInProcess, startInProcess } from '../../harness/in-process.ts'
import { rotateKeys } from '../../service/rotate-keys.ts'
import { keyInFile, UnusableKey } from '../../infrastructure/keys/keys.ts'
import Database from '../../infrastructure/sqlite.ts'

const PUBLIC_URL = 'https://pay.example'

/** A folder that a service has used. */
const usedFolder = async (): Promise<string> => {
  const { folder, stop } = await openInProcess({ PUBLIC_URL })
  await stop()
  return folder
}

const start = async (folder: string): Promise<void> =>
  (await openInProcess({ PUBLIC_URL }, folder)).stop()

const pemOf = (type: string): string => {
  const { privateKey } =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ed25519')
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

const flipped = (pem: string, byte: number): string => {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' })
  der[byte] = (der[byte] ?? 0) ^ 1
  const text = der.toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd()
  return `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----\n`
}

describe.each(['callback-rsa.pem', 'callback-ed25519.pem', 'checkpoint-ed25519.pem'])(
  'given another good key in %s',
  (name) => {
    test('then the start names the file, and publishes nothing', async () => {
      const { folder, stop, core } = await startInProcess()
      await core.caughtUp()
      const file = join(folder, name)
      // The first checkpoint key is made in the background.
      await expect.poll(() => core.transparency.keys.all().length).toBe(1)
      await stop()
      const type = name.includes('rsa') ? 'rsa' : 'ed25519'
      const own = readFileSync(file)
      writeFileSync(file, pemOf(type))
      await expect(start(folder)).rejects.toThrow(`${file} contains another key than the log knows`)
      writeFileSync(file, own)
      const again = await openInProcess({ PUBLIC_URL }, folder)
      onTestFinished(again.stop)
      await again.core.caughtUp()
      expect(again.core.callbacks.signingKeys.all()).toHaveLength(1)
      expect(again.core.transparency.keys.all()).toHaveLength(1)
    })
  },
)

test('given one flipped bit anywhere in a key, then the service does not start', async () => {
  const folder = await usedFolder()
  for (const [name, bytes] of [
    // Of an RSA key: in the modulus, the exponents and the primes; an Ed25519 key is its seed.
    ['callback-rsa.pem', [60, 200, 294, 400]],
    ['callback-ed25519.pem', [20, 47]],
  ] as const) {
    const file = join(folder, name)
    const own = readFileSync(file, 'utf8')
    for (const byte of bytes) {
      writeFileSync(file, flipped(own, byte))
      await expect(start(folder)).rejects.toThrow(UnusableKey)
    }
    writeFileSync(file, own)
  }
  await start(folder)
})

test('given a key of another type, then its file is named', async () => {
  const folder = await usedFolder()
  const file = join(folder, 'callback-rsa.pem')
  writeFileSync(file, pemOf('ed25519'))
  await expect(keyInFile(file, 'rsa')).rejects.toThrow(`${file} contains no rsa key`)
})

test('given another key in a file of a rotated pair, then the start names the file', async () => {
  const opened = await openInProcess({ PUBLIC_URL })
  const { folder, core } = opened
  const { id } = (await rotateKeys(core)('callbacks', core.contextOf('test'), 0)) as { id: string }
  await opened.stop()
  const file = join(folder, `callback-ed25519-${id}.pem`)
  writeFileSync(file, pemOf('ed25519'))
  await expect(start(folder)).rejects.toThrow(`${file} contains another key than the log knows`)
})

test('given another key of ID tokens in the vault, then the service does not start', async () => {
  const folder = await usedFolder()
  const vault = new Database(join(folder, 'vault.sqlite'))
  onTestFinished(() => void vault.close())
  vault
    .prepare("UPDATE secrets SET secret = ? WHERE name GLOB 'id_token_key:*'")
    .run(Buffer.from(pemOf('rsa')))
  await expect(start(folder)).rejects.toThrow(/^the key \S+ of ID tokens in the vault is another/)
})

test('given a vault without a rotated key of ID tokens, then the start names it', async () => {
  const opened = await openInProcess({ PUBLIC_URL })
  const { folder, core } = opened
  const { kid } = (await rotateKeys(core)('id-tokens', core.contextOf('test'))) as { kid: string }
  await opened.stop()
  const vault = new Database(join(folder, 'vault.sqlite'))
  vault.prepare('DELETE FROM secrets WHERE name GLOB ?').run(`id_token_key:*:${kid}`)
  vault.close()
  await expect(start(folder)).rejects.toThrow(`the vault lacks the key ${kid} of ID tokens`)
})

test('given a key that is replaced meanwhile, then the log says so a day later', async () => {
  const { folder, stop, logged, address, core } = await startInProcess()
  onTestFinished(stop)
  const file = join(folder, 'callback-rsa.pem')
  const published = createPublicKey(readFileSync(file)).export({ type: 'spki', format: 'pem' })
  writeFileSync(file, pemOf('rsa'))
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ advance_seconds: 86_400 })
  // The first look sets the day.
  await fetch(`${address}/sandbox/v1/clock/`, { method: 'POST', headers, body })
  await fetch(`${address}/sandbox/v1/clock/`, { method: 'POST', headers, body })
  expect(logged.join('')).toContain(`${file} contains another key than the log knows`)
  await core.caughtUp()
  expect(core.callbacks.signingKeys.all().map(({ data }) => data.rsa)).toEqual([published])
})
