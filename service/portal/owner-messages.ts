import { notifyOwners, type Letter, type OwnerWordsIn } from '../../application/notify-owners.ts'
import { makeQueue } from '../../application/serial-by-key.ts'
import type { StaffWork } from '../../application/staff.ts'
import { accountChanges } from '../../domain/aggregates.ts'
import type { NoticeKind } from '../../domain/merchant/notice.ts'
import type { NewsTopic } from '../../domain/merchant/owner-message.ts'
import { isOwner, wasOwner } from '../../domain/merchant/staff.ts'
import type { NoticeWay, StaffTopic } from '../../domain/people/preferences.ts'
import { memberOfPerson } from '../../domain/staff-members.ts'
import { idIn } from '../../domain/stream.ts'
import type { WhyWithdrawn } from '../../domain/waiting-change.ts'
import type { OwedMessage } from '../../projections/owner-messages.ts'
import type { Work } from '../background-work.ts'
import type { Core } from '../core.ts'
import type { Messages } from '../people/messages.ts'
import { staffIn } from '../people/staff.ts'
import { sumsOfDay } from './notices.ts'
import { shopsOf } from './shops.ts'
import { preferencesOf, staffReaders, type Reader } from './staff-readers.ts'

const lastDigits = 4

/** Those that nobody chooses go to all owners. */
const chosenTopics: Readonly<Partial<Record<string, StaffTopic>>> = {
  payout_sent: 'payout_sent',
  big_refund: 'big_refund',
  daily_sum: 'daily_sum',
  payout_returned: 'payout_returned',
  callback_address_rested: 'callbacks_failing',
  event_destination_disabled: 'callbacks_failing',
} satisfies Partial<Record<NoticeKind | NewsTopic, StaffTopic>>

/** A mail goes to a verified address only; without one, a text message goes in its place. */
const addressOf =
  ({ profileOf }: StaffWork, canMail: boolean) =>
  async (person: string, way: NoticeWay): Promise<string | undefined> => {
    const profile = await profileOf(person)
    const isMail = way === 'mail' && canMail && profile?.isEmailVerified
    if (isMail && profile.email) return profile.email
    return profile?.isPhoneVerified ? `+${profile.phone}` : undefined
  }

/** The page that a message is about. */
const pathOf = ({ accounting }: Core, what: NoticeKind | NewsTopic, about: string): string => {
  switch (what) {
    case 'payout_sent':
      return `money/settlements/${about}`
    case 'payout_returned': {
      const row = accounting.settlements.findById(about)
      return row ? `money/settlements/${row.serial}` : 'money'
    }
    case 'big_refund':
    case 'authorization_expires':
      return `payments/${about}`
    case 'callback_address_rested':
    case 'event_destination_disabled':
      return 'developers'
    case 'new_owner':
      return 'staff'
    case 'daily_sum':
      return `?since=${about}&until=${about}`
  }
}

type EventData = {
  readonly about?: string
  readonly money?: { readonly currency: string; readonly amount: number } | null
  /** Sealed. */
  readonly device?: string
}

const dataIn =
  ({ store }: Core) =>
  async ({ position }: OwedMessage): Promise<EventData> =>
    ((await store.readAt(position))?.data as EventData | undefined) ?? {}

type Text = Pick<Letter, 'subject' | 'text'>

/** The text for one receiver. */
const textsOf = (core: Core, wordsIn: OwnerWordsIn) => {
  const { shopName, countryOf, findShop } = shopsOf(core)
  const chosenBy = preferencesOf(core)
  const endOfAccount = async (merchant: string, position: number): Promise<string> => {
    const { waiting } = await core.find(accountChanges, merchant, position)
    return waiting?.payoutAccount.slice(-lastDigits) ?? ''
  }
  const dataOf = dataIn(core)
  const nothing = { shop: '', money: null, day: '', sums: [], device: null }

  return async (
    message: OwedMessage,
    merchant: string,
    { name, person }: { readonly name: string; readonly person: string },
  ): Promise<Text> => {
    const { kind, detail, position } = message
    const words = wordsIn(countryOf(merchant), (await chosenBy(person))?.language)
    const shop = shopName(merchant)
    switch (kind) {
      case 'account': {
        const at = detail === '' ? position : position - 1
        const end = await endOfAccount(merchant, at)
        return detail === ''
          ? { text: words.accountChangeRequested(shop, end) }
          : { text: words.accountWithdrawn(shop, end, detail as WhyWithdrawn) }
      }
      case 'owner':
        return detail === ''
          ? { text: words.ownerChangeRequested(shop) }
          : { text: words.ownerChangeWithdrawn(shop, detail as WhyWithdrawn) }
      case 'factors':
        return { text: words.factorsChanged(shop, name) }
      case 'sign_in': {
        const { device = '' } = await dataOf(message)
        const known = core.vault.unseal(person, device) ?? null
        const subject = words.notice({ ...nothing, what: 'sign_in', device: known })
        return { subject, text: `${subject} ${core.publicUrl()}/payer/security` }
      }
      case 'notice':
      case 'news': {
        const what = detail as NoticeKind | NewsTopic
        const { about = '', money = null } = await dataOf(message)
        const { timeZone } = findShop(merchant) ?? {}
        const isDay = what === 'daily_sum' && timeZone !== undefined
        const sums = isDay ? sumsOfDay(core, merchant, timeZone, about) : []
        const subject = words.notice({ ...nothing, what, shop, money, day: about, sums })
        const place = `${core.publicUrl()}/portal/${merchant}/${pathOf(core, what, about)}`
        return { subject, text: `${subject} ${place}` }
      }
    }
  }
}

/** What everybody concerned receives. */
const lettersIn = (core: Core, staff: StaffWork, wordsIn: OwnerWordsIn, canMail: boolean) => {
  const textOf = textsOf(core, wordsIn)
  const readers = staffReaders(core, staff)
  const toProfile = addressOf(staff, canMail)

  const readersOf = async (message: OwedMessage, merchant: string) => {
    const { kind, detail, at } = message
    const topic = kind === 'notice' || kind === 'news' ? chosenTopics[detail] : undefined
    if (topic !== undefined) {
      const { money = null } = await dataIn(core)(message)
      return readers(merchant, topic, { money })
    }
    const { members } = await staff.findStaff(merchant)
    const owners = members.filter((one) => (kind === 'notice' ? isOwner(one) : wasOwner(one, at)))
    return owners.map((one): Reader => ({ one, way: 'mail' }))
  }

  const toStaff = async (message: OwedMessage, merchant: string, name: string) => {
    const isPlain = message.kind === 'notice' || message.kind === 'news'
    const letters = (await readersOf(message, merchant)).map(async ({ one, way }) => {
      const { person, member, phone } = one
      // That by which an owner was invited outlives a thief's.
      const invited = isPlain ? undefined : staff.invitedNumber(phone)
      const to = isPlain ? await toProfile(person, way) : invited && `+${invited}`
      if (to === undefined || to === '') return []
      return [{ member, to, ...(await textOf(message, merchant, { name, person })) }]
    })
    return (await Promise.all(letters)).flat()
  }

  return async (message: OwedMessage): Promise<readonly Letter[]> => {
    const { kind, cause, merchant } = message
    if (kind !== 'factors' && kind !== 'sign_in') return toStaff(message, merchant ?? '', '')
    const payer = idIn(cause).slice(0, idIn(cause).lastIndexOf('@'))
    if (kind === 'sign_in') {
      const way = (await preferencesOf(core)(payer))?.notices?.sign_in ?? 'none'
      const to = way === 'none' ? undefined : await toProfile(payer, way)
      if (to === undefined) return []
      const text = await textOf(message, '', { name: '', person: payer })
      return [{ member: payer, to, ...text }]
    }
    const name = (await staff.nameOf(payer)) ?? ''
    const letters = (await staff.placesOf(payer)).map(async ({ merchant }) => {
      const one = memberOfPerson(await staff.findStaff(merchant), payer)
      return one && isOwner(one) ? toStaff(message, merchant, name) : []
    })
    return (await Promise.all(letters)).flat()
  }
}

export const ownerMessages = (core: Core, messages: Messages, wordsIn: OwnerWordsIn) => {
  const { deliver, send, sendMail } = messages
  if (!send && !sendMail) return { work: [], settle: async () => {} }
  const { caughtUp } = core.readModels
  const queue = makeQueue()
  const notify = notifyOwners<OwedMessage>({
    rows: core.merchants.ownerMessages,
    share: core.shares.merchants,
    caughtUp,
    deliver,
    find: core.find,
    newId: core.newId,
    outageOf: core.outagesOf('messages to owners about'),
    lettersOf: lettersIn(core, staffIn(core), wordsIn, sendMail !== undefined),
  })
  const due: Work['due'] = (now, stopped) => queue(() => notify(now, stopped))
  return {
    work: [
      { name: 'message_owners', due, sendsMessages: true, lease: 'merchants' },
    ] satisfies readonly Work[],
    /** Sends whatever earlier requests call for. */
    settle: async (): Promise<void> => {
      await caughtUp()
      await due(core.now(), new AbortController().signal)
    },
  }
}
