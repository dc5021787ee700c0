/** A latch: something to wait for that may already have happened. */
export const bell = () => {
  let hasRung = false
  let wake = (): void => {}
  return {
    ring: (): void => {
      hasRung = true
      wake()
    },
    heard: async (): Promise<void> => {
      if (!hasRung) await new Promise<void>((resolve) => (wake = resolve))
      hasRung = false
    },
  }
}
