import { readFileSync } from 'node:fs'

/** From which payouts are paid. */
export const houseAccount = 'NO9386011117947'

/** The bank's statement on which all payments of the order are paid. */
export const paidStatement = (order: string, day: string): string => {
  const file = readFileSync(order, 'utf8')
  const entries = [...file.matchAll(/<CdtTrfTxInf>([^]*?)<\/CdtTrfTxInf>/g)]
  const [, message = ''] = /<MsgId>([^<]*)</.exec(file) ?? []
  const booked = entries.map(([, one = ''], index) => {
    const [, currency, amount] = /<InstdAmt Ccy="(\w+)">([^<]*)</.exec(one) ?? []
    const [, id] = /<EndToEndId>([^<]*)</.exec(one) ?? []
    return `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>DBIT</CdtDbtInd>
      <Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${day}</Dt></BookgDt>
      <AcctSvcrRef>${message.slice(-8)}-${index}</AcctSvcrRef>
      <NtryDtls><TxDtls><Refs><MsgId>${message}</MsgId><EndToEndId>${id}</EndToEndId></Refs>
      </TxDtls></NtryDtls></Ntry>`
  })
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
    <GrpHdr><MsgId>${message}</MsgId><CreDtTm>${day}T22:00:00Z</CreDtTm></GrpHdr>
    <Stmt><Id>${message}</Id><CreDtTm>${day}T22:00:00Z</CreDtTm>
    <Acct><Id><IBAN>${houseAccount}</IBAN></Id></Acct>
    ${booked.join('')}</Stmt></BkToCstmrStmt></Document>`
}
