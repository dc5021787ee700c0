import type { Command } from 'commander'
import { z } from 'zod'
import { start } from '../application/event-store.ts'
import { consentsOf, isInForce } from '../domain/consent.ts'
import { eventCatalogue, parseEvent, schemaVersion, type EventType } from '../domain/events.ts'
import { openStore } from './stores.ts'
import { fail } from './operator-error.ts'
import type { Settings } from './settings.ts'

/** Every event type with the version and the JSON Schema of its data. */
const catalogue = () =>
  (Object.keys(eventCatalogue) as EventType[]).map((type) => ({
    type,
    schema: schemaVersion(type),
    data: z.toJSONSchema(eventCatalogue[type]),
  }))

const instant = (text: string): number => {
  const at = Date.parse(text)
  return Number.isNaN(at) ? fail(`${text} is no time such as 2026-05-17T12:00:00Z`) : at
}

const line = (value: object): boolean => process.stdout.write(`${JSON.stringify(value)}\n`)

/** What an auditor reads: the log as it stands, each event checked against the catalogue, and the catalogue itself. */
export const addAuditCommands = (program: Command, settings: Settings): void => {
  const audit = program.command('audit').description('read the log, without a service')
  audit
    .command('events')
    .description('print events as JSON Lines, in order')
    .option('--stream <name>', 'only this stream, for instance payment-…')
    .option('--after <position>', 'only what came after this position', Number, start)
    .action(async ({ stream, after }: { stream?: string; after: number }) => {
      const store = openStore(settings)
      if (stream === undefined)
        for await (const batch of store.readAll(after)) batch.map(parseEvent).forEach(line)
      else
        (await store.readStream(stream))
          .map(parseEvent)
          .filter(({ position }) => position > after)
          .forEach(line)
      await store.close()
    })
  audit
    .command('consents <payer>')
    .description('print what a payer (by id) let merchants know, with the events that prove it')
    .option(
      '--at <time>',
      'only what was in force then, for instance 2026-05-17T12:00:00Z',
      instant,
    )
    .action(async (payer: string, { at }: { at?: number }) => {
      const store = openStore(settings)
      const consents = consentsOf(payer)
      for await (const batch of store.readAll(start)) batch.map(parseEvent).forEach(consents.read)
      await store.close()
      const shown = consents.all().filter((one) => at === undefined || isInForce(one, at))
      shown.forEach(line)
    })
  audit
    .command('catalogue')
    .description('print every event type with its JSON Schema')
    .action(() => catalogue().forEach(line))
}
