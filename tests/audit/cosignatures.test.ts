// @module-tag long
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { eventsOf, openFile, seal, verifyIn } from '../../harness/alter/altered-log.ts'
import { startService } from '../support/http-service.ts'
import { signAgain } from '../../harness/alter/sign-again.ts'
import { parseKey } from '../../domain/transparency/signed-note.ts'
import { sha256 } from '../../infrastructure/keys/keys.ts'
import { startWitness } from '../transparency/witness.ts'

/** A log with a checkpoint that a witness has seen. */
const cosignedLog = async () => {
  const witness = await startWitness('pay.example/transparency')
  const settings = { PUBLIC_URL: 'https://pay.example', WITNESSES: witness.setting }
  const service = await startService({ ...settings, LOG_LEVEL: 'error' })
  onTestFinished(() => rmSync(service.folder, { recursive: true }))
  await service.call('POST', '/sandbox/v1/clock/', { body: { advance_seconds: 11 } })
  await vi.waitFor(() =>
    expect(eventsOf(service.folder, 'CheckpointCosigned').length).toBeGreaterThan(0),
  )
  await service.stop(false)
  witness.stop()
  const key = parseKey(sha256, witness.verifierKey)
  return { folder: service.folder, keys: key ? [key] : [] }
}

test('what a witness has signed cannot be made again with the key of the log', async () => {
  const { folder, keys } = await cosignedLog()
  expect(keys).toHaveLength(1)
  expect(await verifyIn(folder, { keys })).toMatchObject({ holds: true })

  rmSync(join(folder, 'read-models'), { recursive: true })
  rmSync(join(folder, 'checkpoint-signed.json'))
  const file = openFile(folder)
  const actor = "UPDATE events SET metadata = json_set(metadata, '$.actor', 'user:eve')"
  file.exec(`${actor} WHERE position = 3`)
  seal(file, 3)
  signAgain(folder, file)
  file.close()
  const [cosigned] = eventsOf(folder, 'CheckpointCosigned')
  expect(await verifyIn(folder)).toMatchObject({ holds: true })
  const { holds, problems } = await verifyIn(folder, { keys })
  expect(holds).toBe(false)
  expect(problems[0]).toMatchObject({
    ...{ check: 'tree', position: cosigned?.position, type: 'CheckpointCosigned' },
    problem: expect.stringMatching(/^witness\.example\/w1 has not signed this: /),
  })
})
