import { leafHash } from '../../infrastructure/event-store/event-entry.ts'
import { StoreUnavailable, type Position } from '../../application/event-store.ts'
import { fail } from '../../infrastructure/failures.ts'

/** An event to copy; data and metadata are the stored text. */
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

/** A log to read. */
export type Source = {
  /** As named by the operator, without a password. */
  readonly shown: string
  readonly head: () => Promise<Position>
  /** Up to the current end. @throws OperatorError for what cannot be copied */
  readonly events: (after: Position) => AsyncIterable<readonly CopiedEvent[]>
  /** Whether there is a vault beside the log, in streams that are not part of it. */
  readonly holdsVault?: () => Promise<boolean>
  readonly close: () => Promise<void>
}

/** A log to write. */
export type Target = Source & {
  /**
   * Appends all in order. If it throws, some may have been appended: read the log to find out.
   * @throws StoreUnavailable, WrongExpectedRevision
   */
  readonly append: (events: readonly CopiedEvent[]) => Promise<void>
}

export const named = ({ stream, revision, type }: CopiedEvent): string =>
  `${type}, revision ${revision} of ${stream}`

export const leafOfCopy = ({ id, ...event }: Omit<CopiedEvent, 'leaf'>): string =>
  leafHash({ ...event, id: id.replaceAll('-', '') })

/** Consecutive events of one stream, for one append each. */
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

/** Adds the store's name to StoreUnavailable. */
export const ofStore = async <Answer>(shown: string, asked: Promise<Answer>): Promise<Answer> => {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    return fail(`${shown} cannot be used: ${error.message}`)
  }
}
