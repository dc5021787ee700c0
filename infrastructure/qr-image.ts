import { toBuffer, toString } from 'qrcode'
import { generationalCache } from '../application/generational-cache.ts'

/** Medium correction: a code that is a little worn or dirty still reads. */
const options = { errorCorrectionLevel: 'M', margin: 4 } as const
/** A picture of a long text has many modules, and is drawn smaller. */
const pixelsPerModule = (text: string): number => (text.length > 200 ? 4 : 8)
const imagesKept = 500

/** The images that were asked for lately are there: to draw one takes some milliseconds of everybody's time. */
const remembered = <Image>(draw: (text: string) => Promise<Image>) => {
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

const svgOf = (text: string): Promise<string> => toString(text, { ...options, type: 'svg' })

/** QR codes (ISO/IEC 18004) of a text. */
export const qrImage = {
  png: remembered(
    async (text: string): Promise<Uint8Array<ArrayBuffer>> =>
      new Uint8Array(
        await toBuffer(text, { ...options, type: 'png', scale: pixelsPerModule(text) }),
      ),
  ),
  svg: remembered(svgOf),
  /** An image inside a URL, for pages that show codes which nobody else may fetch; it is not kept. */
  dataUrl: async (text: string): Promise<string> =>
    `data:image/svg+xml;base64,${Buffer.from(await svgOf(text)).toString('base64')}`,
}
