/**
 * Shares one answer between all callers before the request is sent. Later callers wait for the next
 * request, but fail with the current one: it just timed out, and the next one would too.
 */
export const sharedRequest = <Answer>(ask: () => Promise<Answer>): (() => Promise<Answer>) => {
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
