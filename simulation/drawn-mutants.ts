import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Instrumenter } from '@stryker-mutator/instrumenter'
import { randomFrom, wholeBelow } from './random.ts'

/** Where the worlds should see whatever is wrong: files of each folder, or all of them. */
const places = {
  domain: 'callback leases',
  'domain/payment':
    'dispute payment-actions payment-evolve payment-outcome payment-request payment-state',
  'domain/merchant': 'offer',
  'domain/accounting': `completion correction fees ledger line-sums money-line payout-state payouts
    settlement totals transaction-line`,
  application: `answer-payment callback-queue capture-accepted close-reports complete-reports
    corrections deliver-callbacks delivery-attempts disputes expire-requests feed-destinations
    handle hold-leases inform-funding match-scans order-payouts owe-messages payment-acts
    request-payment sell-offers settle-merchants`,
  projections: '',
  'infrastructure/event-store':
    'sqlite-event-file sqlite-event-log sqlite-event-rows sqlite-event-store sqlite-event-writer',
  'audit/verify': 'audit-read-models compare-rows judge-streams line-book read-log',
}

/** A metric counts these readers, and nothing else shows them. */
const unseen = ['projections/daily-readers.ts']

const namesIn = (root: string, folder: string, names: string): readonly string[] =>
  (names ? names.split(/\s+/).map((name) => `${name}.ts`) : readdirSync(join(root, folder)))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`)
    .filter((name) => !unseen.includes(name))

/** What changes nothing that a program sees, or only how it would break. */
const excludedMutations = ['StringLiteral', 'Regex', 'OptionalChaining', 'ObjectLiteral']

const silent = { isDebugEnabled: () => false, debug: () => undefined, info: () => undefined }

/** Lines and columns are counted from 0. */
type Placed = Awaited<ReturnType<Instrumenter['instrument']>>['mutants'][number]
type Source = { readonly name: string; readonly content: string }

const nameOf = ({ name, content }: Source, { location, mutatorName, replacement }: Placed) => {
  const { start, end } = location
  const lines = content.split('\n').slice(start.line, end.line + 1)
  const last = lines.length - 1
  const cut = lines.map((line, at) =>
    line.slice(at === 0 ? start.column : 0, at === last ? end.column : undefined),
  )
  const words = [cut.join(' '), replacement].map((text) =>
    text.replaceAll(/\s+/g, ' ').slice(0, 60),
  )
  return `${name}:${start.line + 1}:${start.column + 1} ${mutatorName}: ${words.join(' → ')}`
}

/** Mutants by the operators of Stryker, drawn from all, and sources that have them in switches. */
export const drawMutants = async (root: string, count: number, seed: number) => {
  const sources = Object.entries(places)
    .flatMap(([folder, names]) => namesIn(root, folder, names))
    .map((name) => ({ name, content: readFileSync(join(root, name), 'utf8') }))
  const instrumenter = new Instrumenter(silent as never)
  const options = { plugins: null, excludedMutations, ignorers: [] }
  const plant = async (mutateOf: (name: string) => boolean | Placed['location'][]) => {
    const files = sources.map((file) => ({ ...file, mutate: mutateOf(file.name) }))
    const { mutants, files: planted } = await instrumenter.instrument(files, options)
    const placed = mutants.filter(({ status }) => status !== 'Ignored')
    const named = placed.map((mutant) => {
      const source = sources.find(({ name }) => name === mutant.fileName) as Source
      return { ...mutant, name: nameOf(source, mutant) }
    })
    return { named, planted }
  }
  const { named: left } = await plant(() => true)
  const random = randomFrom(seed)
  const drawn = Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(wholeBelow(random, left.length), 1),
  ).flat()
  const locationsIn = (file: string) =>
    drawn.filter(({ fileName }) => fileName === file).map(({ location }) => location)
  const { named, planted } = await plant(locationsIn)
  const idOf = new Map(named.map(({ name, id }) => [name, id]))
  return {
    mutants: drawn.map(({ name }) => ({ name, id: idOf.get(name) ?? '' })),
    sources: planted.filter(({ name }) => locationsIn(name).length > 0),
  }
}
