import { existsSync } from 'node:fs'
import { decideAgain, type ExplainedRefusal } from '../audit/explain/decide-again.ts'
import type { RefusalLine, RefusalFilter } from '../application/refused-request.ts'
import type { EventStore } from '../application/event-store.ts'
import { dayMs, dayOf } from '../domain/time.ts'
import type { Core } from './core.ts'
import { jsonLinesIn } from '../infrastructure/logs/daily-file.ts'
import { unseal } from '../infrastructure/people/sealing.ts'
import { refusalFiles, type SealedPart } from '../infrastructure/logs/refusals.ts'
import { wallClock } from '../application/machine.ts'

/** A line that reports dropped refusals has no request. */
const isRefusal = (line: object): line is RefusalLine => 'request' in line

const linesIn = (file: string): RefusalLine[] => jsonLinesIn(file, () => {}).filter(isRefusal)

const timesOf = ({ at, machine_at }: RefusalLine): readonly number[] =>
  [at, ...(machine_at === undefined ? [] : [machine_at])].map((time) => Date.parse(time))

const isWanted =
  ({ from, to, merchant, actor, request }: RefusalFilter) =>
  (line: RefusalLine): boolean =>
    timesOf(line).some((time) => time >= from && time < to) &&
    (merchant === undefined || line.merchant === merchant) &&
    (actor === undefined || line.actor === actor) &&
    (request === undefined || line.request === request)

/** Files are named by the machine's date, which may differ only in the sandbox. */
const mayHold = (day: string, { from, to }: RefusalFilter): boolean =>
  dayOf(Math.max(0, from - dayMs)) <= day && (to === Infinity || day <= dayOf(to + dayMs))

/**
 * Refusals in a time range, oldest first, by the service's or the machine's clock. If the clock was
 * moved, every file is read.
 */
export const findRefusals = (
  directory: string,
  filter: RefusalFilter,
  isMoved: boolean,
): readonly RefusalLine[] =>
  existsSync(directory)
    ? refusalFiles(directory)
        .filter(({ day }) => isMoved || mayHold(day, filter))
        .flatMap(({ file }) => linesIn(file).filter(isWanted(filter)))
    : []

/** Opens the sealed part, and repeats the decision. */
export const explainRefusal = async (
  store: Pick<EventStore, 'readStream'>,
  key: Buffer | undefined,
  { sealed, ...line }: RefusalLine,
): Promise<ExplainedRefusal> => {
  const text = key && sealed === undefined ? undefined : key && unseal(key, sealed ?? '')
  if (text === undefined) return line
  const { target, command, asked } = JSON.parse(text) as SealedPart
  const { stream, revision } = line
  if (stream === undefined || revision === undefined || !command) return { ...line, target }
  const at = Date.parse(line.at)
  const decision = { stream, revision, command: command as { type: string }, asked, at }
  return { ...line, target, again: await decideAgain(store, decision) }
}

/** Refusals with explanations, newest first. */
export const explainedRefusals = (core: Core) => {
  const key = core.vault.secret('refusals')
  return async (filter: RefusalFilter, limit: number): Promise<readonly ExplainedRefusal[]> => {
    core.refusals.flush()
    const isMoved = Math.abs(core.now() - wallClock()) > 1_000
    const found = findRefusals(core.settings.DATA_DIR, filter, isMoved).slice(-limit).toReversed()
    return Promise.all(found.map((one) => explainRefusal(core.store, key, one)))
  }
}
