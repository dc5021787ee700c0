// @module-tag long
import { sign, verify } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { rotateCallbackKeys, signerIn } from '../../service/callbacks/own-signer.ts'
import { openCore } from '../../service/core.ts'
import { makeLog } from '../../infrastructure/logs/log.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { morning } from '../domain/payments.ts'

test.each(['rsa', 'ed25519'])(
  'given that callback-%s.pem was lost, then a new key is published beside the old one',
  async (kind) => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'daybook-signer-'))
    const core = await openCore(readSettings({ DATA_DIR }), makeLog('silent'))
    onTestFinished(async () => {
      await core.close()
      rmSync(DATA_DIR, { recursive: true })
    })
    const published = async () => {
      await core.readModels.caughtUp()
      return core.callbacks.signingKeys
        .all()
        .map(({ data: { rsa, ed25519, validFrom } }) => [rsa, ed25519, validFrom])
    }
    const sign = (at: number) => signerIn(core, DATA_DIR, () => at)
    await core.advanceClock({ by: 86_400_000 }, core.contextOf('test'))

    const first = await sign(morning)
    await sign(morning + 1)
    const pair = [first.rsaPem, first.ed25519Pem, morning]
    expect(await published()).toEqual([pair])

    rmSync(join(DATA_DIR, `callback-${kind}.pem`))
    const second = await sign(morning + 2)
    await sign(morning + 3)
    const replaced = [second.rsaPem, second.ed25519Pem, morning + 2]
    expect(new Set(await published())).toEqual(new Set([pair, replaced]))
  },
)

test('keys that are rotated in sign once their time has come, without a restart', async () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'daybook-signer-'))
  const core = await openCore(readSettings({ DATA_DIR }), makeLog('silent'))
  onTestFinished(async () => {
    await core.close()
    rmSync(DATA_DIR, { recursive: true })
  })
  let now = morning
  const clock = () => now
  const running = await signerIn(core, DATA_DIR, clock)
  const first = running.rsaPem
  const folded = new Promise<void>((resolve) => core.onFolded(() => resolve()))
  const { id } = await rotateCallbackKeys(core, DATA_DIR, morning + 1000, clock)
  await folded
  await core.readModels.caughtUp()
  const all = core.callbacks.signingKeys.all().map(({ data }) => data)
  const next = all.find((data) => data.id === id)
  expect(all).toHaveLength(2)
  expect(next?.validFrom).toBe(morning + 1000)

  now = morning + 999
  expect(running.rsaPem).toBe(first)
  now = morning + 1000
  // The pair is read from its files meanwhile.
  await vi.waitFor(() => expect(running.rsaPem).toBe(next?.rsa))
  expect(running.ed25519Pem).toBe(next?.ed25519)
  expect((await signerIn(core, DATA_DIR, clock)).rsaPem).toBe(next?.rsa)
  const signature = sign('sha256', Buffer.from('text'), running.keys.rsa)
  expect(verify('sha256', Buffer.from('text'), next?.rsa ?? '', signature)).toBe(true)

  const { removed } = await rotateCallbackKeys(core, DATA_DIR, now + 1000, clock)
  expect(removed).toBe(1)
  expect(existsSync(join(DATA_DIR, 'callback-rsa.pem'))).toBe(false)
  const afterStart = await signerIn(core, DATA_DIR, clock)
  expect(afterStart.rsaPem).toBe(next?.rsa)
  await core.readModels.caughtUp()
  expect(core.callbacks.signingKeys.all()).toHaveLength(3)
})
