import { isDeepStrictEqual } from 'node:util'
import type { Answer, MerchantClient } from '../harness/merchant-client.ts'
import type { Kiosk } from './kiosk.ts'
import type { Receiver } from './receiver.ts'
import { sayEnd, sayStep, sayTitle } from './telling.ts'
import type { Outcome } from './wording.ts'

export type Shop = {
  /** The till, with its secret. */
  readonly till: MerchantClient
  /** The owner, who signs with an RSA key. */
  readonly owner: MerchantClient
  /** The sandbox's side of things: payers and time. */
  readonly world: MerchantClient
  /** Whoever holds an access token that a payer has granted. */
  readonly holder: (accessToken: string) => MerchantClient
  readonly receiver: Receiver
  readonly callbackUri: string
  readonly kiosk: Kiosk
}

/** What the till knows of one of its payments when the day is over. */
export type Sale = {
  readonly number: number
  readonly title: string
  readonly tid: string
  /** As the till named the customer. */
  readonly customer: string
}

/** The service answered what the story does not allow for. */
export class Unexpected extends Error {
  override readonly name = 'Unexpected'
}

const expectStatus = (status: number, answer: Answer, what: string): Answer => {
  if (answer.status === status) return answer
  const body = JSON.stringify(answer.body)
  throw new Unexpected(`${what}: expected ${status}, the service answered ${answer.status} ${body}`)
}

type Report = {
  readonly id: string
  readonly status: string
  readonly time_closed: string | null
  readonly transaction_log_uris: readonly string[]
  readonly scope_log_uris: readonly string[]
}

/** What a report says whether it is open or closed, its sums above all. */
const lasting = ({ status, time_closed, transaction_log_uris, scope_log_uris, ...rest }: Report) =>
  rest

type Input = {
  readonly amount: string
  readonly currency?: string
  readonly customer?: string
  readonly additional_amount?: string
} & Readonly<Record<string, unknown>>

export const alice = '+4799999901'
export const bob = '+4799999902'

/** Plays a shop's day: each payment under its number, with what the till is told as it goes. */
export const openShop = (shop: Shop) => {
  const { till, owner, world, holder, receiver, callbackUri, kiosk } = shop
  const sales: Sale[] = []
  const reports: string[] = []
  const surprises: string[] = []
  /** Number of arrivals of each payment that have been spoken of. */
  const told = new Map<string, number>()

  /** Lets all that is due happen; answers the service's time. */
  const pass = async (step: object = { advance_seconds: 0 }): Promise<string> => {
    const answer = expectStatus(200, await world('POST', '/sandbox/v1/clock/', step), 'the clock')
    return (answer.body as { now: string }).now
  }

  /** What the till was told about a payment since it was asked last. */
  const news = (tid: string): string[] => {
    const own = receiver.arrivals.filter(({ meta }) => meta.uri?.includes(`/${tid}/`))
    const ids = own.map(({ meta }) => meta.id)
    const fresh = own.slice(told.get(tid) ?? 0)
    told.set(tid, own.length)
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
    client: MerchantClient,
    { tid }: Sale,
    body: object,
    what: string,
    status = 204,
  ): Promise<void> => {
    await pass({ advance_seconds: 15 })
    const answer = await client('PUT', `/merchant/v1/payment_request/${tid}/`, body)
    expectStatus(status, answer, what)
    await step(tid, status === 204 ? what : `${what}: refused, ${status}`)
  }

  return {
    sales: sales as readonly Sale[],
    /** Where the reports that were closed can be read. */
    reports: reports as readonly string[],
    /** Where the story did not end as it should have. */
    surprises: surprises as readonly string[],

    /** Moves the service's clock. */
    until: async (now: string): Promise<void> => void (await pass({ now })),

    register: async (pos: object): Promise<void> =>
      void expectStatus(201, await till('POST', '/merchant/v1/pos/', pos), 'the POS'),

    /** Puts a code on the counter; answers its id. */
    shortlink: async (description: string): Promise<string> => {
      const body = { description, callback_uri: callbackUri }
      const answer = await till('POST', '/merchant/v1/shortlink/', body)
      return (expectStatus(201, answer, 'the shortlink').body as { id: string }).id
    },

    scan: async ({ tid }: Sale, shortlink: string, what: string): Promise<void> => {
      await pass({ advance_seconds: 10 })
      expectStatus(200, await world('POST', `/sandbox/v1/shortlink/${shortlink}/scan/`, {}), what)
      await step(tid, what)
    },

    request: async (title: string, input: Input): Promise<Sale> => {
      const number = sales.length + 1
      const wish = { currency: 'NOK', customer: alice, ...input }
      const body = {
        pos_id: 'bar',
        pos_tid: `sale-${number}`,
        action: 'auth',
        allow_credit: false,
        callback_uri: callbackUri,
        ...wish,
      }
      const answer = expectStatus(
        201,
        await till('POST', '/merchant/v1/payment_request/', body),
        title,
      )
      const { id: tid } = answer.body as { id: string }
      const sale = { number, title, tid, customer: wish.customer }
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
      body: object = {},
    ): Promise<void> => {
      const path = `/sandbox/v1/payment_request/${tid}/${decision}/`
      await pass({ advance_seconds: 20 })
      expectStatus(204, await world('POST', path, body), what)
      await step(tid, what)
    },

    put: (sale: Sale, body: object, what: string, status?: number) =>
      put(till, sale, body, what, status),

    /** As `put`, signed by the owner. */
    putSigned: (sale: Sale, body: object, what: string) => put(owner, sale, body, what),

    /** The till reads what the payer lets it know, with the token that the outcome shows. */
    learns: async (
      { tid, title }: Sale,
      uri: string,
      claims: object,
      what: string,
    ): Promise<void> => {
      const path = `/merchant/v1/payment_request/${tid}/outcome/`
      const { body } = expectStatus(200, await till('GET', path), 'the outcome')
      const accessToken = (body as Outcome).permissions?.access_token ?? ''
      const { body: told } = await holder(accessToken)('GET', uri)
      if (!isDeepStrictEqual(told, claims)) {
        const [should, says] = [claims, told].map((one) => JSON.stringify(one))
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
      const ledger = await till('GET', '/merchant/v1/ledger/default/')
      const { open_report_uri: uri } = expectStatus(200, ledger, 'the ledger').body
      const read = async (): Promise<Report> =>
        expectStatus(200, await till('GET', uri), 'the report').body
      const open = await read()
      expectStatus(204, await till('PUT', uri), 'the closing of the report')
      await pass()
      const closed = await read()
      const { id, status } = closed
      reports.push(uri)
      sayTitle('', 'The report of the ledger')
      sayStep(now.slice(11), `the till closes report ${id}`, [])
      if (status !== 'closed') surprises.push(`report ${id}: should be closed, is ${status}`)
      if (!isDeepStrictEqual(lasting(open), lasting(closed)))
        surprises.push(`report ${id}: when it was closed, it added up to something else`)
    },

    recall: ({ number, title }: Sale): void => sayTitle(number, title),

    /** How it ended, as the till reads it. */
    ended: async ({ tid, title }: Sale, expected: string): Promise<void> => {
      const path = `/merchant/v1/payment_request/${tid}/outcome/`
      const answer = expectStatus(200, await till('GET', path), 'the outcome')
      const outcome = answer.body as Outcome
      sayEnd(outcome)
      const read = `${outcome.status} ${outcome.status_code}`
      if (read !== expected) surprises.push(`${title}: should be ${expected}, reads ${read}`)
    },
  }
}

export type OpenShop = ReturnType<typeof openShop>
