/** A token bucket: `burst` at once, then `perSecond`. */
export const makeAllowance = (burst: number, perSecond: number, now: () => number) => {
  let left = burst
  let last = now()

  /** False once the bucket is empty. */
  return (spent = 1): boolean => {
    const at = now()
    left = Math.min(burst, left + ((at - last) / 1000) * perSecond) - spent
    last = at
    return left >= 0
  }
}
