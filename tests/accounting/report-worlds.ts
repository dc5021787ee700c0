// Status reports (pain.002.001.11) as fast-check makes them, with what they say of each order.
import fc from 'fast-check'

const tag = (name: string, content: string | undefined): string =>
  content === undefined ? '' : `<${name}>${content}</${name}>`

/** None: the level above decides. */
const status = fc.constantFrom('RJCT', 'RJCT', 'ACSP', 'PDNG', undefined)

const level = fc.record({
  status,
  code: fc.constantFrom('AC04', 'AM04', undefined),
  text: fc.option(fc.stringMatching(/^[A-Za-z ]{1,105}$/), { nil: undefined }),
})

type Level = { readonly status?: string | undefined } & {
  readonly code?: string | undefined
  readonly text?: string | undefined
}

const why = ({ code, text }: Level): string =>
  code === undefined
    ? ''
    : tag('StsRsnInf', tag('Rsn', tag('Cd', code)) + tag('AddtlInf', text?.trim() || undefined))

const messageId = 'DAYBOOK-0123456789ABCDEF'

const orderId = (payment: number, index: number): string =>
  `HARBOR-2026-11-26-${payment * 10 + index + 1}-NOK`

const paymentId = (payment: number): string => `${messageId}-${payment + 1}`

type Detail = Level & { readonly isInstruction: boolean }

const detailXml = (detail: Detail, id: string): string =>
  tag(
    'TxInfAndSts',
    tag(detail.isInstruction ? 'OrgnlInstrId' : 'OrgnlEndToEndId', id) +
      tag('TxSts', detail.status) +
      why(detail),
  )

/** Whether each order was refused: by what is said of it, of its payment, or of the message. */
export const reportWorld = fc
  .record({
    group: level,
    payments: fc.array(
      level.chain((own) =>
        fc.array(fc.tuple(level, fc.boolean()), { maxLength: 4 }).map((details) => ({
          own,
          details: details.map(([of, isInstruction]) => ({ ...of, isInstruction })),
        })),
      ),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .map(({ group, payments }) => {
    const original = tag('OrgnlMsgId', messageId) + tag('OrgnlMsgNmId', 'pain.001.001.09')
    const told = payments.map(({ own, details }, payment) =>
      tag(
        'OrgnlPmtInfAndSts',
        tag('OrgnlPmtInfId', paymentId(payment)) +
          tag('PmtInfSts', own.status) +
          why(own) +
          details.map((one, index) => detailXml(one, orderId(payment, index))).join(''),
      ),
    )
    const orders = payments.flatMap(({ own, details }, payment) => [
      ...details.map((one, index) => ({
        endToEndId: orderId(payment, index),
        paymentId: paymentId(payment),
        isRefused: (one.status ?? own.status ?? group.status) === 'RJCT',
      })),
      // Of the payment, and not named.
      {
        endToEndId: orderId(payment, 9),
        paymentId: paymentId(payment),
        isRefused: (own.status ?? group.status) === 'RJCT',
      },
    ])
    const file =
      `<?xml version="1.0" encoding="UTF-8"?>\n` +
      `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.11"><CstmrPmtStsRpt>` +
      `<GrpHdr><MsgId>R1</MsgId><CreDtTm>2026-12-01T06:00:00+01:00</CreDtTm></GrpHdr>` +
      tag('OrgnlGrpInfAndSts', original + tag('GrpSts', group.status) + why(group)) +
      `${told.join('')}</CstmrPmtStsRpt></Document>`
    const unlisted = { endToEndId: 'HARBOR-2026-11-26-999-NOK', paymentId: paymentId(9) }
    return { file, orders: [...orders, { ...unlisted, isRefused: group.status === 'RJCT' }] }
  })
