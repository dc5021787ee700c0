import type { Command } from 'commander'
import { z } from 'zod'
import { payers } from '../domain/aggregates.ts'
import { start, type EventStore } from '../application/event-store.ts'
import { eventCatalogue, parseEvent, schemaVersion, type EventType } from '../domain/events.ts'
import { consentsOf, isInForce } from '../domain/people/consent.ts'
import { streamOf } from '../domain/stream.ts'
import { fail } from '../infrastructure/failures.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { addAuditAsOf } from './audit-as-of.ts'
import { addAuditEvents } from './audit-events.ts'
import { addAuditExport } from './audit-export.ts'
import { addAuditReplay } from './audit-replay.ts'
import { addAuditServe } from './audit-serve.ts'
import { addAuditRefusals, type TextOfRefusal } from './audit-refusals.ts'
import { checkHasCome, line, withStore, eventNamed, addVerifyCommand } from './audit-verify.ts'
import { examine } from './examine.ts'
import { addAuditExplain } from './explain.ts'
import { addSecurityAudit } from './security-audit.ts'
import { instantOf } from './arguments.ts'
import { readFileSync } from 'node:fs'
import type { Check } from '../audit/explain/needs.ts'
import { proveOrder, type OrderProof } from '../audit/explain/prove-order.ts'
import { provingWith } from '../audit/verify/known-keys.ts'
import { merkleTree, nodeHash, type Hash } from '../domain/transparency/merkle-tree.ts'
import {
  entryOf,
  entryOfEvent,
  leafHash,
  type Entry,
} from '../infrastructure/event-store/event-entry.ts'
import type { OpenedStore } from '../infrastructure/stores.ts'
import { sha256 } from '../infrastructure/keys/sha256.ts'

async function* entriesIn({ log, readAll }: OpenedStore): AsyncGenerator<Entry> {
  if (!log) {
    for await (const batch of readAll(start)) yield* batch.map(entryOfEvent)
    return
  }
  for (const { row, problem } of log.examined()) {
    const [position, stream, revision, id, type, data, metadata] = row
    if (problem)
      fail(`event ${position}, revision ${revision} of ${stream}, is damaged: ${problem}`)
    yield { stream, revision, id, type, data, metadata }
  }
}

type TreeOptions = {
  readonly size?: number
  readonly root?: string
  readonly index?: number
  readonly from?: number
}

const within = (name: string, given: number, most: number): number =>
  given <= most ? given : fail(`${name} ${given} is beyond the tree of ${most} events`)

const base64 = (hash: Hash): string => Buffer.from(hash).toString('base64')

/** The tree of these leaves; subtrees are computed on demand. */
const treeOf = (leaves: readonly Hash[]) => {
  const subtree = (level: number, index: number): Hash =>
    level === 0
      ? (leaves[index] as Hash)
      : nodeHash(sha256, subtree(level - 1, 2 * index), subtree(level - 1, 2 * index + 1))
  return merkleTree(sha256, subtree)
}

/** The tree of a log, and proofs from it. @throws OperatorError if the root differs */
export const auditTree = async (store: OpenedStore, options: TreeOptions) => {
  const { index, from } = options
  const leaves: Buffer[] = []
  let entry: string | undefined
  for await (const one of entriesIn(store)) {
    if (leaves.length === index) entry = entryOf(one)
    leaves.push(Buffer.from(leafHash(one), 'base64'))
  }
  const size = within('size', options.size ?? leaves.length, leaves.length)
  const tree = treeOf(leaves)
  const root = base64(tree.rootOf(size))
  if (options.root !== undefined && options.root !== root)
    fail(`the first ${size} events have the root ${root}: this is not the log with that root`)
  if (index !== undefined && index >= size)
    fail(`index ${index} is beyond the tree of ${size} events, which are numbered from 0`)
  if (from !== undefined) within('from', from, size)
  return {
    size,
    root,
    ...(index !== undefined && {
      index,
      entry,
      inclusion: tree.inclusionProof(index, size).map(base64),
    }),
    ...(from !== undefined && {
      from,
      from_root: base64(tree.rootOf(from)),
      consistency: tree.consistencyProof(from, size).map(base64),
    }),
  }
}

const marks = { true: 'holds', false: 'DOES NOT HOLD', null: 'unknown' } as const

const shownCheck = ({ holds, says }: Check): string => `${marks[`${holds}`]}: ${says}\n`

const shown = ({ verdict, checks }: OrderProof): string =>
  `${checks.map(shownCheck).join('')}${verdict}\n`

/** `daybook audit proof-of-order`: proves that an event's caller ordered it. */
const addProofOfOrder = (audit: Command, program: Command, settings: Settings): void => {
  audit
    .command('proof-of-order <event>')
    .description(
      'check the signature that an event keeps, with the key that was registered then; ' +
        'the event by position, id or <stream>@<revision>',
    )
    .option('--body <file>', 'the body of the request, where the event does not keep it')
    .action((name: string, { body: file }: { body?: string }) =>
      withStore(settings, async (store) => {
        const event = parseEvent(await eventNamed(store, name))
        const body = file === undefined ? undefined : readFileSync(file, 'utf8')
        const proof = await proveOrder(provingWith(store), event, body)
        const { stream, revision, position, id, type } = event
        const isJson = program.opts<{ json?: true }>().json
        const of = { event: { stream, revision, position, id, type }, ...proof }
        const head = `event ${position}: ${type}, revision ${revision} of ${stream}\n`
        process.stdout.write(isJson ? `${JSON.stringify(of, null, 2)}\n` : head + shown(proof))
        if (!proof.holds) process.exitCode = 1
      }),
    )
}

const catalogue = () =>
  (Object.keys(eventCatalogue) as EventType[]).map((type) => ({
    type,
    schema: schemaVersion(type),
    data: z.toJSONSchema(eventCatalogue[type]),
  }))

const countOf = (text: string): number =>
  /^\d{1,15}$/.test(text) ? Number(text) : fail(`${text} is not a number of events`)

const printConsents = async (store: EventStore, payer: string, at?: number): Promise<void> => {
  if (at !== undefined) await checkHasCome(store, at)
  const consents = consentsOf(payer)
  for await (const batch of store.readAll(start)) batch.map(parseEvent).forEach(consents.read)
  const all = consents.all()
  if (all.length === 0 && (await store.readStream(streamOf(payers, payer))).length === 0)
    fail(`there is no payer ${payer}`)
  all.filter((one) => at === undefined || isInForce(one, at)).forEach(line)
}

/** Commands for auditors: the log as stored, and the catalogue of events. */
export const addAuditCommands = (
  program: Command,
  settings: Settings,
  textsOfRefusals: () => Promise<TextOfRefusal>,
): void => {
  const audit = program.command('audit').description('read the log, without a service')
  addAuditEvents(audit, settings)
  addProofOfOrder(audit, program, settings)
  addAuditExplain(audit, program, settings)
  addAuditRefusals(audit, program, settings, textsOfRefusals)
  audit
    .command('consents <payer>')
    .description(
      'print the consents of a payer (by id, see payer find) with the events that prove them',
    )
    .option(
      '--at <time>',
      'only consents in force then, for instance 2026-05-17T12:00:00Z',
      instantOf,
    )
    .action((payer: string, { at }: { at?: number }) =>
      withStore(settings, (store) => printConsents(store, payer, at)),
    )
  audit
    .command('check')
    .description('read every event and report missing positions or revisions, and damage')
    .action(() =>
      withStore(settings, async (store) => {
        const { problems, ...found } = await examine(store, settings)
        line(found)
        for (const problem of problems) process.stderr.write(`${problem}\n`)
        if (problems.length > 0) process.exitCode = 1
      }),
    )
  audit
    .command('tree')
    .description('print the root of the Merkle tree of all events, and proofs in it')
    .option('--size <n>', 'of the first events only', countOf)
    .option('--root <base64>', 'fail unless this is the root')
    .option('--index <n>', 'prove that this event is in it, from 0', countOf)
    .option('--from <n>', 'prove that the tree of the first events is its beginning', countOf)
    .action((options: TreeOptions) =>
      withStore(settings, async (store) => void line(await auditTree(store, options))),
    )
  audit
    .command('catalogue')
    .description('print every event type with its JSON Schema')
    .action(() => catalogue().forEach(line))
  addAuditAsOf(audit, settings)
  addAuditExport(audit, settings)
  addVerifyCommand(audit, program, settings)
  addAuditReplay(audit, program, settings)
  addSecurityAudit(audit, program, settings)
  addAuditServe(audit, settings)
}
