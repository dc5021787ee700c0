import { aside } from '../../application/machine.ts'
export type QrRequest = { readonly text: string; readonly type: 'svg' | 'png' }
/** Null if it cannot be drawn. */
export type QrReply = string | Uint8Array<ArrayBuffer> | null

/** Medium error correction: a worn or dirty code remains readable. */
const options = { errorCorrectionLevel: 'M', margin: 4 } as const
/** Long texts have many modules, so they are drawn smaller. */
const pixelsPerModule = (text: string): number => (text.length > 200 ? 4 : 8)

/** Draws a QR code (ISO/IEC 18004). A PNG takes some 20 ms. */
export const drawQrCode = async ({ text, type }: QrRequest): Promise<QrReply> => {
  // A CommonJS module: bundled, it has only a default export.
  const { default: qrcode } = await aside(() => import('qrcode'))
  if (type === 'svg') return qrcode.toString(text, { ...options, type })
  const scale = pixelsPerModule(text)
  return new Uint8Array(await qrcode.toBuffer(text, { ...options, type, scale }))
}

export const begin =
  () =>
  (request: QrRequest): Promise<QrReply> =>
    drawQrCode(request).catch(() => null)
