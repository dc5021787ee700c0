import { existsSync, readFileSync } from 'node:fs'
import { decideAgain, type DecidedAgain } from '../application/audit/decide-again.ts'
import type { EventStore } from '../application/event-store.ts'
import { unseal } from './people/sealing.ts'
import { refusalFiles, type RefusalLine, type SealedPart } from './refusals.ts'

export type RefusalsWanted = {
  readonly from: number
  readonly to: number
  readonly merchant?: string | undefined
  readonly actor?: string | undefined
  readonly request?: string | undefined
}

/** A line of what was not kept has no request. */
const isRefusal = (line: object): line is RefusalLine => 'request' in line

/** The last line of a file may be under way. */
const linesIn = (file: string): RefusalLine[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .flatMap((line): RefusalLine[] => {
      try {
        const parsed = JSON.parse(line) as object
        return isRefusal(parsed) ? [parsed] : []
      } catch {
        return []
      }
    })

const timesOf = ({ at, machine_at }: RefusalLine): readonly number[] =>
  [at, ...(machine_at === undefined ? [] : [machine_at])].map((time) => Date.parse(time))

const isWanted =
  ({ from, to, merchant, actor, request }: RefusalsWanted) =>
  (line: RefusalLine): boolean =>
    timesOf(line).some((time) => time >= from && time < to) &&
    (merchant === undefined || line.merchant === merchant) &&
    (actor === undefined || line.actor === actor) &&
    (request === undefined || line.request === request)

/** Refusals of these times, oldest first, by the clock of the service or of the machine. */
export const findRefusals = (directory: string, wanted: RefusalsWanted): readonly RefusalLine[] =>
  existsSync(directory)
    ? refusalFiles(directory).flatMap(({ file }) => linesIn(file).filter(isWanted(wanted)))
    : []

export type ExplainedRefusal = Omit<RefusalLine, 'sealed'> & {
  readonly target?: string | undefined
  /** Absent where nothing was decided, or what was asked for is not kept. */
  readonly again?: DecidedAgain | undefined
}

/** Opens what is sealed, and decides again what was decided. */
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
