/** Lets the events that wait be handled first. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
