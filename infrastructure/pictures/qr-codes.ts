import type { Path } from '../../application/queue-by-key.ts'
import { generationalCache } from '../../application/generational-cache.ts'
import { refuse } from '../../domain/refusal.ts'
import { networksOf } from '../networks.ts'
import { jobThread } from '../threads/job-thread.ts'
import type { Where } from '../worker.ts'
import { drawQrCode, type begin, type QrReply, type QrRequest } from './qr-job.ts'

const limits = { limit: { ms: 20_000, late: () => null }, idleMs: 60_000, maxWaiting: 20_000 }
const imagesKept = 500

type Draw = (request: QrRequest, whose: Path) => Promise<QrReply>

const inWorker = (): Draw => {
  const options = { yields: 'much', ...limits } as const
  const { ask } = jobThread<typeof begin, null>('infrastructure/pictures/qr-job', options)
  return (request, whose) => ask(request, { whose })
}

/** Codes of pages, and those that anybody may ask for, take turns. */
const ofPages: Path = ['pages']
const ofAnybody = (address = ''): Path => ['anybody', ...networksOf(address)]

/** QR codes (ISO/IEC 18004), drawn in a thread of low priority. */
export const makeQrCodes = (beside: Where) => {
  const draw = beside === 'worker' ? inWorker() : drawQrCode
  const drawn = generationalCache<string, Promise<NonNullable<QrReply>>>(imagesKept)

  const made = async (request: QrRequest, whose: Path): Promise<NonNullable<QrReply>> =>
    (await draw(request, whose)) ?? refuse('too_much_is_waiting')

  /** Cached by content. */
  const kept = (request: QrRequest, address: string | undefined) => {
    const name = `${request.type} ${request.text}`
    const known = drawn.get(name)
    if (known) return known
    const image = made(request, ofAnybody(address))
    drawn.set(name, image)
    image.catch(() => drawn.delete(name))
    return image
  }

  return {
    /** What anybody at the address may ask for. */
    image: (text: string, type: QrRequest['type'], address: string | undefined) =>
      kept({ text, type }, address),
    /** For pages with codes that nobody else may fetch; not cached. */
    svg: async (text: string): Promise<string> =>
      String(await made({ text, type: 'svg' }, ofPages)),
    dataUrl: async (text: string): Promise<string> => {
      const svg = String(await made({ text, type: 'svg' }, ofPages))
      return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
    },
  }
}
