// @module-tag long
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { alterations, seeded } from '../../harness/alter/alterations.ts'
import { auditAltered, makeAlterableLog, type AlterableLog } from './shop-to-alter.ts'
import { verifyIn } from '../../harness/alter/altered-log.ts'

let log: AlterableLog

beforeAll(async () => {
  log = await makeAlterableLog()
})
afterAll(() => rmSync(log.folder, { recursive: true }))

test('given nothing altered, then the log holds, and continues what was kept', async () => {
  const audit = await verifyIn(log.folder, { kept: [log.kept] })
  expect(audit).toMatchObject({ holds: true, problems: [] })
  expect(audit.checkpoints).toBeGreaterThan(2)
})

test('given all made again with the real key, then only what was kept shows it', async () => {
  const last = alterations.at(-1)
  expect(last?.name).toContain('with the real key')
  if (!last) return
  const { needsKept: _, ...alone } = last
  expect(await auditAltered(log, alone, seeded(1))).toMatchObject({ holds: true })
})

// `npm run alterations` makes a thousand.
test.each(alterations.map((alteration) => [alteration.name, alteration] as const))(
  'given %s, then it is found',
  async (_, alteration) => {
    const { holds, problems } = await auditAltered(log, alteration, seeded(1))
    expect([holds, problems.length > 0]).toEqual([false, true])
  },
)
