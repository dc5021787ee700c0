/** A time as text, in UTC; null where there is none. */
const time = (column: string): string =>
  `strftime('%Y-%m-%d %H:%M:%S', ${column} / 1000, 'unixepoch')`

type Column = { readonly sql: string; readonly about: string }

export type View = {
  readonly about: string
  readonly columns: Readonly<Record<string, Column>>
  readonly from: string
}

const merchant = { sql: 'merchant', about: 'Id of the merchant.' }

const payments: View = {
  about: 'Payment requests.',
  from: 'payments',
  columns: {
    tid: { sql: 'tid', about: 'Id of the payment.' },
    merchant,
    ledger: { sql: 'ledger', about: 'Ledger of the merchant.' },
    pos_id: { sql: 'posId', about: 'Point of sale.' },
    pos_tid: { sql: 'posTid', about: "The merchant's own id." },
    status_code: { sql: 'statusCode', about: 'Status, as in the interface.' },
    currency: { sql: 'currency', about: 'ISO 4217.' },
    amount: { sql: 'amount + additionalAmount', about: 'Requested, with the tip.' },
    captured: { sql: 'captured', about: 'Captured, with the tip.' },
    refunded: { sql: 'refunded', about: 'Refunded, with the tip.' },
    reserved: {
      sql: 'CASE WHEN isWaiting THEN 0 ELSE amountLeft + additionalAmountLeft END',
      about: 'Authorized and not captured.',
    },
    requested_at: { sql: time('requestedAt'), about: 'Time of the request.' },
    expires_at: { sql: time('deadline'), about: 'When it expires; null if it cannot.' },
    modified_at: { sql: time('modifiedAt'), about: 'Time of the last event.' },
  },
}

/** The fees of settlements stand in no ledger, and in a table of their own. */
const allLines = `(
  SELECT position, merchant, ledger, action, at, tid, subId, posId, posTid, currency,
    amount + additionalAmount AS gross, fee, interchange, vat, taxcode, balance
  FROM transaction_lines WHERE fee IS NOT NULL
  UNION ALL
  SELECT position, merchant, NULL, 'settlement_fee', at, NULL, NULL, NULL, NULL, currency,
    0, fee, 0, vat, taxcode, balance
  FROM settlement_fees WHERE merchant IS NOT NULL)`

const lines: View = {
  about: 'Lines that move money, with the fees of settlements.',
  from: allLines,
  columns: {
    position: { sql: 'position', about: 'Position of the event in the log.' },
    merchant,
    ledger: { sql: 'ledger', about: 'Ledger of the merchant; null for fees of settlements.' },
    action: { sql: 'action', about: 'capture, refund, settlement_fee, and so on.' },
    at: { sql: time('at'), about: 'Time of the event.' },
    tid: { sql: 'tid', about: 'Id of the payment or permission request.' },
    sub_id: { sql: 'subId', about: 'Id of the capture or refund.' },
    pos_id: { sql: 'posId', about: 'Point of sale.' },
    pos_tid: { sql: 'posTid', about: "The merchant's own id." },
    currency: { sql: 'currency', about: 'ISO 4217.' },
    gross: { sql: 'gross', about: 'Negative for refunds.' },
    fee: { sql: 'fee', about: 'Fee of the line.' },
    interchange: { sql: 'interchange', about: 'Interchange.' },
    vat: { sql: 'vat', about: 'VAT on the fee.' },
    net: {
      sql: 'gross - fee - interchange - vat',
      about: 'Gross less fee, interchange and VAT.',
    },
    taxcode: { sql: 'taxcode', about: 'Tax code of the fee.' },
    balance: {
      sql: 'CAST(balance AS INTEGER)',
      about: 'Of the ledger in the currency, after the line; of fees of settlements their sum.',
    },
  },
}

const ofPayout = (field: string): string => `json_extract(payout.value, '$.${field}')`
const ofOrder = (field: string): string => `json_extract(payout.value, '$.orders[#-1].${field}')`

const payouts: View = {
  about: 'Payouts of settlements, one for each currency.',
  from: 'settlements, json_each(settlements.payouts) AS payout',
  columns: {
    merchant,
    settlement_id: { sql: 'settlementId', about: 'Id of the settlement.' },
    serial: { sql: 'serial', about: 'Its number.' },
    currency: { sql: ofPayout('currency'), about: 'ISO 4217.' },
    amount: { sql: `CAST(${ofPayout('amount')} AS INTEGER)`, about: 'Amount paid out.' },
    status: { sql: ofPayout('status'), about: 'due, ordered, paid or returned.' },
    day: { sql: ofPayout('day'), about: 'When it is to be paid.' },
    message_id: { sql: ofOrder('messageId'), about: 'Payment file of the last order.' },
    end_to_end_id: { sql: ofOrder('endToEndId'), about: 'Id of the last order at the bank.' },
    paid_on: { sql: ofPayout('paid.on'), about: "The bank's day." },
    returned_on: { sql: ofPayout('returned.on'), about: "The bank's day of the last return." },
    return_code: { sql: ofPayout('returned.reason.code'), about: "The bank's reason." },
    settled_at: { sql: time('startedAt'), about: 'Time of the settlement.' },
  },
}

const callbacks: View = {
  about: 'Callback messages.',
  from: 'callback_messages',
  columns: {
    id: { sql: 'id', about: 'Id of the message.' },
    merchant,
    subject: { sql: 'subject', about: 'Stream of its event.' },
    event: { sql: 'event', about: 'Name of the callback.' },
    seqno: { sql: 'seqno', about: 'Its number for the subject.' },
    at: { sql: time('at'), about: 'Time of the event.' },
    status: {
      sql: "CASE status WHEN 'failing' THEN 'waiting' ELSE status END",
      about: 'unaddressed, waiting, delivered or abandoned.',
    },
    attempts: { sql: 'attempts', about: 'Number of attempts.' },
    http_status: { sql: 'httpStatus', about: 'Of the last failure; null if it arrived.' },
  },
}

const consents: View = {
  about: 'What payers have granted.',
  from: 'granted_permissions',
  columns: {
    consent: { sql: '"grant"', about: 'Stream of the granting request.' },
    payer: { sql: 'payer', about: "daybook's id of the payer; no name or number." },
    merchant,
    client: { sql: 'client', about: 'The application, or the merchant itself.' },
    scopes: { sql: 'scope', about: 'A JSON list.' },
    granted_at: { sql: time('grantedAt'), about: 'Time of the grant.' },
    is_withdrawn: { sql: 'isWithdrawn', about: '1 if it was withdrawn.' },
    is_revoked: { sql: 'isRevoked', about: '1 if its tokens are no longer valid.' },
  },
}

/** What `daybook query` reads. Amounts are minor units, times UTC. */
export const views: Readonly<Record<string, View>> = {
  payments,
  lines,
  payouts,
  callbacks,
  consents,
}

/** Fills a table of the attached file. */
export const statementOf = (name: string, { columns, from }: View, schema: string): string => {
  const selected = Object.entries(columns).map(([column, { sql }]) => `${sql} AS ${column}`)
  return `CREATE TABLE ${schema}.${name} AS SELECT ${selected.join(', ')} FROM ${from}`
}
