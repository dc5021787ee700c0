import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root, runAll, stepsOf } from './documented-commands.ts'

/** Replaces what differs each time: ids, hashes, keys, signatures. */
const settled = (text: string): string =>
  text
    .replaceAll(/\b[0-9a-f]{32}\b/g, '…')
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '…')
    .replaceAll(/[A-Za-z0-9+/]{42,}={0,2}/g, '…')
    .replaceAll(/\b[0-9A-Z]{6}-(\d{4}-\d\d-\d\d-\d+)/g, '…-$1')
    .trim()

test('the session of an auditor prints what docs/auditors.md says', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-session-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const steps = stepsOf('docs/auditors.md', 'session')
  expect(steps.length).toBeGreaterThan(14)
  // The build was made before the tests.
  const commands = steps.map(({ command }) =>
    command.replace('npm run -s build && ', '').replaceAll('/tmp/audit', folder),
  )
  // The test runner sets MODE.
  const printed = await runAll(commands, { cwd: root, env: { ...process.env, MODE: 'sandbox' } })
  const seen = steps.map(({ command }, index) => ({
    command,
    answer: settled((printed[index] ?? '').replaceAll(folder, '/tmp/audit')),
  }))
  expect(seen).toEqual(steps.map(({ command, answer }) => ({ command, answer: settled(answer) })))
})
