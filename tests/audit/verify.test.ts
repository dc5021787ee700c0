// @module-tag long
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeAlterableLog, type AlterableLog } from './shop-to-alter.ts'
import { eventsOf, rewrite } from '../../harness/alter/altered-log.ts'
import { operatorHere } from '../../harness/operator.ts'
import { ed25519, formatKey } from '../../domain/transparency/signed-note.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { sha256 } from '../../infrastructure/keys/keys.ts'

let log: AlterableLog
let kept: string
let origin: string

beforeAll(async () => {
  log = await makeAlterableLog(1)
  kept = join(log.folder, 'kept-by-a-merchant')
  writeFileSync(kept, log.text)
  origin = log.text.split('\n', 1)[0] ?? ''
})
afterAll(() => rmSync(log.folder, { recursive: true }))

const verify = async (...words: string[]) => {
  const settings = readSettings({ DATA_DIR: log.folder })
  const { code, output, errors } = await operatorHere(settings)('audit', 'verify', ...words)
  return { code, output, errors, lines: output.split('\n') }
}

const given = (name: string, text: string): string => {
  const file = join(log.folder, name)
  writeFileSync(file, text)
  return file
}

test('given a sound log, then the verdict says so in words, and stderr how far it is', async () => {
  const { code, lines, errors } = await verify()
  expect(code).toBe(0)
  expect(lines[0]).toBe('This log holds: nothing is wrong.')
  expect(lines.filter((line) => line.startsWith('  right'))).toHaveLength(7)
  expect(errors).toContain('reading the log: 100 %')
})

test('--json gives the same for programs', async () => {
  const { code, output } = await verify('--json')
  expect(code).toBe(0)
  expect(JSON.parse(output)).toMatchObject({
    verdict: 'This log holds: nothing is wrong.',
    holds: true,
    events: expect.any(Number),
    root: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
    problems: [],
  })
})

test('given a checkpoint that was kept, then the log continues it', async () => {
  expect((await verify('--checkpoint', kept)).code).toBe(0)
  expect((await verify('--since', kept)).code).toBe(0)
})

test('given a checkpoint that the key has not signed, then it is no checkpoint', async () => {
  const [origin = '', size = '', root = '', ...signatures] = log.text.split('\n')
  const other = given('forged', [origin, Number(size) - 1, root, ...signatures].join('\n'))
  const { code, lines } = await verify('--checkpoint', other)
  expect(code).toBe(1)
  expect(lines.filter((line) => line.includes(other))).toEqual([
    expect.stringMatching(/the first \d+ events are not those of the checkpoint in /),
    expect.stringMatching(/ cannot be trusted: no key that is known here has signed it/),
  ])
  const none = given('none', 'a note\n')
  expect(await verify('--since', none)).toMatchObject({
    errors: `${none} contains no checkpoint\n`,
  })
  expect(await verify('--key', 'x')).toMatchObject({
    errors: 'x is not a key in the format of /transparency/key\n',
  })
})

test('given a published key, then it must have signed the log', async () => {
  const key = (publicKey: Uint8Array) => {
    const told = formatKey(sha256, { name: origin, kind: ed25519, key: publicKey })
    return `${told} from 2026-11-27T20:04:42Z`
  }
  const [registered] = eventsOf(log.folder, 'CheckpointKeyRegistered')
  const own = Buffer.from(String(registered?.data['publicKey']), 'base64')
  expect((await verify('--key', `${key(own)}\n`)).code).toBe(0)
  const { code, output } = await verify('--key', key(Buffer.alloc(32, 7)))
  expect(code).toBe(1)
  expect(output).toContain('the key that was given has signed nothing of this log')
})

test('given an event that breaks a rule, then it is named, and exit 1', async () => {
  const [captured] = eventsOf(log.folder, 'PaymentCaptured')
  const { position = 0, data } = captured ?? {}
  const dearer = (fee: number) => (before: any) => ({
    ...before,
    charge: { ...before.charge, fee },
  })
  rewrite(log.folder, position, { data: dearer(181) })
  const { code, lines } = await verify()
  expect([code, lines[0]]).toEqual([1, 'This log does not hold.'])
  expect(lines[2]).toMatch(
    new RegExp(
      `^The first event that is wrong is event ${position} \\(PaymentCaptured, revision 2`,
    ),
  )
  expect(lines[3]).toBe(
    'its charge.fee is 181 minor units, and by the rules it is 180 minor units.',
  )
  const { problems } = JSON.parse((await verify('--json')).output)
  expect(problems[0]).toMatchObject({ check: 'rules', position, type: 'PaymentCaptured' })
  rewrite(log.folder, position, { data: () => data ?? {} })
  expect((await verify()).code).toBe(0)
})

test('given an event that cannot be read, then not all is claimed to be right', async () => {
  const [created] = eventsOf(log.folder, 'PaymentRequested')
  const { position = 0, data } = created ?? {}
  rewrite(log.folder, position, { data: () => ({}) })
  const { code, lines } = await verify()
  const told = (part: string) => lines.filter((line) => line.includes(part))
  expect(code).toBe(1)
  expect(told('it cannot be read')).toHaveLength(1)
  expect(lines.filter((line) => line.startsWith('  right'))).toEqual(told('checkpoints: each'))
  expect(told('  -      not every event was decided again')).toHaveLength(1)
  expect(told('  -      not every attempt at a callback was checked')).toHaveLength(1)
  expect(told('  -      no report or settlement was made again')).toHaveLength(1)
  rewrite(log.folder, position, { data: () => data ?? {} })
})

test('given --since, then only what was decided again is claimed to be right', async () => {
  const size = log.text.split('\n')[1]
  const { code, lines } = await verify('--since', kept)
  expect(code).toBe(0)
  expect(lines).toContainEqual(
    expect.stringMatching(`^  right  each event after the first ${size} is what the rules gave`),
  )
})
