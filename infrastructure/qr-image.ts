import { generationalCache } from '../application/generational-cache.ts'

/** Medium error correction: a worn or dirty code remains readable. */
const options = { errorCorrectionLevel: 'M', margin: 4 } as const
/** Long texts have many modules, so they are drawn smaller. */
const pixelsPerModule = (text: string): number => (text.length > 200 ? 4 : 8)
const imagesKept = 500

/** Caches images, because drawing one takes milliseconds of the main thread. */
const memoized = <Image>(draw: (text: string) => Promise<Image>) => {
  const drawn = generationalCache<string, Promise<Image>>(imagesKept)
  return (text: string): Promise<Image> => {
    const known = drawn.get(text)
    if (known) return known
    const image = draw(text)
    drawn.set(text, image)
    image.catch(() => drawn.delete(text))
    return image
  }
}

/** Loaded with the first code, so that the start does not wait for it. */
const library = async () => {
  // A CommonJS module: bundled, it has only a default export.
  const { default: qrcode } = await import('qrcode')
  return qrcode
}

const svgOf = async (text: string): Promise<string> => {
  const { toString } = await library()
  return toString(text, { ...options, type: 'svg' })
}

const pngOf = async (text: string): Promise<Uint8Array<ArrayBuffer>> => {
  const { toBuffer } = await library()
  const scale = pixelsPerModule(text)
  return new Uint8Array(await toBuffer(text, { ...options, type: 'png', scale }))
}

/** QR codes (ISO/IEC 18004). */
export const qrImage = {
  png: memoized(pngOf),
  svg: memoized(svgOf),
  /** For pages with codes that nobody else may fetch; not cached. */
  dataUrl: async (text: string): Promise<string> =>
    `data:image/svg+xml;base64,${Buffer.from(await svgOf(text)).toString('base64')}`,
}
