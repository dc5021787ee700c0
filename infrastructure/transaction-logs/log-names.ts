import { generationalCache } from '../../application/generational-cache.ts'
import { textCell } from './csv.ts'

/** A quoted text cell, or a customer as the log of events stores them. */
const quotedOrStored = /"(?:[^"]|"")*"|(?<=,)(?:sealed|granted):[^,\n]+(?=,)/g
const namesKept = 10_000

/**
 * Fills in customer names while a log file is read. The file holds sealed names only, so an erased
 * person is gone from it too: their cell is empty.
 */
export const withNames = (show: (stored: string) => string | null) => {
  const known = generationalCache<string, string>(namesKept)
  const cellOf = (stored: string): string => {
    if (stored.startsWith('"')) return stored
    const cell = known.get(stored) ?? textCell(show(stored))
    known.set(stored, cell)
    return cell
  }
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let rest = ''
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const text = rest + decoder.decode(chunk, { stream: true })
      const end = text.lastIndexOf('\n') + 1
      rest = text.slice(end)
      controller.enqueue(encoder.encode(text.slice(0, end).replace(quotedOrStored, cellOf)))
    },
    flush(controller) {
      controller.enqueue(encoder.encode(rest.replace(quotedOrStored, cellOf)))
    },
  })
}
