/** Numbers from 0 to 1, with a fixed seed (mulberry32). */
export const randomFrom = (seed: number) => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (least: number, most: number): number => least + next() * (most - least),
    oneOf: <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)]!,
  }
}

export type Random = ReturnType<typeof randomFrom>
