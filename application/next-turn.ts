/** Lets pending events run first. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Waits one millisecond. */
export const nextMoment = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 1))
