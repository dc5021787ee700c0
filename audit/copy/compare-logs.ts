import { start, type Position } from '../../application/event-store.ts'
import { growingTree } from '../verify/growing-tree.ts'
import { fail } from '../../infrastructure/failures.ts'
import { named, type CopiedEvent, type Source } from './copied-event.ts'

async function* oneByOne(
  batches: AsyncIterable<readonly CopiedEvent[]>,
): AsyncGenerator<CopiedEvent> {
  for await (const batch of batches) yield* batch
}

const addTo = ({ add }: ReturnType<typeof growingTree>, { leaf }: CopiedEvent): void =>
  add(Buffer.from(leaf, 'base64'))

const base64 = (hash: Uint8Array): string => Buffer.from(hash).toString('base64')

/** Reads two logs in parallel. Both Merkle trees cover the common part. */
export const compareLogs = (source: Source, target: Source) => {
  const [ofSource, ofTarget] = [growingTree(), growingTree()]
  let [sourceAt, targetAt]: [Position, Position] = [start, start]

  const refuse = (there: CopiedEvent, wanted: CopiedEvent | undefined): never => {
    const number = ofTarget.size() + 1
    const also = wanted ? `that of ${source.shown} ${named(wanted)}` : `${source.shown} has fewer`
    return fail(
      `${target.shown} holds something else: its event ${number} is ${named(there)}, ${also}. ` +
        'Copy into an empty place',
    )
  }

  return {
    /** Compares everything the target has received. @throws OperatorError on a difference */
    compareNew: async (onCompared: (sourceAt: Position) => void): Promise<void> => {
      const wanted = oneByOne(source.events(sourceAt))
      for await (const there of oneByOne(target.events(targetAt))) {
        const { value, done } = await wanted.next()
        if (done || value.leaf !== there.leaf) return refuse(there, done ? undefined : value)
        addTo(ofSource, value)
        addTo(ofTarget, there)
        sourceAt = value.position
        targetAt = there.position
        if (ofTarget.size() % 1_000 === 0) onCompared(sourceAt)
      }
      await wanted.return(undefined)
      onCompared(sourceAt)
    },
    size: (): number => ofTarget.size(),
    /** Source position of the last event that the target has. */
    sourceAt: (): Position => sourceAt,
    roots: () => ({ ofSource: base64(ofSource.root()), ofTarget: base64(ofTarget.root()) }),
  }
}

export type Comparison = ReturnType<typeof compareLogs>
