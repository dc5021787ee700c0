import { Actions, Hidden, Link, Wrong } from '../ui/components.tsx'
import { contextOfPayer, searchOf } from '../../http/call.ts'
import { fieldOf } from '../../http/forms.ts'
import type { RawReply, Route } from '../../http/route.ts'
import { pageAsks, scanForm } from './page-documentation.ts'
import { openPages, payerPages } from './pages.ts'
import { signInPath } from './way-on.ts'
import { type SignedIn, type Visitor, type Visits } from './session.tsx'
import { tryDecodeURIComponent } from 'hono/utils/url'
import type { Context } from '../../application/handle.ts'
import type { OfferSales } from '../../application/sell-offers.ts'
import { minorText } from '../ui/money.tsx'
import type { Instant } from '../../domain/time.ts'
import { Refusal } from '../../domain/refusal.ts'
import { longestArgstring } from '../../http/merchant/shortlink-code.ts'

export type ScannedCodeNeeds = {
  readonly caughtUp: () => Promise<void>
  /** The shop of a shortlink, and what it calls that; undefined for an unknown one. */
  readonly placeOfShortlink: (
    shortlink: string,
  ) => { readonly shop: string; readonly description: string | null } | undefined
  /** What a payment link sells; undefined for an unknown one. */
  readonly openOffer: OfferSales['openOffer']
  readonly takeOffer: OfferSales['takeOffer']
  readonly shopName: (merchant: string) => string
  readonly issuer: () => string
  /** A payer scans a shortlink; returns the request that picked it up. */
  readonly scanShortlink: (
    shortlink: string,
    scan: { readonly payer: string; readonly argstring: string },
    context: Context,
  ) => Promise<{ readonly tid: string | null }>
}

export const pagePath = /^\/(payer\/payment\/[a-z0-9]{1,64}|oauth2\/pre_auth\?qr=[\w-]{75})$/

/** The argstring excludes query and fragment, as when a camera opens the link. */
export const shortlinkPath = /^\/s\/([a-z0-9]{1,64})\/([^?#]*)/

/** @throws the given error, unless the shortlink is unknown */
export const unlessUnknown = (error: unknown): { readonly tid?: undefined } => {
  if (error instanceof Refusal && error.code === 'resource_is_unknown') return {}
  throw error
}

/** What a code of this service says; undefined for other codes. */
const readCode = (issuer: string, text: string) => {
  if (!scanForm.shape.text.safeParse(text).success) return undefined
  const base = `${issuer}/`
  // Scheme and host ignore case (RFC 3986, 6.2.2.1).
  if (text.slice(0, base.length).toLowerCase() !== base.toLowerCase()) return undefined
  const path = `/${text.slice(base.length)}`
  const [, shortlink, argument = ''] = shortlinkPath.exec(path) ?? []
  if (shortlink === undefined) return pagePath.test(path) ? { path } : undefined
  const argstring = tryDecodeURIComponent(argument)
  return [...argstring].length > longestArgstring ? undefined : { shortlink, argstring }
}

/**
 * The page of this service that a code leads to, shortlinks included; undefined for other codes. A
 * scan may trigger a callback, so it is made in the payer's name.
 */
export const followCode =
  ({ issuer, scanShortlink, takeOffer }: ScannedCodeNeeds) =>
  async (text: string, payer: string, context: Context): Promise<string | undefined> => {
    const code = readCode(issuer(), text)
    if (code === undefined || 'path' in code) return code?.path
    const scanned = scanShortlink(code.shortlink, { payer, argstring: code.argstring }, context)
    const { tid = await takeOffer(code.shortlink, payer, context) } =
      await scanned.catch(unlessUnknown)
    if (tid === undefined) return undefined
    return tid === null ? '/payer/?scanned' : `/payer/payment/${tid}`
  }

/** What a code sells by itself. @throws Refusal offer_is_over, offer_is_sold_out */
const offerOf = async (
  needs: ScannedCodeNeeds,
  { session, locale, texts }: Visitor,
  id: string,
  at: Instant,
) => {
  const offer = await needs.openOffer(id, session?.payer ?? '', at)
  if (!offer) return undefined
  const amount = minorText(offer.amount, offer.currency, locale)
  const shop = needs.shopName(offer.merchant)
  return { shop, description: offer.text, amount, says: texts.linkFound }
}

/** The page on which to type a code. */
const typedPage =
  (visits: Visits) =>
  (visitor: SignedIn, scanned: string, problem?: string): Promise<RawReply> => {
    const { texts, csrf } = visitor
    return visits.show(visitor, {
      title: texts.scan,
      status: problem === undefined ? 200 : 404,
      body: (
        <form class="card" method="post" action="/payer/scan">
          <h1>{texts.scan}</h1>
          <Wrong text={problem} />
          <Hidden fields={{ csrf }} />
          <p>{texts.scanHint}</p>
          <label for="text">{texts.scanned}</label>
          <input
            id="text"
            name="text"
            autocomplete="off"
            maxlength={2048}
            required
            value={scanned}
          />
          <Actions button={texts.continue} />
        </form>
      ),
    })
  }

/**
 * Of a camera that has opened a code: whose it is, before the shop learns of the payer, and before
 * they sign in. Undefined for any other code.
 */
const openedPage =
  (needs: ScannedCodeNeeds, visits: Visits) =>
  async (visitor: Visitor, text: string, at: Instant): Promise<RawReply | undefined> => {
    const code = readCode(needs.issuer(), text)
    if (!code || !('shortlink' in code)) return undefined
    const { shortlink: id, argstring } = code
    const place = needs.placeOfShortlink(id)
    const { texts, csrf } = visitor
    const found = place
      ? { ...place, amount: null, says: texts.scanFound }
      : await offerOf(needs, visitor, id, at)
    if (!found) return undefined
    const { shop, description, amount, says } = found
    const here = `/payer/scan?text=${encodeURIComponent(text)}`
    return visits.show(visitor, {
      title: shop,
      body: (
        <form class="card" method="post" action="/payer/scan">
          <h1>{shop}</h1>
          <p>
            <b>{[description, argstring].filter(Boolean).join(' · ')}</b>
          </p>
          {amount !== null && <p class="amount">{amount}</p>}
          <Hidden fields={{ csrf, text }} />
          <p>{says}</p>
          {visitor.session ? (
            <Actions button={texts.continue} back="/payer/" cancel={texts.cancel} />
          ) : (
            <>
              <p class="actions">
                <Link class="button" href={signInPath(here)} text={texts.continue} />
              </p>
              <p class="quiet small">{texts.hereHint}</p>
            </>
          )}
        </form>
      ),
    })
  }

export const payerScanRoutes = (needs: ScannedCodeNeeds, visits: Visits): Route[] => {
  const { form } = payerPages(visits)
  const follow = followCode(needs)

  const [scanPage, foundPage] = [typedPage(visits), openedPage(needs, visits)]

  return [
    openPages.get('/payer/scan', {
      summary: 'Scan a code',
      ...pageAsks.showScan,
      handle: (call) =>
        visits.page(call, async (visitor) => {
          await needs.caughtUp()
          const text = searchOf(call).get('text') ?? ''
          const found = await foundPage(visitor, text, call.at)
          return found ?? visits.signedInPage(call, (payer) => scanPage(payer, text))
        }),
    }),
    form(
      { path: '/payer/scan', summary: 'Go where a code leads', ...pageAsks.scan },
      async (visitor, call) => {
        const { payer } = visitor.session
        const text = fieldOf(call.body, 'text')
        const path = await follow(text, payer, contextOfPayer(call, payer))
        return path === undefined
          ? scanPage(visitor, text, visitor.texts.wrongScan)
          : visits.go(visitor, path)
      },
    ),
  ]
}
