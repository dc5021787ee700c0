import anyAscii from 'any-ascii'
import { create } from 'xmlbuilder2'
import { formatAmount, addUp } from '../../domain/money/money.ts'
import { paymentIdsOf } from '../../domain/accounting/payout-events.ts'
import { dayMs, dayOf } from '../../domain/time.ts'
import { wallClock, type TimeZone } from '../../domain/time-zone.ts'
import { usualProfile, type BankProfile } from './bank-profile.ts'
import { isIban, isSepaAccount, type PayoutAddress } from './payout-account.ts'
import { textOf } from './read-xml.ts'

export type Debtor = {
  readonly name: string
  /** IBAN, or a national account number. */
  readonly account: string
  /** BIC of the bank, if known. */
  readonly bic: string | null
}

export type OrderedPayout = {
  readonly merchant: string
  readonly businessName: string
  readonly settlementId: string
  readonly endToEndId: string
  readonly currency: string
  /** Minor units, above zero. */
  readonly amount: string
  readonly payoutAccount: string
  /** `YYYY-MM-DD` */
  readonly payoutDay: string
  /** Of the merchant, if it is known. */
  readonly address?: PayoutAddress | undefined
}

const emoji =
  /(?![©®™])\p{Extended_Pictographic}|[\u200D\uFE0F\u{1F1E6}-\u{1F1FF}\u{1F3FB}-\u{1F3FF}]/gu

/** Text in the letters that every bank takes (EPC 217-08); others are transliterated. */
const bankText = (text: string, longest: number): string => {
  const latin = anyAscii(text.replaceAll(emoji, ' ')).replaceAll('&', '+')
  return textOf(latin.replaceAll(/[^A-Za-z0-9/?:().,'+ -]/g, ' '), longest)
}

const namespace = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09'

const accountId = (account: string) =>
  isIban(account)
    ? { IBAN: account }
    : { Othr: { Id: textOf(account, 34), SchmeNm: { Cd: 'BBAN' } } }

/** The longest number that the message takes. */
const longestSum = 18

/**
 * A control sum: adds amounts of all currencies as plain decimals. Left out where it would have
 * more digits than the message takes.
 */
const controlSum = (payouts: readonly OrderedPayout[]): { readonly CtrlSum?: string } => {
  const decimals = 5
  const scaled = payouts.map(({ amount, currency }) => {
    const [whole = '0', fraction = ''] = formatAmount(amount, currency).split('.')
    return whole + fraction.padEnd(decimals, '0')
  })
  const sum = addUp(...scaled).padStart(decimals + 1, '0')
  const text = `${sum.slice(0, -decimals)}.${sum.slice(-decimals)}`
  const CtrlSum = text.replace(/0+$/, '').replace(/\.$/, '')
  return CtrlSum.replace('.', '').length > longestSum ? {} : { CtrlSum }
}

/** A name without any letter, such as an emoji alone, gives way to the merchant's id. */
const nameOf = ({ businessName, merchant }: OrderedPayout, longest: number): string => {
  const name = bankText(businessName, longest)
  return /[A-Za-z0-9]/.test(name) ? name : bankText(merchant, longest)
}

type Kind = 'sepa' | 'other'

/** SEPA's own limits: of an amount, in cents, and of a name. */
const sepaMost = 99_999_999_999n
const longestName = { sepa: 70, other: 140 }

const kindOf = (debtor: Debtor, { currency, amount, payoutAccount }: OrderedPayout): Kind =>
  currency === 'EUR' &&
  BigInt(amount) <= sepaMost &&
  isSepaAccount(debtor.account) &&
  isSepaAccount(payoutAccount)
    ? 'sepa'
    : 'other'

const coded = <Name extends string>(name: Name, code: string | null) =>
  code === null ? {} : { [name]: { Cd: code } }

const typeOf = (profile: BankProfile, kind: Kind) => {
  const { service_level, local_instrument, category_purpose } = profile[kind]
  const fields = {
    ...coded('SvcLvl', service_level),
    ...coded('LclInstrm', local_instrument),
    ...coded('CtgyPurp', category_purpose),
  }
  return Object.keys(fields).length === 0 ? {} : { PmtTpInf: fields }
}

const bearerOf = (profile: BankProfile, kind: Kind) => {
  const { charge_bearer: ChrgBr } = profile[kind]
  return ChrgBr === null ? {} : { ChrgBr }
}

/** Unstructured addresses are refused from November 2026: town and country stand by themselves. */
const addressOf = (address: PayoutAddress | undefined, { addresses }: BankProfile) => {
  if (!address || addresses === 'none') return {}
  const { lines, postCode, town, country: Ctry } = address
  const isHybrid = addresses === 'hybrid'
  const street = lines.map((line) => bankText(line, 70)).slice(0, isHybrid ? 2 : 1)
  return {
    PstlAdr: {
      ...(!isHybrid && street.length > 0 && { StrtNm: street[0] }),
      ...(postCode !== null && { PstCd: bankText(postCode, 16) }),
      TwnNm: bankText(town, 35),
      Ctry,
      ...(isHybrid && street.length > 0 && { AdrLine: street }),
    },
  }
}

const debtorAddress = ({ debtor_address: address }: BankProfile) =>
  address === null
    ? {}
    : {
        PstlAdr: {
          ...(address.street !== undefined && { StrtNm: bankText(address.street, 70) }),
          ...(address.building !== undefined && { BldgNb: bankText(address.building, 16) }),
          ...(address.post_code !== undefined && { PstCd: bankText(address.post_code, 16) }),
          TwnNm: bankText(address.town, 35),
          Ctry: address.country,
        },
      }

const initiator = ({ initiator: own }: BankProfile) =>
  own === null
    ? {}
    : { Id: { OrgId: { Othr: { Id: textOf(own.id, 35), ...coded('SchmeNm', own.scheme) } } } }

/** Of its kind it says what its group does not say for all. */
const transaction = (
  payout: OrderedPayout,
  kind: Kind,
  profile: BankProfile,
  isAlike: boolean,
) => ({
  PmtId: {
    // Some banks give back the one, some the other.
    InstrId: textOf(payout.endToEndId, 35),
    EndToEndId: textOf(payout.endToEndId, 35),
  },
  ...(!isAlike && typeOf(profile, kind)),
  Amt: {
    InstdAmt: { '@Ccy': payout.currency, '#': formatAmount(payout.amount, payout.currency) },
  },
  ...(!isAlike && bearerOf(profile, kind)),
  Cdtr: { Nm: nameOf(payout, longestName[kind]), ...addressOf(payout.address, profile) },
  CdtrAcct: { Id: accountId(payout.payoutAccount) },
  ...coded('Purp', profile[kind].purpose),
  RmtInf: { Ustrd: bankText(`Settlement ${payout.settlementId}`, 140) },
})

/** By payment information, in their order. */
const groupsOf = (
  payouts: readonly OrderedPayout[],
  messageId: string,
): readonly (readonly [string, readonly OrderedPayout[]])[] => {
  const dated = payouts.map((payout) => ({ payout, day: payout.payoutDay, ...payout }))
  const idOf = paymentIdsOf(messageId, dated)
  const groups = new Map<string, OrderedPayout[]>()
  for (const one of dated) {
    const group = groups.get(idOf(one))
    if (group) group.push(one.payout)
    else groups.set(idOf(one), [one.payout])
  }
  const numberIn = (id: string) => Number(id.slice(id.lastIndexOf('-') + 1))
  return [...groups].sort(([one], [other]) => numberIn(one) - numberIn(other))
}

type Run = {
  readonly messageId: string
  readonly at: number
  /** The bank's, by which the file's days count. */
  readonly timeZone: TimeZone
  readonly profile?: BankProfile
  /** Whether the bank rests on a day, for payments of a currency. */
  readonly isClosed?: (day: string, currency: string) => boolean
}

/** The first day from the wanted one on, and not before the file's own, on which the bank works. */
const executionDay = (
  { payoutDay: earliest, currency }: OrderedPayout,
  madeOn: string,
  isClosed: (day: string, currency: string) => boolean,
): string => {
  let day = earliest > madeOn ? earliest : madeOn
  while (isClosed(day, currency)) day = dayOf(Date.parse(day) + dayMs)
  return day
}

/** What a file says of all its payments. */
type Common = {
  readonly debtor: Debtor
  readonly profile: BankProfile
  readonly agent: object
  readonly dayOfGroup: (payout: OrderedPayout) => string
}

const paymentInformation = (
  [paymentId, group]: readonly [string, readonly OrderedPayout[]],
  { debtor, profile, agent, dayOfGroup }: Common,
) => {
  const kinds = group.map((payout) => kindOf(debtor, payout))
  const [kind = 'other'] = kinds
  const [first] = group as readonly [OrderedPayout]
  const isAlike = kinds.every((one) => one === kind)
  const { batch_booking } = profile
  return {
    PmtInfId: textOf(paymentId, 35),
    PmtMtd: 'TRF',
    ...(batch_booking !== null && { BtchBookg: String(batch_booking) }),
    NbOfTxs: String(group.length),
    ...controlSum(group),
    ...(isAlike && typeOf(profile, kind)),
    ReqdExctnDt: { Dt: dayOfGroup(first) },
    Dbtr: { Nm: bankText(debtor.name, longestName[kind]), ...debtorAddress(profile) },
    DbtrAcct: { Id: accountId(debtor.account) },
    DbtrAgt: { FinInstnId: agent },
    ...(isAlike && bearerOf(profile, kind)),
    CdtTrfTxInf: group.map((payout, index) =>
      transaction(payout, kinds[index] ?? kind, profile, isAlike),
    ),
  }
}

/**
 * A customer credit transfer initiation (ISO 20022, pain.001.001.09) for at least one payout, with
 * one payment information per day and currency. If all payouts are SEPA's, so is the file.
 */
export const payoutFile = (
  debtor: Debtor,
  payouts: readonly OrderedPayout[],
  { messageId, at, timeZone, profile = usualProfile, isClosed = () => false }: Run,
): string => {
  if (payouts.length === 0) throw new RangeError('a payout file needs a payout')
  const agent = debtor.bic === null ? { Othr: { Id: 'NOTPROVIDED' } } : { BICFI: debtor.bic }
  const madeAt = new Date(wallClock(timeZone, at)).toISOString().slice(0, 19)
  // A file may be written again after its day; banks reject past dates.
  const dayOfGroup = (payout: OrderedPayout) => executionDay(payout, madeAt.slice(0, 10), isClosed)
  const common = { debtor, profile, agent, dayOfGroup }
  return create(
    { version: '1.0', encoding: 'UTF-8' },
    {
      Document: {
        '@xmlns': namespace,
        CstmrCdtTrfInitn: {
          GrpHdr: {
            MsgId: textOf(messageId, 35),
            CreDtTm: madeAt,
            NbOfTxs: String(payouts.length),
            ...controlSum(payouts),
            InitgPty: { Nm: bankText(debtor.name, longestName.sepa), ...initiator(profile) },
          },
          PmtInf: groupsOf(payouts, messageId).map((group) => paymentInformation(group, common)),
        },
      },
    },
  ).end({ prettyPrint: true })
}
