import jsqr from 'jsqr'

// The package is a function, despite its types.
const decode = jsqr as unknown as typeof jsqr.default

/** What a phone would read from a code drawn as rows of strokes. */
export const scannedSvg = (svg: string): string => {
  const [scale, size] = [4, Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]) * 4]
  const pixels = new Uint8ClampedArray(size * size * 4).fill(255)
  const [, strokes = ''] = /stroke="#\w+" d="([^"]*)"/.exec(svg) ?? []
  let [x, y] = [0, 0]
  for (const [, step, across = '', down] of strokes.matchAll(/([Mmh])(\d+)(?: ?([\d.]+))?/g)) {
    const from = x
    x = step === 'M' ? Number(across) : x + Number(across)
    if (step === 'M') y = Math.floor(Number(down))
    if (step !== 'h') continue
    for (let row = y * scale; row < (y + 1) * scale; row += 1)
      pixels.fill(0, (row * size + from * scale) * 4, (row * size + x * scale) * 4)
  }
  const alpha = pixels.map((value, index) => (index % 4 === 3 ? 255 : value))
  return decode(alpha, size, size)?.data ?? ''
}
