// Files as banks write them in versions 02 to 08, with what they say, as fast-check makes them.
import fc from 'fast-check'

export const own = 'NO9386011117947'

/** What a file says of one movement on our account. */
export type Told = {
  readonly side: 'debit' | 'credit'
  /** Minor units. */
  readonly amount: string
  readonly currency: string
  readonly endToEndId: string | null
  readonly messageId: string | null
  readonly paymentId: string | null
  readonly code: string | null
}

type Format = { readonly kind: '052' | '053' | '054'; readonly version: number }

type Entry = {
  /** Inside `Ntry`, and what it says. */
  readonly xml: (format: Format) => string
  readonly told: readonly Told[]
}

const nothing = { endToEndId: null, messageId: null, paymentId: null, code: null }

const decimal = (minor: bigint): string => {
  const digits = String(minor).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

const money = (name: string, minor: bigint, currency = 'NOK'): string =>
  `<${name} Ccy="${currency}">${decimal(minor)}</${name}>`

const tag = (name: string, content: string | undefined): string =>
  content === undefined || content === '' ? '' : `<${name}>${content}</${name}>`

type Common = { readonly day: string; readonly reference: string | undefined }

/** The order of elements is the schema's. */
const entry = (
  { kind, version }: Format,
  { day, reference }: Common,
  amount: bigint,
  isDebit: boolean,
  { inner = '', status = 'BOOK', isReversal = false, charges = '' } = {},
): string =>
  tag(
    'Ntry',
    money('Amt', amount) +
      tag('CdtDbtInd', isDebit ? 'DBIT' : 'CRDT') +
      (isReversal ? tag('RvslInd', 'true') : '') +
      tag('Sts', version >= 8 ? tag('Cd', status) : status) +
      tag('BookgDt', kind === '052' ? tag('DtTm', `${day}T23:30:00+01:00`) : tag('Dt', day)) +
      tag('AcctSvcrRef', reference) +
      tag('BkTxCd', tag('Prtry', tag('Cd', 'X'))) +
      charges +
      inner,
  )

/** A detail's amount: version 02 has it deeper, and no side. */
const amountIn = (
  { version }: Format,
  amount: bigint,
  isDebit: boolean,
  instructed = '',
): string =>
  version >= 4
    ? money('Amt', amount) +
      tag('CdtDbtInd', isDebit ? 'DBIT' : 'CRDT') +
      tag('AmtDtls', instructed === '' ? '' : tag('InstdAmt', instructed))
    : tag('AmtDtls', tag('InstdAmt', instructed) + tag('TxAmt', money('Amt', amount)))

const chargesIn = ({ version }: Format, amount: bigint): string => {
  const one = money('Amt', amount) + tag('CdtDbtInd', 'DBIT')
  return tag('Chrgs', version >= 4 ? tag('Rcrd', `${one}<ChrgInclInd>true</ChrgInclInd>`) : one)
}

const minor = fc.oneof(fc.constant(1n), fc.bigInt({ min: 1n, max: 99_999_999_999_999n }))
const small = fc.bigInt({ min: 1n, max: 9_999n })
const common = fc.record({
  day: fc.constantFrom('2026-11-27', '2026-11-30', '2026-12-01'),
  reference: fc.option(fc.stringMatching(/^REF[0-9]{12}$/), { nil: undefined }),
})
const serial = fc.integer({ min: 1, max: 9_999_999 })
const orderId = (currency = 'NOK') =>
  serial.map((one) => `HARBOR-2026-11-26-${one}-${currency}${one % 3 === 0 ? '-2' : ''}`)
const messageId = serial.map((one) => `DAYBOOK-${one}`)

const refs = (id: string, { message = '', isInstruction = false } = {}): string =>
  tag(
    'Refs',
    tag('MsgId', message) +
      (isInstruction ? tag('InstrId', id) : '') +
      tag('EndToEndId', isInstruction ? 'NOTPROVIDED' : id),
  )

/** One payout, by its end-to-end id or by its instruction alone. */
const paid = fc
  .tuple(common, orderId(), minor, messageId, fc.boolean())
  .map(([about, id, amount, message, isInstruction]): Entry => {
    const named = { endToEndId: id, messageId: message }
    return {
      told: [{ ...nothing, side: 'debit', amount: String(amount), currency: 'NOK', ...named }],
      xml: (format) => {
        const detail = refs(id, { message, isInstruction }) + amountIn(format, amount, true)
        return entry(format, about, amount, true, { inner: tag('NtryDtls', tag('TxDtls', detail)) })
      },
    }
  })

/** Charges booked with the payment: beside what was instructed, on the detail or on the entry. */
const withCharges = fc
  .tuple(common, orderId(), minor, small, fc.boolean())
  .map(([about, id, amount, charge, isOnEntry]): Entry => {
    const debit = { ...nothing, side: 'debit' as const, currency: 'NOK' }
    return {
      told: [
        { ...debit, amount: String(amount), endToEndId: id },
        { ...debit, amount: String(charge) },
      ],
      xml: (format) => {
        const charges = chargesIn(format, charge)
        const instructed = money('Amt', amount)
        const own = amountIn(format, amount + charge, true, instructed)
        const detail = refs(id) + own + (isOnEntry ? '' : charges)
        const inner = tag('NtryDtls', tag('TxDtls', detail))
        const more = { inner, charges: isOnEntry ? charges : '' }
        return entry(format, about, amount + charge, true, more)
      },
    }
  })

/** A payout in euro from an account in kroner. */
const exchanged = fc
  .tuple(common, orderId('EUR'), minor, minor)
  .map(([about, id, amount, booked]): Entry => ({
    told: [{ ...nothing, side: 'debit', amount: String(amount), currency: 'EUR', endToEndId: id }],
    xml: (format) => {
      const own = amountIn(format, booked, true, money('Amt', amount, 'EUR'))
      return entry(format, about, booked, true, {
        inner: tag('NtryDtls', tag('TxDtls', refs(id) + own)),
      })
    },
  }))

/** A batch with its payments. */
const batch = fc
  .tuple(common, fc.uniqueArray(orderId(), { minLength: 2, maxLength: 5 }), small, messageId)
  .map(([about, ids, amount, message]): Entry => {
    const paymentId = `${message}-1`
    const debit = { ...nothing, side: 'debit' as const, currency: 'NOK', paymentId }
    const amounts = ids.map((_, index) => amount + BigInt(index))
    const sum = amounts.reduce((total, one) => total + one, 0n)
    return {
      told: ids.map((endToEndId, index) => ({
        ...debit,
        ...{ amount: String(amounts[index]), endToEndId, messageId: message },
      })),
      xml: (format) => {
        const head = tag('MsgId', message) + tag('PmtInfId', paymentId)
        const details = ids.map((id, index) =>
          tag('TxDtls', refs(id) + amountIn(format, amounts[index] ?? 0n, true)),
        )
        return entry(format, about, sum, true, {
          inner: tag('NtryDtls', tag('Btch', head) + details.join('')),
        })
      },
    }
  })

/** A batch without any detail. */
const wholeBatch = fc.tuple(common, minor, messageId).map(([about, sum, message]): Entry => {
  const paymentId = `${message}-1`
  const debit = { ...nothing, side: 'debit' as const, currency: 'NOK' }
  return {
    told: [{ ...debit, amount: String(sum), messageId: message, paymentId }],
    xml: (format) => {
      const names = tag('MsgId', message) + tag('PmtInfId', paymentId)
      const head = `${names}<NbOfTxs>7</NbOfTxs>${money('TtlAmt', sum)}`
      return entry(format, about, sum, true, { inner: tag('NtryDtls', tag('Btch', head)) })
    },
  }
})

/** What came back, as a return with its reason, or as the reversal of a debit. */
const cameBack = fc
  .tuple(common, orderId(), minor, fc.constantFrom('AC04', 'AC01', null))
  .map(([about, id, amount, code]): Entry => ({
    told: [
      { ...nothing, side: 'credit', amount: String(amount), currency: 'NOK', endToEndId: id, code },
    ],
    xml: (format) => {
      const reason = code === null ? '' : tag('RtrInf', tag('Rsn', tag('Cd', code)))
      const detail = refs(id) + amountIn(format, amount, false) + reason
      return entry(format, about, amount, false, {
        isReversal: code === null,
        inner: tag('NtryDtls', tag('TxDtls', detail)),
      })
    },
  }))

/** A fee of the bank, which names nothing. */
const fee = fc.tuple(common, small).map(([about, amount]): Entry => ({
  told: [{ ...nothing, side: 'debit', amount: String(amount), currency: 'NOK' }],
  xml: (format) => entry(format, about, amount, true),
}))

/** Not booked, or nothing. */
const without = fc.tuple(common, small, fc.boolean()).map(([about, amount, isPending]): Entry => ({
  told: [],
  xml: (format) =>
    isPending
      ? entry(format, about, amount, true, { status: 'PDNG' })
      : entry(format, about, 0n, true),
}))

const statementOf = { '052': 'Rpt', '053': 'Stmt', '054': 'Ntfctn' }
const rootOf = {
  '052': 'BkToCstmrAcctRpt',
  '053': 'BkToCstmrStmt',
  '054': 'BkToCstmrDbtCdtNtfctn',
}

const balance =
  `<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="NOK">0.00</Amt>` +
  `<CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-27</Dt></Dt></Bal>`

const time = '2026-12-01T06:00:00+01:00'

type Page = { readonly number: number; readonly of: number; readonly account: string }

const statement = (format: Format, id: string, page: Page, entries: readonly Entry[]): string => {
  const name = statementOf[format.kind]
  const pages = tag('PgNb', String(page.number)) + tag('LastPgInd', String(page.number === page.of))
  const head =
    tag('Id', id) +
    (format.version >= 8 && page.of > 1 ? tag(`${name}Pgntn`, pages) : '') +
    tag('CreDtTm', time) +
    tag('Acct', tag('Id', tag('IBAN', page.account)))
  const content = entries.map((one) => one.xml(format)).join('')
  return tag(name, head + (format.kind === '053' ? balance : '') + content)
}

const document = (format: Format, page: Page, statements: readonly string[]): string => {
  const { kind, version } = format
  const pages = tag('PgNb', String(page.number)) + tag('LastPgInd', String(page.number === page.of))
  const head =
    tag('MsgId', `M${page.number}`) +
    tag('CreDtTm', time) +
    (version < 8 && page.of > 1 ? tag('MsgPgntn', pages) : '')
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n` +
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.${kind}.001.0${version}">` +
    `${tag(rootOf[kind], tag('GrpHdr', head) + statements.join(''))}</Document>`
  )
}

const format = fc.record({
  kind: fc.constantFrom('052' as const, '053' as const, '054' as const),
  version: fc.constantFrom(2, 4, 6, 8, 8),
})

const kinds = [paid, withCharges, exchanged, batch, wholeBatch, cameBack, fee, without]

/** A statement in pages, one file each, with one of another account beside it. */
export const camtWorld = fc
  .record({
    format,
    id: fc.stringMatching(/^[A-Z0-9]{1,20}$/),
    pages: fc.array(fc.array(fc.oneof(...kinds), { minLength: 1, maxLength: 12 }), {
      minLength: 1,
      maxLength: 3,
    }),
    ofOther: fc.array(fc.oneof(fee, paid), { maxLength: 2 }),
  })
  .map(({ format: how, id, pages, ofOther }) => ({
    format: how,
    told: pages.flat().flatMap((one) => one.told),
    files: pages.map((entries, index) => {
      const page = { number: index + 1, of: pages.length, account: own }
      const other = { ...page, account: 'NO2830000099999' }
      const besides = ofOther.length === 0 ? [] : [statement(how, 'OTHER', other, ofOther)]
      return document(how, page, [...besides, statement(how, id, page, entries)])
    }),
  }))
