import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { Check } from '../audit/explain/check.ts'
import { proveOrder, type OrderProof } from '../audit/explain/prove-order.ts'
import { parseEvent } from '../domain/events.ts'
import { provingWith } from '../audit/verify/proving.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { eventNamed, withStore } from './audit-store.ts'

const marks = { true: 'holds', false: 'DOES NOT HOLD', null: 'unknown' } as const

const shownCheck = ({ holds, says }: Check): string => `${marks[`${holds}`]}: ${says}\n`

const shown = ({ verdict, checks }: OrderProof): string =>
  `${checks.map(shownCheck).join('')}${verdict}\n`

/** `daybook audit proof-of-order`: proves that an event's caller ordered it. */
export const addProofOfOrder = (audit: Command, program: Command, settings: Settings): void => {
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
