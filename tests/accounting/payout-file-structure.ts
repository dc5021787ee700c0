import { many, numbersIn, parseXml, problemsOf, type Element } from './xml-structure.ts'

const max35 = /^.{1,35}$/su
const max140 = /^.{1,140}$/su
const decimal = /^\d{1,13}(\.\d{1,5})?$/
const count = /^\d{1,15}$/
const date = /^\d{4}-\d\d-\d\d$/
const bic = /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/

const code: readonly Element[] = [['Cd', 1, 1, /^[A-Z0-9]{1,4}$/]]
const other: readonly Element[] = [
  ['Id', 1, 1, /^.{1,34}$/su],
  ['SchmeNm', 0, 1, code],
]
const type: readonly Element[] = [
  ['SvcLvl', 0, 1, code],
  ['LclInstrm', 0, 1, code],
  ['CtgyPurp', 0, 1, code],
]
const account: readonly Element[] = [
  [
    'Id',
    1,
    1,
    {
      choice: [
        ['IBAN', 1, 1, /^[A-Z]{2}\d{2}[a-zA-Z0-9]{1,30}$/],
        ['Othr', 1, 1, other],
      ],
    },
  ],
  ['Ccy', 0, 1, /^[A-Z]{3}$/],
]
const party: readonly Element[] = [['Nm', 0, 1, max140]]
const agent: readonly Element[] = [
  [
    'FinInstnId',
    1,
    1,
    [
      ['BICFI', 0, 1, bic],
      ['Nm', 0, 1, max140],
      ['Othr', 0, 1, [['Id', 1, 1, max35]]],
    ],
  ],
]
const transfer: readonly Element[] = [
  [
    'PmtId',
    1,
    1,
    [
      ['InstrId', 0, 1, max35],
      ['EndToEndId', 1, 1, max35],
    ],
  ],
  ['PmtTpInf', 0, 1, type],
  ['Amt', 1, 1, { choice: [['InstdAmt', 1, 1, decimal]] }],
  ['ChrgBr', 0, 1, /^(DEBT|CRED|SHAR|SLEV)$/],
  ['CdtrAgt', 0, 1, agent],
  ['Cdtr', 0, 1, party],
  ['CdtrAcct', 0, 1, account],
  ['Purp', 0, 1, code],
  ['RmtInf', 0, 1, [['Ustrd', 0, many, max140]]],
]
/** In the order of the message definition (pain.001.001.09). */
const message: readonly Element[] = [
  [
    'GrpHdr',
    1,
    1,
    [
      ['MsgId', 1, 1, max35],
      ['CreDtTm', 1, 1, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/],
      ['NbOfTxs', 1, 1, count],
      ['CtrlSum', 0, 1, decimal],
      ['InitgPty', 1, 1, party],
    ],
  ],
  [
    'PmtInf',
    1,
    many,
    [
      ['PmtInfId', 1, 1, max35],
      ['PmtMtd', 1, 1, /^(CHK|TRF|TRA)$/],
      ['BtchBookg', 0, 1, /^(true|false)$/],
      ['NbOfTxs', 0, 1, count],
      ['CtrlSum', 0, 1, decimal],
      ['PmtTpInf', 0, 1, type],
      ['ReqdExctnDt', 1, 1, { choice: [['Dt', 1, 1, date]] }],
      ['Dbtr', 1, 1, party],
      ['DbtrAcct', 1, 1, account],
      ['DbtrAgt', 1, 1, agent],
      ['ChrgBr', 0, 1, /^(DEBT|CRED|SHAR|SLEV)$/],
      ['CdtTrfTxInf', 1, many, transfer],
    ],
  ],
]

/**
 * Violations of the published structure in a payout file: order, cardinality and types of elements,
 * and sums.
 */
export const problemsOfPayoutFile = (xml: string): string[] => {
  const plain = xml.replaceAll(/<InstdAmt Ccy="[A-Z]{3}">/g, '<InstdAmt>')
  const problems: string[] = []
  if (!xml.includes('<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">'))
    problems.push('the namespace is not that of pain.001.001.09')
  const inner = /<CstmrCdtTrfInitn>(.*)<\/CstmrCdtTrfInitn>/s.exec(plain)?.[1]
  if (inner === undefined) return [...problems, 'there is no message']
  problems.push(...problemsOf({ '#': parseXml(inner) }, message, 'CstmrCdtTrfInitn'))
  const [all = '', ...each] = numbersIn(xml, 'NbOfTxs').map(Number)
  const transfers = numbersIn(xml, 'InstdAmt')
  if (all !== transfers.length) problems.push('NbOfTxs is not the number of transfers')
  if (each.reduce((sum, number) => sum + number, 0) !== transfers.length)
    problems.push('the numbers of the groups do not add up')
  const sum = transfers.reduce((total, text) => total + Math.round(Number(text) * 1e5), 0) / 1e5
  if (Number(numbersIn(xml, 'CtrlSum')[0]) !== sum) problems.push('CtrlSum is not the sum')
  return problems
}
