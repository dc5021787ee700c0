/**
 * One answer for all who ask before the question is put. Whoever comes later waits for the next
 * one, but fails with the present one: it has used up its patience, and the next one would do so
 * again.
 */
export const shared = <Answer>(ask: () => Promise<Answer>): (() => Promise<Answer>) => {
  let present: Promise<unknown> = Promise.resolve()
  let next: Promise<Answer> | undefined
  const put = (): Promise<Answer> => {
    next = undefined
    const answer = ask()
    present = answer
    answer.catch(() => {
      present = Promise.resolve()
      next = undefined
    })
    return answer
  }
  return () => (next ??= present.then(put))
}
