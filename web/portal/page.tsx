import type { Html } from '../ui/components.tsx'
import type { StaffMember } from '../../domain/merchant/staff.ts'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import { dateFormat } from '../ui/money.tsx'
import type { RawReply } from '../../http/route.ts'
import {
  framedReply,
  type Frame,
  type FramedPage,
  type Link,
  type LobbyVisitor,
} from '../staff/frame.tsx'
import { areas, portalPath, type Area } from './areas.ts'
import { textsIn } from '../../texts/catalogue.ts'

export type PortalShop = {
  readonly merchant: string
  readonly name: string
  readonly currency: string
  /** ISO 3166; null where it is not known. */
  readonly country: string | null
  /** IANA. */
  readonly timeZone: string
  /** Gets messages about what has no address of its own; null for none. */
  readonly callbackUri: string | null
  readonly isDisabled: boolean
  /** For approval, since it has signed up. */
  readonly waits: boolean
  /** Why it was turned down. */
  readonly reason: string | null
}

/** Somebody on the staff of the merchant whose page it is. */
export type PortalVisitor = LobbyVisitor & {
  readonly shop: PortalShop
  readonly me: StaffMember
  /** Whether there are other merchants to change to. */
  readonly hasOthers: boolean
}

export type PortalPage = FramedPage & {
  readonly area?: Area | undefined
  /** What was searched for. */
  readonly sought?: string
}

const isOfShop = (visitor: LobbyVisitor | PortalVisitor): visitor is PortalVisitor =>
  'shop' in visitor

const shopHtml = ({ shop, hasOthers, language, me }: PortalVisitor): Html => {
  const texts = textsIn[language].portal
  const about = [
    <b>{shop.name}</b>,
    <span class="quiet small">{texts[`role_${me.terms.role}`]}</span>,
  ]
  return hasOthers ? (
    <a class="shop-now" href="/portal/" title={texts.otherMerchant}>
      <span>{about}</span>
      <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
        <path d="M6.5 8L10 4.5 13.5 8M6.5 12l3.5 3.5 3.5-3.5" />
      </svg>
      <span class="unseen">{texts.otherMerchant}</span>
    </a>
  ) : (
    <div class="shop-now">
      <span>{about}</span>
    </div>
  )
}

/** The search of everything; a script leads there with `/`, unless it is off. */
const seekHtml = ({ shop, language, session }: PortalVisitor, sought = ''): Html => {
  const texts = textsIn[language].search
  const action = portalPath(shop.merchant, 'search')
  const hasKey = session.preferences?.hasSearchKey !== false
  return (
    <form class="seek" role="search" aria-label={texts.everything} method="get" action={action}>
      <input
        name="q"
        type="search"
        value={sought}
        placeholder={texts.search}
        aria-label={texts.everything}
        aria-keyshortcuts={hasKey ? '/' : undefined}
        maxlength={100}
        autocomplete="off"
        data-seek={hasKey ? '/' : 'off'}
      />
      {hasKey && <kbd aria-hidden="true">/</kbd>}
    </form>
  )
}

/** Which day it is for the shop, and by which clock. */
const dayHtml = ({ shop: { timeZone }, at, isSandbox, language, locale }: PortalVisitor): Html => {
  const texts = textsIn[language].portal
  const day = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const
  const today = dateFormat(locale, { ...day, timeZone }).format(at)
  return (
    <p class="today" data-part="today">
      {today} <span>{texts.timesIn({ timeZone })}</span>{' '}
      {isSandbox && <span class="clock">{texts.sandboxClock}</span>}
    </p>
  )
}

/** The switch to the twin in the sandbox, where the operator runs one. */
const twinHtml = ({ shop, me, isSandbox, twinUrl, language }: PortalVisitor): Html =>
  twinUrl !== undefined &&
  !isSandbox &&
  mayDo(me.terms, 'see_developers') && (
    <a class="twin" href={`${twinUrl}/payer/twin?merchant=${shop.merchant}`}>
      {textsIn[language].portal.toSandbox}
    </a>
  )

const noteHtml = ({ shop, language }: PortalVisitor): Html => {
  if (!shop.isDisabled) return null
  const texts = textsIn[language].portal
  if (shop.reason !== null)
    return <p class="note">{texts.turnedDownNote({ reason: shop.reason })}</p>
  return <p class="note">{shop.waits ? texts.approvalNote : texts.disabledNote}</p>
}

const linksOf = (visitor: PortalVisitor, current: Area | undefined): readonly Link[] =>
  (Object.keys(areas) as Area[])
    .filter((area) => mayDo(visitor.me.terms, areas[area].action))
    .map((area) => {
      const { path, icon } = areas[area]
      const name = textsIn[visitor.language].portal[area]
      const href = portalPath(visitor.shop.merchant, path)
      return { href, name, icon, isCurrent: area === current }
    })

/** A page of the portal. */
export const portalReply = (
  visitor: LobbyVisitor | PortalVisitor,
  page: PortalPage,
  isSecure: boolean,
): Promise<RawReply> => {
  const texts = textsIn[visitor.language].portal
  const around = { home: '/portal/', styles: ['/portal/style.css'] }
  const frame: Frame = isOfShop(visitor)
    ? {
        ...around,
        place: visitor.shop.name,
        who: [
          shopHtml(visitor),
          seekHtml(visitor, page.sought),
          dayHtml(visitor),
          twinHtml(visitor),
        ],
        menu: { label: texts.menu, links: linksOf(visitor, page.area) },
        note: noteHtml(visitor),
      }
    : { ...around, place: texts.portal, who: null, menu: undefined, note: null }
  return framedReply(visitor, page, frame, isSecure)
}
