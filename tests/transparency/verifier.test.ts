// @module-tag long
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { operatorHere } from '../../harness/operator.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { alterations } from './alterations.ts'
import { forge } from './forged.ts'
import { forgeriesOf, type Change } from './forgeries.ts'
import { tellStory, type Entry, type Name, type Receipt } from './story.ts'

const verifier = join(import.meta.dirname, '../../verifier/verify.mjs')
const folder = mkdtempSync(join(tmpdir(), 'daybook-receipts-'))
const story = await tellStory()
const { paths, receiptAt } = story
const key = await story.key()
afterAll(async () => {
  await story.remove()
  rmSync(folder, { recursive: true })
})

const names = Object.keys(paths) as Name[]

const save = (name: string, content: string | Receipt): string => {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  writeFileSync(join(folder, name), text)
  return name
}

const run = (...words: readonly string[]) =>
  new Promise<{ code: unknown; output: string; errors: string }>((resolve) => {
    const options = { cwd: folder }
    execFile(process.execPath, [verifier, ...words], options, (error, output, errors) =>
      resolve({ code: error?.code ?? 0, output, errors }),
    )
  })

const read = await Promise.all(names.map(async (name) => [name, await receiptAt(paths[name])]))
const receipts = Object.fromEntries(read) as Record<Name, Receipt>
for (const name of names) save(name, receipts[name])
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const forgeries = forgeriesOf(story.kept)

/** The leaves of the log that the newest checkpoint covers, and a few more. */
const leaves = story.place.core.tree.hashesOf(0, 0)

test('it has at most 150 lines and no dependencies, and the service gives it', async () => {
  const text = readFileSync(verifier, 'utf8')
  expect(text.split('\n').length - 1).toBeLessThanOrEqual(150)
  const imported = [...text.matchAll(/^import .* from '([^']+)'$/gm)].map(([, name]) => name)
  expect(imported.every((name) => name?.startsWith('node:'))).toBe(true)
  const served = await story.place.ask('GET', '/transparency/verify.mjs')
  expect([served.status, served.text]).toEqual([200, text])
})

test('given receipts of payments, reports and settlements, then everything holds', async () => {
  const { code, output, errors } = await run(...names, '--key', key)
  expect([code, errors]).toEqual([0, ''])
  expect(output).toContain('coffee: its entries stand in the log (2 withheld: they name a payer)')
  expect(output).toMatch(/^ {2}ledger-sandbox\/default 1: entries 0 to \d+; its sums follow/m)
  expect(output).toMatch(/^ {2}settlement-sandbox 2: entries \d+ to \d+; its sums follow/m)
  expect(output).toMatch(/\nEverything holds\.\n$/)
})

describe('given an alteration,', () => {
  test.each(alterations)('it finds %s (%s)', async (_, name, alter, reason) => {
    const receipt = structuredClone(receipts[name])
    alter(receipt, receipts)
    expect(receipt).not.toEqual(receipts[name])
    const { code, errors } = await run(save('altered', receipt), '--key', key)
    expect(errors).toContain('WRONG: altered: ')
    expect(errors).toContain(reason)
    expect(code).toBe(1)
  })
})

/** The name and hash of the key with other bytes, whose base64 may hold a plus sign, too. */
const anotherKey = (): string => key.replace(/^([^+]+\+[^+]+\+).{4}/, '$1AQAA')

test.each([
  ['another key', () => [anotherKey()], 'is not signed by a key'],
  ['no key', () => [], 'is not signed by a key'],
  ['no receipt', () => ['--key', key, 'nothing'], 'nothing: ENOENT'],
])('given %s, it says so', async (_, words, reason) => {
  const given = words()
  const { code, errors } = await run('coffee', ...(given.length === 1 ? ['--key'] : []), ...given)
  expect([code, errors]).toEqual([1, expect.stringContaining(reason)])
})

/** Runs the verifier on the receipts of an operator who rewrote the log. */
const runOnForged = async (
  change: Change,
  wanted: readonly Name[],
  alter: (receipts: Record<Name, Receipt>) => void = () => {},
) => {
  const forged = forge(receipts, leaves, change)
  alter(forged.receipts)
  for (const name of wanted) save(`forged-${name}`, forged.receipts[name])
  return run(...wanted.map((name) => `forged-${name}`), '--key', forged.key)
}

describe('given an operator with the real key, it finds', () => {
  test.each(forgeries)('%s', async (_, change, names, reason) => {
    const { code, errors } = await runOnForged(change, names)
    expect([code, errors]).toEqual([1, expect.stringContaining(reason)])
  })

  test('a report that begins another log than the one before ended', async () => {
    const { receipts: others, key: own } = forge(receipts, leaves, (type, data, index) =>
      index < 20 && type === 'PaymentCaptured' ? { ...data, amount: 1 } : undefined,
    )
    const words = [save('other', others.report2), '--key', own, '--key', key]
    expect(await run(...words)).toMatchObject({ code: 0 })
    const { code, errors } = await run('report1', ...words)
    const reason = 'WRONG: other: it does not continue ledger-sandbox/default 1'
    expect([code, errors]).toEqual([1, expect.stringContaining(reason)])
  })
})

test('a settlement may not leave out a capture that another receipt proves', async () => {
  const { entries, ...rest } = receipts.settlement1
  const isCoffee = ({ type }: Entry) => type === 'PaymentCaptured'
  const [coffee] = entries.filter(isCoffee)
  const without = save('less', { ...rest, entries: entries.filter((entry) => entry !== coffee) })
  const { errors } = await run('coffee', without, '--key', key)
  expect(errors).toContain('WRONG: less: it leaves out a capture or refund')
})

describe('given a checkpoint that was kept,', () => {
  const kept = save('kept', story.kept)
  const size = Number(story.kept.split('\n')[1])

  test('it says how to request the proof, and verifies it', async () => {
    const plain = await run('late', '--key', key, '--kept', kept)
    expect(plain.errors).toContain(
      `it does not continue kept; ask for the receipt with ?from=${size}`,
    )
    const receipt = await receiptAt(paths.late, `?from=${size}`)
    const words = [save('late-since', receipt), '--key', key, '--kept', kept]
    expect(await run(...words)).toMatchObject({ code: 0, errors: '' })
  })

  test('it finds that the log was written again since', async () => {
    const late = await receiptAt(paths.late, `?from=${size}`)
    const forged = forge({ ...receipts, late }, leaves, (type, data, index) =>
      index < size && type === 'PaymentRefunded' ? { ...data, amount: 2000 } : undefined,
    )
    const words = [save('forged', forged.receipts.late), '--key', forged.key, '--key', key]
    expect(await run(...words)).toMatchObject({ code: 0 })
    const { code, errors } = await run(...words, '--kept', kept)
    expect([code, errors]).toEqual([1, 'WRONG: forged: it does not continue kept\n'])
  })

  test('of any size, it checks the proof as RFC 6962 has it', async () => {
    const sizes = Array.from({ length: leaves.length }, (_, at) => at + 1)
    const { tree, size: newest, ...forged } = forge(receipts, leaves, () => undefined)
    const earlier = sizes.filter((each) => each <= newest)
    const proofs = earlier.map((old_size) => ({
      ...{ old_size, size: newest },
      hashes: tree.consistencyProof(old_size, newest).map(base64),
    }))
    const files = earlier.map((each) => save(`kept-${each}`, forged.signed(each)))
    const receipt = save('all', { ...forged.receipts.late, consistency: proofs })
    const words = files.flatMap((file) => ['--kept', file])
    const { code, errors } = await run(receipt, '--key', forged.key, ...words)
    expect([code, errors, files.length]).toEqual([0, '', newest])
  })
})

test('documents of before there was a range are checked without it', async () => {
  const { code, output, errors } = await runOnForged(
    (_, { logRange, ...data }) => (logRange ? data : undefined),
    ['report1', 'report2'],
  )
  expect([code, errors]).toEqual([0, ''])
  expect(output).toContain('Everything holds.')
})

test('given a payer who is erased, then all receipts and the log hold', async () => {
  const { place, passTime } = story
  const operator = operatorHere(readSettings({ DATA_DIR: place.directory }))
  const before = await place.ask('GET', '/transparency/checkpoint')
  const kept = save('kept-before', before.text)
  expect((await operator('payer', 'erase', '+4799999901')).code).toBe(0)
  await passTime()
  const [, size] = before.text.split('\n')
  const again = save('coffee-again', await receiptAt(paths.coffee, `?from=${size}`))
  const words = ['coffee', 'report1', 'settlement2', again, '--key', key, '--kept', kept]
  expect(await run(...words)).toMatchObject({ code: 0, errors: '' })
  const verdict = await operator('audit', 'verify', '--checkpoint', join(folder, kept))
  expect(verdict).toMatchObject({ code: 0, output: expect.stringContaining('This log holds') })
})
