import { randomUUID } from 'node:crypto'
import { callbackEventNames, scanCallbackName } from '../domain/callback-names.ts'
import { fail } from '../infrastructure/failures.ts'
import { makePlainLog } from '../infrastructure/logs/log.ts'
import { refuseLogOfOtherMode } from '../service/mode-of-log.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { command, value } from './command.ts'

type App = Awaited<ReturnType<typeof import('../service/server.ts').openService>>['app']

type Ask = (method: string, path: string, body?: object) => Promise<{ readonly id: string }>

const listPath = '/merchant/v1/payment_request/'

const requested = async (ask: Ask, callbackUri: string | undefined): Promise<string> => {
  const { id } = await ask('POST', listPath, {
    pos_id: 'till-1',
    pos_tid: randomUUID(),
    action: 'auth',
    currency: 'NOK',
    amount: '100.00',
    allow_credit: false,
    customer: '+4799999901',
    ...(callbackUri !== undefined && { callback_uri: callbackUri }),
  })
  return id
}

const accepted = async (ask: Ask, callbackUri: string | undefined): Promise<string> => {
  const tid = await requested(ask, callbackUri)
  await ask('POST', `/sandbox/v1/payment_request/${tid}/accept/`, {})
  return tid
}

type Trigger = (ask: Ask, callbackUri: string | undefined) => Promise<unknown>

const afterAccepting =
  (action: string): Trigger =>
  async (ask, uri) =>
    ask('PUT', `${listPath}${await accepted(ask, uri)}/`, { action })

type CallbackName =
  (typeof callbackEventNames)[keyof typeof callbackEventNames] | typeof scanCallbackName

/** How to trigger each event; null if that takes a signature, an operator, or time. */
const triggers: Readonly<Record<CallbackName, Trigger | null>> = {
  [callbackEventNames.PaymentAuthorized]: accepted,
  [callbackEventNames.PaymentCaptured]: afterAccepting('capture'),
  [callbackEventNames.PaymentReleased]: afterAccepting('release'),
  [callbackEventNames.PaymentRenewed]: afterAccepting('reauth'),
  [callbackEventNames.PaymentDeclined]: async (ask, uri) =>
    ask('POST', `/sandbox/v1/payment_request/${await requested(ask, uri)}/decline/`, {}),
  [callbackEventNames.PaymentAborted]: async (ask, uri) =>
    ask('PUT', `${listPath}${await requested(ask, uri)}/`, { action: 'abort' }),
  [scanCallbackName]: async (ask, uri) => {
    const code = await ask('POST', '/merchant/v1/shortlink/', uri ? { callback_uri: uri } : {})
    return ask('POST', `/sandbox/v1/shortlink/${code.id}/scan/`, {})
  },
  payment_refunded: null,
  dispute_opened: null,
  dispute_closed: null,
  payment_authorization_expired: null,
  payment_request_expired: null,
  permission_request_answered: null,
  permission_request_expired: null,
  report_closed: null,
  settlement_made: null,
  callback_address_rested: null,
  portal: null,
}

const possible = new Map(
  Object.entries(triggers).flatMap(([name, trigger]) => (trigger ? [[name, trigger]] : [])),
)
const known = [...possible.keys()].join(', ')

const askOf =
  ({ HEADER_PREFIX: prefix }: Settings, app: App): Ask =>
  async (method, path, body) => {
    const headers = {
      [`${prefix}-Merchant`]: 'sandbox',
      [`${prefix}-User`]: 'pos1',
      Authorization: 'SECRET sandbox-secret',
      ...(body && { 'Content-Type': 'application/json' }),
    }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const incoming = { socket: { remoteAddress: '127.0.0.1' } }
    const answer = await app.request(`http://127.0.0.1${path}`, init, { incoming })
    const text = await answer.text()
    return answer.ok ? JSON.parse(text || 'null') : fail(`${method} ${path}: ${text}`)
  }

export const triggerCommand = command({
  name: 'trigger <event>',
  about: 'trigger a callback event of the sandbox’s merchant',
  argument: `one of ${known}`,
  options: { callbackUri: value('<uri>', 'address of the resource; listen needs none') },
  run: async ({ settings }, event, { callbackUri }) => {
    const letHappen = possible.get(event)
    if (!letHappen) return fail(`${event} is none of ${known}`)
    if (settings.MODE !== 'sandbox') return fail('only the sandbox can trigger events')
    await refuseLogOfOtherMode(settings)
    const { openService } = await import('../service/server.ts')
    const address = `http://${settings.HOST}:${settings.PORT}`
    const { app, service, core } = await openService(settings, makePlainLog(), {
      address: () => address,
    })
    try {
      await letHappen(askOf(settings, app), callbackUri)
      return { triggered: event }
    } finally {
      await service.stop()
      await core.close()
    }
  },
})
