import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Instrumenter } from '@stryker-mutator/instrumenter'
import type { Mutant } from './mutants.ts'
import { randomFrom, wholeBelow } from './random.ts'

/** Where the worlds should see whatever is wrong: files of each folder, or all of them. */
const places = {
  domain: 'callback leases',
  'domain/payment':
    'dispute payment-actions payment-evolve payment-outcome payment-request payment-state',
  'domain/accounting': `completion correction fees ledger line-sums money-line payout-state payouts
    settlement totals transaction-line`,
  application: `answer-payment callback-queue capture-accepted close-reports complete-reports
    corrections deliver-callbacks delivery-attempts disputes expire-requests feed-destinations
    handle hold-leases inform-funding match-scans order-payouts owe-messages payment-acts
    request-payment settle-merchants`,
  projections: '',
  'infrastructure/event-store':
    'sqlite-event-file sqlite-event-log sqlite-event-rows sqlite-event-store sqlite-event-writer',
  'audit/verify': 'audit-read-models compare-rows judge-streams line-book read-log',
}

const namesIn = (root: string, folder: string, names: string): readonly string[] =>
  (names ? names.split(/\s+/).map((name) => `${name}.ts`) : readdirSync(join(root, folder)))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`)

/** What changes nothing that a program sees, or only how it would break. */
const excludedMutations = ['StringLiteral', 'Regex', 'OptionalChaining', 'ObjectLiteral']

const silent = { isDebugEnabled: () => false, debug: () => undefined, info: () => undefined }

/** Both counted from 0. */
type Place = { readonly line: number; readonly column: number }

const offsetOf = (text: string, { line, column }: Place): number =>
  text.split('\n').slice(0, line).join('\n').length + (line > 0 ? 1 : 0) + column

/** Mutants by the operators of Stryker: a seed draws from all of them. */
export const drawMutants = async (
  root: string,
  count: number,
  seed: number,
): Promise<readonly Mutant[]> => {
  const files = Object.entries(places)
    .flatMap(([folder, names]) => namesIn(root, folder, names))
    .map((name) => ({ name, mutate: true, content: readFileSync(join(root, name), 'utf8') }))
  const instrumenter = new Instrumenter(silent as never)
  const options = { plugins: null, excludedMutations, ignorers: [] }
  const { mutants } = await instrumenter.instrument(files, options)
  const left = mutants.filter(({ status }) => status !== 'Ignored')
  const random = randomFrom(seed)
  const drawn = Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(wholeBelow(random, left.length), 1),
  ).flat()
  return drawn.map(({ fileName: file, location, mutatorName, replacement: to }) => {
    const { content = '' } = files.find(({ name }) => name === file) ?? {}
    const at = offsetOf(content, location.start)
    const from = content.slice(at, offsetOf(content, location.end))
    const words = [from, to].map((text) => text.replaceAll(/\s+/g, ' ').slice(0, 60))
    const name = `${file}:${location.start.line + 1} ${mutatorName}: ${words.join(' → ')}`
    return { name, file, from, to, at }
  })
}
