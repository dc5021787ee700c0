/** Something to wait for that may have happened already. */
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
