import { html } from 'hono/html'
import type { StaffWork } from '../../application/staff.ts'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import type { AskedOwnerChange, StaffMember } from '../../domain/merchant/staff.ts'
import { searchOf, type Call } from '../../http/call.ts'
import type { Device } from '../payer/devices.ts'
import { shownTime } from '../ui/money.ts'
import type { Html } from '../ui/page.ts'
import { hiddenFields } from '../payer/session.ts'
import { doneIn, filled, unseen } from '../ui/words.ts'
import { portalPath } from './areas.ts'
import type { PortalPage, PortalVisitor } from './page.ts'
import { card, doneHtml, headedTable, quiet } from './parts.ts'
import { termsText, type Pos } from './staff-fields.ts'
import type { SecurityEvent } from '../../application/security-log.ts'
import { actorNames, type ActorNeeds } from './actors.ts'
import { newsWords } from './news-words.ts'
import { textsIn } from '../../texts/catalogue.ts'
import { plainText } from '../../texts/message.ts'

type SecurityLine = SecurityEvent & { readonly at: string; readonly times?: number }

type SecurityPartNeeds = ActorNeeds & {
  /** The newest lines about a merchant, newest first. */
  readonly securityOf: (merchant: string) => readonly SecurityLine[]
}

/** What the security log tells of the merchant. */
const securityHtml = async (needs: SecurityPartNeeds, visitor: PortalVisitor): Promise<Html> => {
  const { shop, language, locale } = visitor
  const texts = textsIn[language].staff
  /** An event is called what news call it. */
  const saidOf = ({ reason = '', about = '' }: Pick<SecurityLine, 'reason' | 'about'>) =>
    newsWords(language)({ type: reason, stream: about })?.text
  const nameOf = await actorNames(needs)(shop.merchant, language)
  const lines = needs.securityOf(shop.merchant)
  if (lines.length === 0) return quiet(texts.nobodyElse)
  const rows = lines.map(
    async ({ at, type, reason, about, actor, address, times }) =>
      html`<tr>
        <td>${shownTime(Date.parse(at), locale)}</td>
        <td>
          ${saidOf({ reason, about }) ?? plainText(texts, `seen_${type}`) ?? type}
          ${reason === undefined ? '' : html`<span class="value"><code>${reason}</code></span>`}
          ${
            times === undefined
              ? ''
              : html`<span class="badge">${texts.times({ count: times + 1 })}</span>`
          }
        </td>
        <td>${await nameOf(actor)}</td>
        <td>${address ?? ''}</td>
      </tr>`,
  )
  const heads = [texts.when, texts.event, texts.by, texts.from]
  return html`<div class="scroll tall" tabindex="0" role="region" aria-label="${texts.securityLog}">
    ${headedTable('grid stacks', heads, await Promise.all(rows))}
  </div>`
}

export type StaffPageNeeds = SecurityPartNeeds &
  Pick<StaffWork, 'invitedNumber'> & {
    readonly devicesOf: (payer: string, at: number) => readonly Device[]
    /** Of a merchant, oldest first. */
    readonly posOf: (merchant: string) => readonly Pos[]
    readonly newId: () => string
    readonly ownerChanges: {
      find(merchant: string): { readonly asked: AskedOwnerChange } | undefined
    }
  }

export const staffPath = (merchant: string, search = ''): string =>
  portalPath(merchant, `staff${search}`)

/** Their name, or the number that was invited. */
export const personName = async (
  { nameOf, invitedNumber }: StaffPageNeeds,
  { person, phone, status }: StaffMember,
): Promise<string | undefined> => {
  const name = status === 'joined' ? await nameOf(person) : undefined
  const number = invitedNumber(phone)
  return name ?? (number === undefined ? undefined : `+${number}`)
}

/** An owner who is about to lose their role, and how that is withdrawn. */
const waitingHtml = async (
  needs: StaffPageNeeds,
  visitor: PortalVisitor,
  members: readonly StaffMember[],
): Promise<Html | ''> => {
  const { shop, me, language, locale, csrf } = visitor
  const asked = needs.ownerChanges.find(shop.merchant)?.asked
  if (!asked) return ''
  const texts = textsIn[language].staff
  const { terms, change } = asked
  const nameOf = async (id: string) => {
    const one = members.find(({ member }) => member === id)
    return (one && (await personName(needs, one))) ?? texts.erased
  }
  const from = shownTime(asked.takesEffectAt, locale)
  const [name, by] = [await nameOf(asked.member), await nameOf(asked.by)]
  return html`<div class="card note-card">
    <p>
      ${
        terms === null
          ? filled(texts.ownerRemovalWaiting, { name, time: from, who: by })
          : filled(texts.ownerChangeWaiting, { name, role: terms.role, time: from, who: by })
      }
    </p>
    ${
      mayDo(me.terms, 'change_staff')
        ? html`<form method="post" action="${staffPath(shop.merchant)}">
            ${hiddenFields({ csrf, change: 'withdraw', attempt: change })}
            <button class="second">${texts.withdraw}</button>
          </form>`
        : ''
    }
  </div>`
}

const memberHtml = async (
  needs: StaffPageNeeds,
  visitor: PortalVisitor,
  one: StaffMember,
  pointsOfSale: readonly Pos[],
): Promise<Html> => {
  const { shop, me, language, locale } = visitor
  const texts = textsIn[language].staff
  const name = (await personName(needs, one)) ?? texts.erased
  const bounds = termsText(visitor, one.terms, pointsOfSale)
  const [last] = one.visits
  const link = (what: string, text: string, kind = '') =>
    html`<a class="${kind}" href="${staffPath(shop.merchant, `?${what}=${one.member}`)}"
      >${text}${unseen(` ${name}`)}</a
    >`
  const isMe = one.member === me.member
  return html`<tr>
    <th scope="row">
      ${name} ${isMe ? html`<span class="badge">${texts.you}</span>` : ''}
      ${one.status === 'invited' ? html`<span class="badge warn">${texts.invited}</span>` : ''}
    </th>
    <td>
      ${textsIn[language].portal[`role_${one.terms.role}`]}
      ${bounds === '' ? '' : html`<span class="value">${bounds}</span>`}
    </td>
    <td>${last ? shownTime(last.at, locale) : html`<span class="quiet">${texts.never}</span>`}</td>
    <td class="links">
      ${
        mayDo(me.terms, 'change_staff')
          ? html`${link('member', texts.change)}
            ${isMe ? '' : link('remove', texts.remove, 'button slim danger')}`
          : ''
      }
    </td>
  </tr>`
}

const peopleHtml = async (
  needs: StaffPageNeeds,
  visitor: PortalVisitor,
  members: readonly StaffMember[],
): Promise<Html> => {
  const texts = textsIn[visitor.language].staff
  const pointsOfSale = needs.posOf(visitor.shop.merchant)
  const present = members.filter(({ status }) => status !== 'gone')
  const rows = present.map((one) => memberHtml(needs, visitor, one, pointsOfSale))
  const heads = [texts.person, texts.role, texts.lastSeen, unseen(texts.change)]
  return html`<div class="scroll">
    ${headedTable('grid stacks', heads, await Promise.all(rows))}
  </div>`
}

const sessionsHtml = ({ devicesOf }: StaffPageNeeds, visitor: PortalVisitor, at: number): Html => {
  const { session, language, texts: account, csrf, shop, locale } = visitor
  const texts = textsIn[language].staff
  return html`<ul class="list">
    ${devicesOf(session.payer, at).map(
      (one) =>
        html`<li>
          <form class="row" method="post" action="${staffPath(shop.merchant)}">
            <span
              ><span class="name">${one.device ?? account.unknownDevice}</span>
              <span class="quiet small"
                >${filled(account.usedAt, { time: shownTime(one.usedAt, locale) })}</span
              ></span
            >
            ${
              one.session === session.digest
                ? html`<b class="badge">${account.thisDevice}</b>`
                : html`${hiddenFields({ csrf, change: 'end_session', session: one.session })}
                    <button class="second slim">${texts.endSession}</button>`
            }
          </form>
        </li>`,
    )}
  </ul>`
}

/** People and roles, the own sessions, and what the security log tells of the merchant. */
export const staffPage = async (
  needs: StaffPageNeeds,
  visitor: PortalVisitor,
  call: Call,
): Promise<PortalPage> => {
  const { shop, me, language } = visitor
  const texts = textsIn[language].staff
  const { members } = await needs.findStaff(shop.merchant)
  const told = {
    ...{ invited: texts.invitedDone, saved: texts.roleChanged, removed: texts.removed },
    ...{ ended: texts.sessionEnded, asked: texts.ownerAsked, withdrawn: texts.withdrawn },
  }
  const invite = html`<a class="button" href="${staffPath(shop.merchant, '?invite')}"
    >${texts.invite}</a
  >`
  return {
    title: texts.staff,
    body: html`<div class="head">
        <h1>${texts.staff}</h1>
        ${mayDo(me.terms, 'change_staff') ? invite : ''}
      </div>
      ${doneHtml(doneIn(searchOf(call), told))} ${await waitingHtml(needs, visitor, members)}
      <section class="card">${await peopleHtml(needs, visitor, members)}</section>
      ${card(
        texts.sessions,
        html`${sessionsHtml(needs, visitor, call.at)}
          <p>
            <a class="button danger" href="${staffPath(shop.merchant, '?leave')}">${texts.leave}</a>
          </p>`,
      )}
      ${card(
        texts.securityLog,
        html`<p class="quiet small">${texts.securityLogWhat}</p>
          ${await securityHtml(needs, visitor)}`,
      )}`,
  }
}
