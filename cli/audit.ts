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
import { checkHasCome, line, withStore } from './audit-store.ts'
import { auditTree, type TreeOptions } from './audit-tree.ts'
import { addVerifyCommand } from './audit-verify.ts'
import { examine } from './examine.ts'
import { addAuditExplain } from './explain.ts'
import { addProofOfOrder } from './proof-of-order.ts'
import { addSecurityAudit } from './security-audit.ts'
import { instantOf } from './time.ts'

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
