import { create } from 'xmlbuilder2'
import { formatAmount, addUp } from '../../domain/money/money.ts'
import { isIban } from '../payout-account.ts'
import { textOf } from '../xml-text.ts'

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

const transaction = (payout: OrderedPayout) => ({
  PmtId: { EndToEndId: textOf(payout.endToEndId, 35) },
  Amt: {
    InstdAmt: { '@Ccy': payout.currency, '#': formatAmount(payout.amount, payout.currency) },
  },
  Cdtr: { Nm: textOf(payout.businessName, 140) },
  CdtrAcct: { Id: accountId(payout.payoutAccount) },
  RmtInf: { Ustrd: textOf(`Settlement ${payout.settlementId}`, 140) },
})

const groupsOf = (payouts: readonly OrderedPayout[]): OrderedPayout[][] => {
  const groups = new Map<string, OrderedPayout[]>()
  for (const payout of payouts) {
    const name = `${payout.payoutDay} ${payout.currency}`
    groups.set(name, [...(groups.get(name) ?? []), payout])
  }
  return [...groups.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group)
}

/**
 * A customer credit transfer initiation (ISO 20022, pain.001.001.09) for at least one payout, with
 * one payment information per day and currency.
 */
export const payoutFile = (
  debtor: Debtor,
  payouts: readonly OrderedPayout[],
  { messageId, at }: { readonly messageId: string; readonly at: number },
): string => {
  const [first] = payouts
  if (!first) throw new RangeError('a payout file needs a payout')
  const Nm = textOf(debtor.name, 140)
  const agent = debtor.bic === null ? { Othr: { Id: 'NOTPROVIDED' } } : { BICFI: debtor.bic }
  const PmtInf = groupsOf(payouts).map((group, index) => ({
    PmtInfId: textOf(`${messageId.slice(0, 30)}-${index + 1}`, 35),
    PmtMtd: 'TRF',
    NbOfTxs: String(group.length),
    CtrlSum: controlSum(group),
    ReqdExctnDt: { Dt: group[0]?.payoutDay ?? first.payoutDay },
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
            CreDtTm: new Date(at).toISOString().slice(0, 19),
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
