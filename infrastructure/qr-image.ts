import { toBuffer, toDataURL, toString } from 'qrcode'

/** Medium correction: a code that is a little worn or dirty still reads. */
const options = { errorCorrectionLevel: 'M', margin: 4 } as const
const pixelsPerModule = 8

/** QR codes (ISO/IEC 18004) of a text. */
export const qrImage = {
  png: async (text: string): Promise<Uint8Array<ArrayBuffer>> =>
    new Uint8Array(await toBuffer(text, { ...options, type: 'png', scale: pixelsPerModule })),
  svg: (text: string): Promise<string> => toString(text, { ...options, type: 'svg' }),
  /** A PNG inside a URL, for pages that show codes which nobody else may fetch. */
  dataUrl: (text: string): Promise<string> =>
    toDataURL(text, { ...options, type: 'image/png', scale: pixelsPerModule }),
}
