/** Lets the events that wait be handled first. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** The same for a millisecond. */
export const nextMoment = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 1))
