import { isDeepStrictEqual } from 'node:util'
import {
  ServiceError,
  type Client,
  type PaymentUpdate,
  type PosInput,
  type Report,
  type SandboxAccept,
  type SandboxClock,
} from '../client/index.ts'
import { alice, type Input, type Sale, type Shop } from './sale.ts'
import { sayEnd, sayStep, sayTitle } from './print.ts'

/** The status with which the service refuses what it is asked for, if it does. */
const refusalOf = (sent: Promise<void>): Promise<number | undefined> =>
  sent.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof ServiceError) return error.status
      throw error
    },
  )

/** What a report says whether it is open or closed, its sums above all. */
const lasting = ({
  status,
  time_closed,
  transaction_log_uris,
  scope_log_uris,
  ...rest
}: Report) => {
  const { log_range, checkpoint, proof_uri, ...all } = rest
  return all
}

/** Plays a shop's day: each payment under its number, with what the till is told as it goes. */
export const openShop = (shop: Shop) => {
  const { till, owner, readWith, receiver, callbackUri, kiosk } = shop
  const sales: Sale[] = []
  const reports: string[] = []
  const surprises: string[] = []
  /** Number of arrivals of each payment that have been spoken of. */
  const messages = new Map<string, number>()

  /** Lets all that is due happen; answers the service's time. */
  const pass = async (step: SandboxClock = { advance_seconds: 0 }): Promise<string> =>
    (await till.advanceSandboxClock(step)).now

  /** What the till was told about a payment since it was asked last. */
  const news = (tid: string): string[] => {
    const own = receiver.arrivals.filter(({ meta }) => meta.uri?.includes(`/${tid}/`))
    const ids = own.map(({ meta }) => meta.id)
    const fresh = own.slice(messages.get(tid) ?? 0)
    messages.set(tid, own.length)
    return fresh.map((arrival) => {
      const { id, event, seqno } = arrival.meta
      const isRepeated = ids.indexOf(id) < own.indexOf(arrival)
      return `${isRepeated ? 'told again' : 'told'} ${event} #${seqno}`
    })
  }

  const step = async (tid: string, what: string): Promise<void> => {
    const now = await pass()
    sayStep(now.slice(11), what, news(tid))
  }

  const put = async (
    client: Client,
    { tid, title }: Sale,
    body: PaymentUpdate,
    what: string,
    expected?: number,
  ): Promise<void> => {
    await pass({ advance_seconds: 15 })
    const refused = await refusalOf(client.updatePaymentRequest(tid, body))
    if (refused !== expected)
      surprises.push(`${title}: ${what}: ${refused ?? 'done'} instead of ${expected ?? 'done'}`)
    await step(tid, refused === undefined ? what : `${what}: refused, ${refused}`)
  }

  return {
    sales: sales as readonly Sale[],
    reports: reports as readonly string[],
    /** Where the story did not end as it should have. */
    surprises: surprises as readonly string[],

    /** Moves the service's clock. */
    until: async (now: string): Promise<void> => void (await pass({ now })),

    register: async (pos: PosInput): Promise<void> => void (await till.createPos(pos)),

    /** Puts a code on the counter; answers its id. */
    shortlink: async (description: string): Promise<string> =>
      (await till.createShortlink({ description, callback_uri: callbackUri })).id,

    scan: async ({ tid }: Sale, shortlink: string, what: string): Promise<void> => {
      await pass({ advance_seconds: 10 })
      await till.scanSandboxShortlink(shortlink)
      await step(tid, what)
    },

    request: async (title: string, input: Input): Promise<Sale> => {
      const number = sales.length + 1
      const wish = { currency: 'NOK', customer: alice, ...input }
      const { id: tid } = await till.createPaymentRequest({
        pos_id: 'bar',
        pos_tid: `sale-${number}`,
        action: 'auth',
        allow_credit: false,
        callback_uri: callbackUri,
        ...wish,
      })
      const sale = { number, title, tid }
      sales.push(sale)
      sayTitle(number, title)
      const tip = input.additional_amount ? ` + ${input.additional_amount}` : ''
      await step(tid, `the till asks ${wish.customer} for ${wish.amount}${tip} ${wish.currency}`)
      return sale
    },

    payer: async (
      { tid }: Sale,
      decision: 'accept' | 'decline',
      what: string,
      answer: SandboxAccept = {},
    ): Promise<void> => {
      await pass({ advance_seconds: 20 })
      if (decision === 'accept') await till.acceptSandboxPaymentRequest(tid, answer)
      else await till.declineSandboxPaymentRequest(tid)
      await step(tid, what)
    },

    put: (sale: Sale, body: PaymentUpdate, what: string, refused?: number) =>
      put(till, sale, body, what, refused),

    /** As `put`, signed by the owner. */
    putSigned: (sale: Sale, body: PaymentUpdate, what: string) => put(owner, sale, body, what),

    /** The till reads what the payer lets it know, with the token that the outcome shows. */
    learns: async (
      { tid, title }: Sale,
      uri: string,
      claims: object,
      what: string,
    ): Promise<void> => {
      const { permissions } = await till.getPaymentRequestOutcome(tid)
      const claimed = await readWith(permissions?.access_token ?? '', uri)
      if (!isDeepStrictEqual(claimed, claims)) {
        const [should, says] = [claims, claimed].map((one) => JSON.stringify(one))
        surprises.push(`${title}: should let the till know ${should}, tells it ${says}`)
      }
      await step(tid, what)
    },

    kioskUri: kiosk.callbackUri,

    /** The kiosk hears of a payment over the connection that it has opened. */
    hears: async ({ tid }: Sale, event: string, what: string): Promise<void> => {
      receiver.take(await kiosk.hear(tid, event))
      await step(tid, what)
    },

    /** Something happens without anybody's doing. */
    watch: async ({ tid }: Sale, what: string): Promise<void> => step(tid, what),

    /** Closes the open report of the ledger, and waits until its logs are made. */
    closeReport: async (): Promise<void> => {
      const now = await pass({ advance_seconds: 60 })
      const { open_report_uri: uri } = await till.getLedger('default')
      const open = await till.get<Report>(uri)
      await till.closeLedgerReport('default', open.id)
      await pass()
      const closed = await till.get<Report>(uri)
      const { id, status } = closed
      reports.push(id)
      sayTitle('', 'The report of the ledger')
      sayStep(now.slice(11), `the till closes report ${id}`, [])
      if (status !== 'closed') surprises.push(`report ${id}: should be closed, is ${status}`)
      if (!isDeepStrictEqual(lasting(open), lasting(closed)))
        surprises.push(`report ${id}: when it was closed, it added up to something else`)
    },

    recall: ({ number, title }: Sale): void => sayTitle(number, title),

    /** How it ended, as the till reads it. */
    ended: async ({ tid, title }: Sale, expected: string): Promise<void> => {
      const outcome = await till.getPaymentRequestOutcome(tid)
      sayEnd(outcome)
      const read = `${outcome.status} ${outcome.status_code}`
      if (read !== expected) surprises.push(`${title}: should be ${expected}, reads ${read}`)
    },
  }
}

export type OpenShop = ReturnType<typeof openShop>
