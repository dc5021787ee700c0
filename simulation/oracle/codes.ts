/** When something happened; in a world of several nodes not exactly. */
export type Span = { readonly from: number; readonly to: number }

export type CodeScan = {
  readonly payer: string
  readonly label: string
  readonly at: Span
  /** 7.5: one scan matches one request. */
  readonly isFree: boolean
}

/** A request that listens until it is picked up, and whether it still can be. */
export type Listening = {
  readonly tid: string
  readonly at: Span
  readonly isOpen: 'yes' | 'no' | 'maybe'
}

/** A code (7.4), as whoever scans it and names it knows it. */
export type Code = { readonly scans: readonly CodeScan[]; readonly listening: readonly Listening[] }

const isSurelyBefore = (one: Span, other: Span): boolean => one.to < other.from

/** Of those that may be meant, each that no other one surely comes after. */
const latestOf = <Each extends { readonly at: Span }>(
  possible: readonly Each[],
  sure: readonly Each[],
): readonly (Each | undefined)[] => {
  const latest = possible.filter((one) => !sure.some(({ at }) => isSurelyBefore(one.at, at)))
  return sure.length > 0 ? latest : [...latest, undefined]
}

/** 7.5: of several requests waiting on one code the latest gets the scan. */
export const takersOf = ({ listening }: Code): readonly (Listening | undefined)[] =>
  latestOf(
    listening.filter(({ isOpen }) => isOpen !== 'no'),
    listening.filter(({ isOpen }) => isOpen === 'yes'),
  )

/** 7.5: a request takes the most recent scan of the last `maxAge` ms. */
export const takenOf = (
  { scans }: Code,
  now: Span,
  maxAge: number,
): readonly (CodeScan | undefined)[] => {
  const free = scans.filter(({ isFree }) => isFree)
  return latestOf(
    free.filter(({ at }) => at.to >= now.from - maxAge),
    free.filter(({ at }) => at.from > now.to - maxAge),
  )
}

/** 7.4: the latest scan, or none that is young enough. */
export const lastOf = ({ scans }: Code, now: Span, ttl: number) =>
  latestOf(
    scans.filter(({ at }) => at.to >= now.from - ttl),
    scans.filter(({ at }) => at.from > now.to - ttl),
  )

/** 18.3: how often a code was scanned on the days that are shown, by label. */
export const countsOf = ({ scans }: Code, isShown: (at: Span) => boolean) => {
  const counts = new Map<string, number>()
  for (const { label, at } of scans)
    if (isShown(at)) counts.set(label, (counts.get(label) ?? 0) + 1)
  return counts
}
