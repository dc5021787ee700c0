import { dateTimeIn } from '../../application/date-time.ts'
import type { TimeZone } from '../../domain/time-zone.ts'

/** Cells before the time of a line. */
const cellsBefore = { transactions: 2, scopes: 1 } as const

const cell = '(?:"(?:[^"]|"")*"|[^",\\n]*),'

const time = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d'

/** A log with its times in a zone instead of UTC; the head of their column names it. */
export const logIn = (zone: TimeZone, name: keyof typeof cellsBefore) => {
  const timeIn = dateTimeIn(zone)
  const pattern = new RegExp(`^((?:${cell}){${cellsBefore[name]}})(timestamp|${time})(?=,)`, 'gm')
  const zoned = (text: string): string =>
    text.replace(pattern, (_, before: string, utc: string) =>
      utc === 'timestamp'
        ? `${before}timestamp (${zone})`
        : before + timeIn(Date.parse(`${utc.replace(' ', 'T')}Z`)),
    )
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let rest = ''
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const text = rest + decoder.decode(chunk, { stream: true })
      const end = text.lastIndexOf('\n') + 1
      rest = text.slice(end)
      controller.enqueue(encoder.encode(zoned(text.slice(0, end))))
    },
    flush(controller) {
      controller.enqueue(encoder.encode(zoned(rest)))
    },
  })
}
