import anyAscii from 'any-ascii'
import { create } from 'xmlbuilder2'
import { formatAmount, addUp } from '../../domain/money/money.ts'
import { paymentIdsOf } from '../../domain/accounting/payout-events.ts'
import { wallClock, type TimeZone } from '../../domain/time-zone.ts'
import { isIban } from './payout-account.ts'
import { textOf } from './read-xml.ts'

/** The operator's bank account. */
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
  isIban(account) ? { IBAN: account } : { Othr: { Id: textOf(account, 34) } }

/** A control sum: adds amounts of all currencies as plain decimals. */
const controlSum = (payouts: readonly OrderedPayout[]): string => {
  const decimals = 5
  const scaled = payouts.map(({ amount, currency }) => {
    const [whole = '0', fraction = ''] = formatAmount(amount, currency).split('.')
    return whole + fraction.padEnd(decimals, '0')
  })
  const sum = addUp(...scaled).padStart(decimals + 1, '0')
  const text = `${sum.slice(0, -decimals)}.${sum.slice(-decimals)}`
  return text.replace(/0+$/, '').replace(/\.$/, '')
}

/** A name without any letter, such as an emoji alone, gives way to the merchant's id. */
const nameOf = ({ businessName, merchant }: OrderedPayout): string => {
  const name = bankText(businessName, 140)
  return /[A-Za-z0-9]/.test(name) ? name : bankText(merchant, 140)
}

const transaction = (payout: OrderedPayout) => ({
  PmtId: {
    // Some banks give back the one, some the other.
    InstrId: textOf(payout.endToEndId, 35),
    EndToEndId: textOf(payout.endToEndId, 35),
  },
  Amt: {
    InstdAmt: { '@Ccy': payout.currency, '#': formatAmount(payout.amount, payout.currency) },
  },
  Cdtr: { Nm: nameOf(payout) },
  CdtrAcct: { Id: accountId(payout.payoutAccount) },
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
}

/**
 * A customer credit transfer initiation (ISO 20022, pain.001.001.09) for at least one payout, with
 * one payment information per day and currency.
 */
export const payoutFile = (
  debtor: Debtor,
  payouts: readonly OrderedPayout[],
  { messageId, at, timeZone }: Run,
): string => {
  if (payouts.length === 0) throw new RangeError('a payout file needs a payout')
  const Nm = bankText(debtor.name, 140)
  const agent = debtor.bic === null ? { Othr: { Id: 'NOTPROVIDED' } } : { BICFI: debtor.bic }
  const madeAt = new Date(wallClock(timeZone, at)).toISOString().slice(0, 19)
  const madeOn = madeAt.slice(0, 10)
  // A file may be written again after its day; banks reject past dates.
  const dayOfGroup = ([first]: readonly OrderedPayout[]): string =>
    first && first.payoutDay > madeOn ? first.payoutDay : madeOn
  const PmtInf = groupsOf(payouts, messageId).map(([paymentId, group]) => ({
    PmtInfId: textOf(paymentId, 35),
    PmtMtd: 'TRF',
    NbOfTxs: String(group.length),
    CtrlSum: controlSum(group),
    ReqdExctnDt: { Dt: dayOfGroup(group) },
    Dbtr: { Nm },
    DbtrAcct: { Id: accountId(debtor.account) },
    DbtrAgt: { FinInstnId: agent },
    CdtTrfTxInf: group.map(transaction),
  }))
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
            CtrlSum: controlSum(payouts),
            InitgPty: { Nm },
          },
          PmtInf,
        },
      },
    },
  ).end({ prettyPrint: true })
}
