import {
  Card,
  Done,
  Form,
  Hidden,
  Link,
  Quiet,
  Table,
  type Row,
  type Html,
  List,
  Title,
} from '../ui/components.tsx'
import type { StaffWork } from '../../application/staff.ts'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import type { RequestedOwnerChange, StaffMember } from '../../domain/merchant/staff.ts'
import { searchOf, type Call } from '../../http/call.ts'
import type { Device } from '../payer/devices.tsx'
import { shopTime } from '../ui/money.tsx'
import { doneIn, filled, unseen } from '../ui/words.tsx'
import { portalPath } from './areas.ts'
import type { PortalPage, PortalVisitor } from './page.tsx'
import { termsText, type Pos } from './staff-fields.tsx'
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
  const { shop, language } = visitor
  const texts = textsIn[language].staff
  /** An event is called what news call it. */
  const saidOf = ({ reason = '', about = '' }: Pick<SecurityLine, 'reason' | 'about'>) =>
    newsWords(language)({ type: reason, stream: about })?.text
  const nameOf = await actorNames(needs)(shop.merchant, language)
  const lines = needs.securityOf(shop.merchant)
  if (lines.length === 0) return <Quiet text={texts.nobodyElse} />
  const rows = lines.map(async ({ at, type, reason, about, actor, address, times }) => [
    shopTime(Date.parse(at), visitor),
    [
      saidOf({ reason, about }) ?? plainText(texts, `seen_${type}`) ?? type,
      ' ',
      reason !== undefined && (
        <span class="value">
          <code>{reason}</code>
        </span>
      ),
      ' ',
      times !== undefined && <span class="badge">{texts.times({ count: times + 1 })}</span>,
    ],
    await nameOf(actor),
    address ?? '',
  ])
  const heads = [texts.when, texts.event, texts.by, texts.from]
  return (
    <div class="scroll tall" tabindex={0} role="region" aria-label={texts.securityLog}>
      <Table kind="grid stacks" heads={heads} rows={await Promise.all(rows)} />
    </div>
  )
}

export type StaffPageNeeds = SecurityPartNeeds &
  Pick<StaffWork, 'invitedNumber'> & {
    readonly devicesOf: (payer: string, at: number) => readonly Device[]
    /** Of a merchant, oldest first. */
    readonly posOf: (merchant: string) => readonly Pos[]
    readonly newId: () => string
    readonly ownerChanges: {
      find(merchant: string): { readonly asked: RequestedOwnerChange } | undefined
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
): Promise<Html> => {
  const { shop, me, language, csrf } = visitor
  const waiting = needs.ownerChanges.find(shop.merchant)?.asked
  if (!waiting) return null
  const texts = textsIn[language].staff
  const { terms, change } = waiting
  const nameOf = async (id: string) => {
    const one = members.find(({ member }) => member === id)
    return (one && (await personName(needs, one))) ?? texts.erased
  }
  const from = shopTime(waiting.takesEffectAt, visitor)
  const [name, by] = [await nameOf(waiting.member), await nameOf(waiting.by)]
  return (
    <div class="card note-card">
      <p>
        {terms === null
          ? filled(texts.ownerRemovalWaiting, { name, time: from, who: by })
          : filled(texts.ownerChangeWaiting, { name, role: terms.role, time: from, who: by })}
      </p>
      {mayDo(me.terms, 'change_staff') && (
        <Form
          action={staffPath(shop.merchant)}
          hidden={{ csrf, change: 'withdraw', attempt: change }}
        >
          <button class="second">{texts.withdraw}</button>
        </Form>
      )}
    </div>
  )
}

const memberHtml = async (
  needs: StaffPageNeeds,
  visitor: PortalVisitor,
  one: StaffMember,
  pointsOfSale: readonly Pos[],
): Promise<Row> => {
  const { shop, me, language } = visitor
  const texts = textsIn[language].staff
  const name = (await personName(needs, one)) ?? texts.erased
  const bounds = termsText(visitor, one.terms, pointsOfSale)
  const [last] = one.visits
  const link = (what: string, text: string, kind = '') => (
    <a class={kind} href={staffPath(shop.merchant, `?${what}=${one.member}`)}>
      {text}
      {unseen(` ${name}`)}
    </a>
  )
  const isMe = one.member === me.member
  return [
    {
      head: [
        name,
        ' ',
        isMe && <span class="badge">{texts.you}</span>,
        ' ',
        one.status === 'invited' && <span class="badge warn">{texts.invited}</span>,
      ],
    },
    [
      textsIn[language].portal[`role_${one.terms.role}`],
      ' ',
      bounds !== '' && <span class="value">{bounds}</span>,
    ],
    last ? shopTime(last.at, visitor) : <span class="quiet">{texts.never}</span>,
    {
      kind: 'links',
      text: mayDo(me.terms, 'change_staff') && [
        link('member', texts.change),
        ' ',
        !isMe && link('remove', texts.remove, 'button slim danger'),
      ],
    },
  ]
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
  return (
    <div class="scroll">
      <Table kind="grid stacks" heads={heads} rows={await Promise.all(rows)} />
    </div>
  )
}

const sessionsHtml = ({ devicesOf }: StaffPageNeeds, visitor: PortalVisitor, at: number): Html => {
  const { session, language, texts: account, csrf, shop } = visitor
  const texts = textsIn[language].staff
  return (
    <List
      kind="list"
      items={devicesOf(session.payer, at).map((one) => (
        <form class="row" method="post" action={staffPath(shop.merchant)}>
          <span>
            <span class="name">{one.device ?? account.unknownDevice}</span>{' '}
            <span class="quiet small">
              {filled(account.usedAt, { time: shopTime(one.usedAt, visitor) })}
            </span>
          </span>
          {one.session === session.digest ? (
            <b class="badge">{account.thisDevice}</b>
          ) : (
            [
              <Hidden fields={{ csrf, change: 'end_session', session: one.session }} />,
              <button class="second slim">{texts.endSession}</button>,
            ]
          )}
        </form>
      ))}
    />
  )
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
  const doneTexts = {
    invited: texts.invitedDone,
    saved: texts.roleChanged,
    removed: texts.removed,
    ended: texts.sessionEnded,
    asked: texts.ownerAsked,
    withdrawn: texts.withdrawn,
  }
  const invite = (
    <Link class="button" href={staffPath(shop.merchant, '?invite')} text={texts.invite} />
  )
  return {
    title: texts.staff,
    body: [
      <Title text={texts.staff}>{mayDo(me.terms, 'change_staff') && invite}</Title>,
      <Done text={doneIn(searchOf(call), doneTexts)} />,
      await waitingHtml(needs, visitor, members),
      <section class="card">{await peopleHtml(needs, visitor, members)}</section>,
      <Card title={texts.sessions}>
        {sessionsHtml(needs, visitor, call.at)}
        <p>
          <Link
            class="button danger"
            href={staffPath(shop.merchant, '?leave')}
            text={texts.leave}
          />
        </p>
      </Card>,
      <Card title={texts.securityLog}>
        <p class="quiet small">{texts.securityLogWhat}</p>
        {await securityHtml(needs, visitor)}
      </Card>,
    ],
  }
}
