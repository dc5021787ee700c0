import { randomUUID } from 'node:crypto'
import type { SendMessage } from '../../application/number-proofs.ts'
import { makeCallbackSender, type SendResult } from '../callbacks/callback-sender.ts'
import type { SendingNeeds } from '../callbacks/logged-sending.ts'
import { makeSignedPost } from '../callbacks/signed-post.ts'
import type { Core } from '../core.ts'
import type { Log } from '../log.ts'

/** A text that the sandbox shows instead of sending it. */
type ShownMessage = { readonly to: string; readonly text: string; readonly at: number }

const messagesShown = 1_000
/** Waits before the second and the third attempt, in ms. */
const waits = [2_000, 10_000]

/** The sandbox's: shown by a route and in the log. */
const showMessages = (log: Log, now: () => number) => {
  const shown: ShownMessage[] = []
  const show = (to: string, text: string): void => {
    shown.push({ to, text, at: now() })
    if (shown.length > messagesShown) shown.shift()
    log.info({ to, text }, 'a message')
  }
  const send: SendMessage = (phone, text) => show(`+${phone}`, text)
  return {
    send,
    mail: (to: string, text: string) => void show(to, text),
    /** Newest first. */
    sentTo: (to: string | undefined): readonly ShownMessage[] =>
      shown.filter((message) => to === undefined || message.to === to).reverse(),
  }
}

type GatewayNeeds = {
  readonly url: string
  readonly log: Log
  readonly post: (id: string, uri: string, body: string) => Promise<SendResult>
}

/** Posts messages to the operator's gateway, signed as callbacks are; tried three times. */
const sendToGateway = ({ url, log, post }: GatewayNeeds) => {
  const waiting = new Set<NodeJS.Timeout>()
  let isStopped = false

  const attempt = async (id: string, body: string, left: readonly number[]): Promise<void> => {
    const { result, httpStatus, problem } = await post(id, url, body)
    if (result === 'delivered' || isStopped) return
    const [wait, ...rest] = left
    const told = { message: id, status: httpStatus, problem }
    if (wait === undefined) return log.error(told, 'a message was not sent: look at MESSAGE_URL')
    log.warn(told, 'a message was not sent: it will be tried again')
    const timer = setTimeout(() => {
      waiting.delete(timer)
      void attempt(id, body, rest)
    }, wait)
    waiting.add(timer)
  }

  const mail: SendMessage = (to, text) =>
    void attempt(randomUUID(), JSON.stringify({ to, text }), waits)
  const send: SendMessage = (phone, text) => mail(`+${phone}`, text)
  const stop = (): void => {
    isStopped = true
    for (const timer of waiting) clearTimeout(timer)
  }
  return { send, mail, stop }
}

export type Messages = {
  /** Undefined in production without MESSAGE_URL. */
  readonly send: SendMessage | undefined
  /** The same to an e-mail address. */
  readonly mail: SendMessage | undefined
  readonly sentTo: ReturnType<typeof showMessages>['sentTo']
  readonly stop: () => void
}

const nothing = { sentTo: () => [], stop: () => {} }

/** How this service sends texts to phones (interface 12.2). */
export const openMessages = (
  { now, settings, log }: Pick<Core, 'now' | 'settings' | 'log'>,
  { wire, signer }: Omit<SendingNeeds, 'countAttempt'>,
): Messages => {
  const { MODE, MESSAGE_URL: url } = settings
  if (url !== undefined) {
    const sender = makeCallbackSender({
      ...wire,
      signer,
      machineNow: Date.now,
      signedPost: makeSignedPost({
        // The operator's own gateway may be in their own network.
        arePrivateAddressesAllowed: true,
        certificates: settings.CALLBACK_CA_FILE,
        otherCertificates: settings.NODE_EXTRA_CA_CERTS,
      }),
    })
    const post = (id: string, uri: string, body: string) => sender.send(id, uri, body)
    const { send, mail, stop } = sendToGateway({ url, log, post })
    const end = (): void => {
      stop()
      sender.close()
    }
    return { ...nothing, send, mail, stop: end }
  }
  if (MODE === 'sandbox') return { ...nothing, ...showMessages(log, now) }
  log.warn('nobody can prove a phone number: set MESSAGE_URL to the address of your gateway')
  return { ...nothing, send: undefined, mail: undefined }
}
