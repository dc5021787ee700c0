import type { SendMessage } from '../../application/number-proofs.ts'
import {
  makeCallbackSender,
  type SendResult,
} from '../../infrastructure/callbacks/callback-sender.ts'
import type { SendingNeeds } from '../callbacks/logged-sending.ts'
import { makeSignedPost } from '../../infrastructure/callbacks/signed-post.ts'
import type { Core } from '../core.ts'
import {
  makeMessageLimits,
  type MessageLimits,
} from '../../infrastructure/people/message-limits.ts'
import type { Log } from '../../infrastructure/logs/log.ts'
import type { Traceparent } from '../../application/tracing.ts'
import { nextTurn, pause, randomUUID, wallClock } from '../../application/machine.ts'

type Addressed = { readonly to: string; readonly text: string }

/** A message that the sandbox shows instead of sending it. */
type ShownMessage = Addressed & { readonly at: number }

const messagesShown = 1_000
/** Delays before the second and third attempts, in ms. */
const waits = [2_000, 10_000]

/** For the sandbox: shows messages through a route and in the log. */
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
    deliver: async (_: string, { to, text }: Addressed): Promise<boolean> => {
      show(to, text)
      return true
    },
    /** Newest first. */
    sentTo: (to: string | undefined): readonly ShownMessage[] =>
      shown.filter((message) => to === undefined || message.to === to).reverse(),
  }
}

/** Runs work that nobody waits for but a stop. */
const workUnderWay = (log: Log) => {
  const underWay = new Set<Promise<void>>()
  return {
    begin: (work: () => Promise<void>): void => {
      const one = work()
        .catch((error: unknown) => log.error({ error }, 'a message was not sent'))
        .finally(() => underWay.delete(one))
      underWay.add(one)
    },
    settled: async (): Promise<void> => {
      // Work may begin other work.
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}

type GatewayNeeds = {
  readonly url: string
  readonly log: Log
  readonly begin: ReturnType<typeof workUnderWay>['begin']
  readonly post: (id: string, uri: string, body: string, trace?: Traceparent) => Promise<SendResult>
}

/** Posts messages to the operator's gateway, signed like callbacks; at most three attempts. */
const sendToGateway = ({ url, log, begin, post }: GatewayNeeds) => {
  const stopping = new AbortController()
  const { signal } = stopping

  const attempt = async (id: string, body: string, trace?: Traceparent): Promise<void> => {
    for (const wait of [...waits, undefined]) {
      const { result, httpStatus, problem } = await post(id, url, body, trace)
      if (result === 'delivered' || signal.aborted) return
      const told = { message: id, status: httpStatus, problem }
      if (wait === undefined) return log.error(told, 'a message was not sent: look at MESSAGE_URL')
      log.warn(told, 'a message was not sent: it will be tried again')
      const isOver = await pause(wait, { signal }).then(
        () => true,
        () => false,
      )
      if (!isOver) return
    }
  }

  const send: SendMessage = (phone, text, trace) =>
    begin(() => attempt(randomUUID(), JSON.stringify({ to: `+${phone}`, text }), trace))
  const deliver = async (id: string, { to, text }: Addressed): Promise<boolean> => {
    const { result } = await post(id, url, JSON.stringify({ to, text }))
    return result === 'delivered'
  }
  return { send, deliver, stop: (): void => stopping.abort() }
}

export type Messages = {
  /** Undefined in production without MESSAGE_URL. */
  readonly send: SendMessage | undefined
  /** Sends once, to a number such as `+4799999901` or an e-mail address; whether it has arrived. */
  readonly deliver: ((id: string, message: Addressed) => Promise<boolean>) | undefined
  readonly limits: MessageLimits
  /** Runs work that composes and sends a message, after the response. */
  readonly afterAnswer: (work: () => Promise<void>) => void
  readonly sentTo: ReturnType<typeof showMessages>['sentTo']
  /** Resolves when all messages are sent or have failed. */
  readonly settled: () => Promise<void>
  readonly stop: () => void
}

/** How this service sends text messages (interface 12.2); without `sending`, to no gateway. */
export const openMessages = (
  { now, settings, log, securityLog }: Pick<Core, 'now' | 'settings' | 'log' | 'securityLog'>,
  sending: Omit<SendingNeeds, 'countAttempt'> | undefined,
): Messages => {
  const { MODE, MESSAGE_URL: url } = settings
  const { begin, settled } = workUnderWay(log)
  // The time that work takes reveals nothing.
  const afterAnswer = (work: () => Promise<void>): void => begin(() => nextTurn().then(work))
  const limits = makeMessageLimits({ log, securityLog, perHour: settings.MESSAGES_PER_HOUR })
  if (url !== undefined && sending) {
    const sender = makeCallbackSender({
      names: sending.wire.names,
      stringToSign: sending.wire.stringToSign,
      signer: sending.signer,
      machineNow: wallClock,
      signedPost: makeSignedPost({
        // The operator's own gateway may be on a private network.
        arePrivateAddressesAllowed: true,
        certificates: settings.CALLBACK_CA_FILE,
        otherCertificates: settings.NODE_EXTRA_CA_CERTS,
      }),
    })
    const post: GatewayNeeds['post'] = (id, uri, body, trace) =>
      sender.send(id, uri, body, [], undefined, trace)
    const { send, deliver, stop } = sendToGateway({ url, log, begin, post })
    const end = (): void => {
      stop()
      sender.close()
    }
    return { send, deliver, limits, afterAnswer, sentTo: () => [], settled, stop: end }
  }
  if (MODE === 'sandbox') {
    const { send, deliver, sentTo } = showMessages(log, now)
    return { send, deliver, limits, afterAnswer, sentTo, settled, stop: () => {} }
  }
  log.warn('nobody can prove a phone number: set MESSAGE_URL to the address of your gateway')
  return {
    send: undefined,
    deliver: undefined,
    limits,
    afterAnswer,
    sentTo: () => [],
    settled,
    stop: () => {},
  }
}
