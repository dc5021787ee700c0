import type { EventStore, Position } from '../../application/event-store.ts'

/** The end of the log; undefined when the store does not tell it in time. */
export const headSoon = (
  store: Pick<EventStore, 'head'>,
  milliseconds: number,
): Promise<Position | undefined> =>
  new Promise((resolve) => {
    const giveUp = () => resolve(undefined)
    const timer = setTimeout(giveUp, milliseconds)
    store
      .head()
      .then(resolve, giveUp)
      .finally(() => clearTimeout(timer))
  })
