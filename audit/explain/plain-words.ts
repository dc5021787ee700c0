import { formatDateTime } from '../../application/date-time.ts'
import type { Entry, Story, SumOfParts } from './story.ts'

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

export const storyInWords = ({ title, says, entries, more, numbers }: Story): string =>
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

export const sumInWords = (title: string, sum: SumOfParts): string => {
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
