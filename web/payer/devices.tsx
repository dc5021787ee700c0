import { Hidden, type Html } from '../ui/components.tsx'
import type { Context } from '../../application/handle.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { contextOfPayer } from '../../http/call.ts'
import { fieldOf } from '../../http/forms.ts'
import type { Route } from '../../http/route.ts'
import { utcTime } from '../ui/money.tsx'
import { pageAsks } from './page-documentation.ts'
import { payerPages } from './pages.ts'
import { type SignedIn, type Visits } from './session.tsx'
import { filled, unseen } from '../ui/words.tsx'
import { z } from 'zod'

export type DeviceTokenNeeds = {
  readonly newToken: () => { readonly token: string; readonly digest: string }
  /** SHA-256. */
  readonly digestOf: (text: string) => string
}

export const deviceTokenText = z
  .string()
  .regex(/^[\w-]{43}$/)
  .optional()
  .meta({
    description:
      'What an earlier sign-in has answered on this device. Wrong PINs of strangers do not keep ' +
      'such a device out.',
  })

export const deviceReply = z.string().meta({
  description: 'Keep it on the device, and send it with each sign-in.',
})

/** The device's token, or a new one, and its digest. */
export const makeDevice = (
  { newToken, digestOf }: DeviceTokenNeeds,
  kept: string | undefined,
): { readonly token: string; readonly known: string } => {
  if (kept !== undefined) return { token: kept, known: digestOf(kept) }
  const { token, digest } = newToken()
  return { token, known: digest }
}

export const browsers = {
  Edg: 'Edge',
  OPR: 'Opera',
  SamsungBrowser: 'Samsung Internet',
  Firefox: 'Firefox',
  FxiOS: 'Firefox',
  CriOS: 'Chrome',
  Chrome: 'Chrome',
  Safari: 'Safari',
}

export const systems = {
  iPhone: 'iPhone',
  iPad: 'iPad',
  Android: 'Android',
  Windows: 'Windows',
  CrOS: 'ChromeOS',
  'Mac OS X': 'Mac',
  Linux: 'Linux',
}

export const firstIn = (names: Readonly<Record<string, string>>, text: string): string[] =>
  Object.entries(names).flatMap(([mark, name]) => (text.includes(mark) ? [name] : []))

/** A browser's common name, such as `Chrome, Android`; undefined for other clients. */
export const deviceName = (userAgent: string | undefined): string | undefined => {
  const [browser] = firstIn(browsers, userAgent ?? '')
  const [system] = firstIn(systems, userAgent ?? '')
  return [browser, system].filter((part) => part !== undefined).join(', ') || undefined
}

export type Device = {
  readonly session: string
  /** Such as `Chrome, Android`; null when unknown. */
  readonly device: string | null
  readonly startedAt: Instant
  readonly usedAt: Instant
}

export type DevicesNeeds = {
  readonly caughtUp: () => Promise<void>
  /** Sessions, newest first. */
  readonly devicesOf: (payer: string, at: Instant) => readonly Device[]
  readonly signOut: (payer: string, session: string, context: Context) => Promise<void>
}

/** A payer's sessions; all but this one can be signed out. */
export const devicesHtml = (
  { texts, csrf, locale, session: own }: SignedIn,
  devices: readonly Device[],
): Html => (
  <ul class="list">
    {devices.map(({ session, device, startedAt, usedAt }) => {
      const name = device ?? texts.unknownDevice
      const isOwn = session === own.digest
      return (
        <li>
          <form class="row device" method="post" action="/payer/devices">
            <span>{name}</span>
            <span class="about quiet small">
              {' '}
              {filled(texts.signedInAt, { time: utcTime(startedAt, locale) })}
              <br /> {filled(texts.usedAt, { time: utcTime(usedAt, locale) })}{' '}
            </span>
            {isOwn ? (
              <b class="small">{texts.thisDevice}</b>
            ) : (
              [
                <Hidden fields={{ csrf, session }} />,
                <button class="second slim">
                  {texts.signOut}
                  {unseen([' ', name, ', ', utcTime(startedAt, locale)])}
                </button>,
              ]
            )}
          </form>
        </li>
      )
    })}
  </ul>
)

/** Ends a session of the payer's own. @throws Refusal resource_is_unknown */
export const endSession =
  ({ caughtUp, devicesOf, signOut }: DevicesNeeds) =>
  async (payer: string, session: string, context: Context): Promise<void> => {
    await caughtUp()
    const isTheirs = devicesOf(payer, context.at).some((one) => one.session === session)
    if (!isTheirs) return refuse('resource_is_unknown')
    await signOut(payer, session, context)
  }

export const payerDeviceRoutes = (needs: DevicesNeeds, visits: Visits): Route[] => {
  const { form } = payerPages(visits)
  return [
    form(
      { path: '/payer/devices', summary: 'Sign out another device', ...pageAsks.signOutDevice },
      async (visitor, call) => {
        const { payer } = visitor.session
        const session = fieldOf(call.body, 'session')
        await endSession(needs)(payer, session, contextOfPayer(call, payer))
        return visits.go(visitor, '/payer/?device-out')
      },
    ),
  ]
}
