import { leafHash } from '../event-store/event-entry.ts'
import { StoreUnavailable, type Position } from '../../application/event-store.ts'
import { fail } from '../failures.ts'

/** An event of a log that is copied; data and metadata are the text as it is stored. */
export type CopiedEvent = {
  readonly position: Position
  readonly stream: string
  readonly revision: number
  readonly id: string
  readonly type: string
  readonly data: string
  readonly metadata: string
  /** When the store wrote it, in ms. */
  readonly recordedAt: number | undefined
  /** RFC 6962 leaf hash of its entry, in base64. */
  readonly leaf: string
}

/** A log that is read. */
export type Source = {
  /** As the operator named it, without a password. */
  readonly shown: string
  readonly head: () => Promise<Position>
  /** Up to the present end. @throws OperatorError for what cannot be copied */
  readonly events: (after: Position) => AsyncIterable<readonly CopiedEvent[]>
  /** Whether a vault lies beside the log, in streams that are no part of it. */
  readonly holdsVault?: () => Promise<boolean>
  readonly close: () => Promise<void>
}

/** A log that is written. */
export type Target = Source & {
  /**
   * Appends all in order. When it throws, some may be there: read what is.
   * @throws StoreUnavailable, WrongExpectedRevision
   */
  readonly append: (events: readonly CopiedEvent[]) => Promise<void>
}

export const named = ({ stream, revision, type }: CopiedEvent): string =>
  `${type}, revision ${revision} of ${stream}`

export const leafOfCopy = ({ id, ...event }: Omit<CopiedEvent, 'leaf'>): string =>
  leafHash({ ...event, id: id.replaceAll('-', '') })

/** Events of one stream side by side, which one append takes. */
export const runsOf = (
  events: readonly CopiedEvent[],
  mostEvents: number,
  mostBytes: number,
): readonly (readonly CopiedEvent[])[] => {
  const runs: CopiedEvent[][] = []
  let bytes = 0
  for (const event of events) {
    const run = runs.at(-1)
    const size = Buffer.byteLength(event.data)
    const isSameStream = run?.[0]?.stream === event.stream
    const continues = run && isSameStream && run.length < mostEvents && bytes + size <= mostBytes
    if (continues) run.push(event)
    else runs.push([event])
    bytes = continues ? bytes + size : size
  }
  return runs
}

/** The answer; a store that is away is named. */
export const ofStore = async <Answer>(shown: string, asked: Promise<Answer>): Promise<Answer> => {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    return fail(`${shown} cannot be used: ${error.message}`)
  }
}
