/** An auto-reset event: `wait` returns once `set` has been called, and then resets it. */
export const autoResetEvent = () => {
  let isSet = false
  let wake = (): void => {}
  return {
    set: (): void => {
      isSet = true
      wake()
    },
    wait: async (): Promise<void> => {
      if (!isSet) await new Promise<void>((resolve) => (wake = resolve))
      isSet = false
    },
  }
}
