import { notifyOwners, type Letter, type OwnerWordsIn } from '../../application/notify-owners.ts'
import { makeQueue } from '../../application/serial-by-key.ts'
import type { StaffWork } from '../../application/staff.ts'
import { accountChanges } from '../../domain/aggregates.ts'
import type { NoticeKind } from '../../domain/merchant/notice.ts'
import { isOwner, wasOwner, type StaffMember } from '../../domain/merchant/staff.ts'
import { memberOfPerson } from '../../domain/staff-members.ts'
import { idIn } from '../../domain/stream.ts'
import type { WhyWithdrawn } from '../../domain/waiting-change.ts'
import type { OwedMessage } from '../../projections/owner-messages.ts'
import type { Work } from '../background-work.ts'
import type { Core } from '../core.ts'
import type { Messages } from '../people/messages.ts'
import { staffIn } from '../people/staff.ts'
import { shopsOf } from './shops.ts'

const endShown = 4

/** To the number by which an owner was invited, which outlives a thief's. */
const toInvited =
  ({ invitedNumber }: StaffWork) =>
  ({ phone }: StaffMember): string | undefined => {
    const number = invitedNumber(phone)
    return number && `+${number}`
  }

/** By e-mail if theirs is verified, else by text message. */
const toProfile =
  ({ profileOf }: StaffWork) =>
  async ({ person }: StaffMember): Promise<string | undefined> => {
    const profile = await profileOf(person)
    if (profile?.email && profile.isEmailVerified) return profile.email
    return profile?.isPhoneVerified ? `+${profile.phone}` : undefined
  }

/** The text for a merchant's owners. */
const textsOf = (core: Core, wordsIn: OwnerWordsIn) => {
  const { shopName, countryOf } = shopsOf(core)
  const endOfAccount = async (merchant: string, position: number): Promise<string> => {
    const { waiting } = await core.find(accountChanges, merchant, position)
    return waiting?.payoutAccount.slice(-endShown) ?? ''
  }
  return async (
    { kind, detail, position }: OwedMessage,
    merchant: string,
    person: string,
  ): Promise<string> => {
    const words = wordsIn(countryOf(merchant))
    const shop = shopName(merchant)
    switch (kind) {
      case 'account':
        return detail === ''
          ? words.accountAsked(shop, await endOfAccount(merchant, position))
          : words.accountWithdrawn(
              shop,
              await endOfAccount(merchant, position - 1),
              detail as WhyWithdrawn,
            )
      case 'owner':
        return detail === ''
          ? words.ownerChangeAsked(shop)
          : words.ownerChangeWithdrawn(shop, detail as WhyWithdrawn)
      case 'factors':
        return words.factorsChanged(shop, person)
      case 'notice': {
        const place = `${core.publicUrl()}/portal/${merchant}/messages`
        return words.notice(detail as NoticeKind, place)
      }
    }
  }
}

/** What each owner of the merchants concerned receives. */
const lettersIn = (core: Core, staff: StaffWork, wordsIn: OwnerWordsIn) => {
  const textOf = textsOf(core, wordsIn)

  const toOwners = async (message: OwedMessage, merchant: string, name: string) => {
    const isNotice = message.kind === 'notice'
    const { members } = await staff.findStaff(merchant)
    const owners = members.filter((one) => (isNotice ? isOwner(one) : wasOwner(one, message.at)))
    if (owners.length === 0) return []
    const text = await textOf(message, merchant, name)
    const receiverOf = isNotice ? toProfile(staff) : toInvited(staff)
    const letters = owners.map(async (one): Promise<readonly Letter[]> => {
      const to = await receiverOf(one)
      return to === undefined ? [] : [{ member: one.member, to, text }]
    })
    return (await Promise.all(letters)).flat()
  }

  return async (message: OwedMessage): Promise<readonly Letter[]> => {
    if (message.kind !== 'factors') return toOwners(message, message.merchant ?? '', '')
    const payer = idIn(message.cause).slice(0, idIn(message.cause).lastIndexOf('@'))
    const name = (await staff.nameOf(payer)) ?? ''
    const letters = (await staff.placesOf(payer)).map(async ({ merchant }) => {
      const one = memberOfPerson(await staff.findStaff(merchant), payer)
      return one && isOwner(one) ? toOwners(message, merchant, name) : []
    })
    return (await Promise.all(letters)).flat()
  }
}

export const ownerMessages = (core: Core, { deliver }: Messages, wordsIn: OwnerWordsIn) => {
  if (!deliver) return { work: [], settle: async () => {} }
  const { caughtUp } = core.readModels
  const queue = makeQueue()
  const notify = notifyOwners<OwedMessage>({
    ...{ rows: core.merchants.ownerMessages, share: core.shares.merchants, caughtUp, deliver },
    ...{ find: core.find, newId: core.newId, outageOf: core.outagesOf('messages to owners about') },
    lettersOf: lettersIn(core, staffIn(core), wordsIn),
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
