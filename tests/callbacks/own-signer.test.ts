import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { signerIn } from '../../infrastructure/callbacks/own-signer.ts'
import { openCore } from '../../infrastructure/core.ts'
import { makeLog } from '../../infrastructure/log.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { morning } from '../domain/payments.ts'

test.each(['rsa', 'ed25519'])(
  'given another key in callback-%s.pem, then the new pair is published beside the old one, valid by the clock of the machine',
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
