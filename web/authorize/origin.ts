import { html } from 'hono/html'
import { z } from 'zod'
import type { Call } from '../../http/call.ts'
import { deviceName } from '../payer/device-name.ts'
import { inputField } from '../ui/fields.ts'
import type { Html } from '../ui/page.ts'
import type { Sealing } from '../payer/sealing.ts'
import type { Visitor } from '../payer/session.ts'
import { filled } from '../ui/words.ts'

export type OriginNeeds = Sealing & {
  readonly derive: (...parts: readonly (string | number)[]) => string
}

const origin = z.object({ address: z.string(), device: z.string().nullable() })

/** The two digits that the screen shows and the phone asks for. */
export const compareNumber = ({ derive }: OriginNeeds, id: string): string =>
  String(10 + (Buffer.from(derive('compare', id), 'base64url').readUInt32BE() % 90))

/** Adds to a code where it was shown, sealed: only this service can say so. */
export const withOrigin = ({ seal }: OriginNeeds, qr: string, { request }: Call): string => {
  const device = deviceName(request.header('user-agent')) ?? null
  return `${qr}.${seal(JSON.stringify({ address: request.remoteAddress ?? '', device }))}`
}

/** Where the request comes from, on the phone that approves it. */
export const originHtml = (
  { unseal }: OriginNeeds,
  { texts }: Visitor,
  { qr, address: own }: { readonly qr: string; readonly address: string },
): Html => {
  const text = unseal(qr.split('.')[1] ?? '')
  const from = text === undefined ? undefined : origin.safeParse(JSON.parse(text)).data
  const place = from?.address === own ? texts.fromHere : texts.fromElsewhere
  const address = html`<b>${from?.address ?? texts.unknownDevice}</b>`
  const device = html`<b>${from?.device ?? texts.unknownDevice}</b>`
  return html`${filled(place, { address })}<br />
    ${filled(texts.fromDevice, { device })}`
}

/** The number to compare. */
export const compareField = ({ texts }: Visitor, problem: string | undefined): Html =>
  inputField({
    name: 'compare',
    label: texts.compareNumber,
    hint: texts.compareHint,
    problem,
    attributes: html`inputmode="numeric" autocomplete="off" maxlength="2"`,
  })
