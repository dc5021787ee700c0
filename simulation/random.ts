/** A number from 0 to below 1. */
export type Random = () => number

/** The same numbers for the same seed (sfc32). */
export const randomFrom = (seed: number, stream = 0): Random => {
  let [a, b, c, counter] = [0x9e3779b9 ^ stream, seed | 0, Math.floor(seed / 2 ** 32) | 0, 1]
  const next = (): number => {
    const mixed = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + mixed) | 0
    return (mixed >>> 0) / 4_294_967_296
  }
  for (let count = 0; count < 12; count += 1) next()
  return next
}

export const pick = <Value>(random: Random, values: readonly Value[]): Value =>
  values[Math.floor(random() * values.length)] as Value

export const wholeBelow = (random: Random, limit: number): number => Math.floor(random() * limit)

/** Picks by weight. */
export const weighted = <Name extends string>(
  random: Random,
  weights: Readonly<Record<Name, number>>,
): Name => {
  const entries = Object.entries(weights) as [Name, number][]
  let left = random() * entries.reduce((sum, [, weight]) => sum + weight, 0)
  const found = entries.find(([, weight]) => (left -= weight) < 0) ?? entries.at(-1)
  return (found as [Name, number])[0]
}
