import type { Command } from 'commander'
import { formatDateTime } from '../application/date-time.ts'
import { explain, sumUp } from '../audit/explain/explain.ts'
import type { Entry, Story, SumOfParts } from '../audit/explain/story.ts'
import { openAuditedLog } from '../audit/verify/read-log.ts'
import { fail } from '../infrastructure/failures.ts'
import { sealAddresses } from '../infrastructure/people/sealing.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { withVaultBeside } from './vault.ts'
import { textsIn } from '../texts/catalogue.ts'

const texts = textsIn.en.story

const { subjects } = texts

const indented = (lines: readonly string[]): string[] => lines.map((one) => `    ${one}`)

const entryInWords = (entry: Entry): readonly string[] => {
  const { position, at, says, who, why, numbers, told, counted, type } = entry
  const changes = numbers.map(({ name, from, to }) => `${name} ${from} -> ${to}`)
  return [
    `${formatDateTime(at)}  event ${position}  ${type}: ${says}`,
    ...indented([
      `by ${who}`,
      `why: ${why}`,
      ...(changes.length > 0 ? [`changes ${changes.join(', ')}`] : []),
      ...(counted.length > 0 ? [`counted in ${counted.join(', ')}`] : []),
      ...told.map(
        (one) => `told ${one.at === null ? '' : `${formatDateTime(one.at)} `}${one.says}`,
      ),
    ]),
  ]
}

const storyInWords = ({ title, says, entries, more, numbers }: Story): string =>
  [
    title,
    ...indented(says),
    ...entries.flatMap(entryInWords),
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(numbers.length > 0 ? ['numbers (--number <name> tells what adds up to one):'] : []),
    ...indented(numbers.map(({ name, currency, value }) => `${name} ${value} ${currency}`)),
    '',
  ].join('\n')

const verdictOf = ({ agrees, says }: SumOfParts): string =>
  agrees === null ? says : `${agrees ? 'it adds up' : 'IT DOES NOT ADD UP'}: ${says}`

const sumInWords = (title: string, sum: SumOfParts): string => {
  const { name, currency, value, parts, others } = sum
  const all = [...parts.map(({ amount }) => amount), others?.amount ?? '', value]
  const width = Math.max(...all.map(({ length }) => length))
  const row = (amount: string, text: string) => `${amount.padStart(width + 2)}  ${text}`
  return [
    `${name} of ${title}, in ${currency}`,
    ...parts.map(({ amount, at, position, says }) =>
      row(amount, `${formatDateTime(at)}  event ${position}  ${says}`),
    ),
    ...(others ? [row(others.amount, `${others.count} more lines together`)] : []),
    row(value, '='),
    verdictOf(sum),
    '',
  ].join('\n')
}

/** `daybook audit explain`: explains a subject in words, and what its numbers add up from. */
export const addAuditExplain = (audit: Command, program: Command, settings: Settings): void => {
  audit
    .command('explain <subject>')
    .description(`tell in plain words what has happened to ${subjects}`)
    .option('--number <name>', 'the events that add up to this number of it, such as payout')
    .action((subject: string, { number }: { number?: string }) =>
      withVaultBeside(settings, async (vault) => {
        const log = await openAuditedLog(settings)
        try {
          const openAddress = vault ? sealAddresses(vault).openAddress : () => undefined
          const needs = { ...log, openAddress, texts }
          const story =
            (await explain(needs, subject)) ?? fail(`there is no ${subject}: give ${subjects}`)
          const names = story.numbers.map(({ name, currency }) => `${name}:${currency}`).join(', ')
          const sum = number === undefined ? undefined : await sumUp(needs, subject, story, number)
          if (number !== undefined && !sum)
            fail(`${story.title} has no number ${number}, but ${names || 'none'}`)
          const isJson = program.opts<{ json?: true }>().json
          const text = sum ? sumInWords(story.title, sum) : storyInWords(story)
          process.stdout.write(isJson ? `${JSON.stringify(sum ?? story, null, 2)}\n` : text)
          if (sum?.agrees === false) process.exitCode = 1
        } finally {
          await log.close()
        }
      }),
    )
}
