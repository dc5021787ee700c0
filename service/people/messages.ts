import type { SendMessage } from '../../application/number-proofs.ts'
import { makeCallbackSender } from '../../infrastructure/callbacks/callback-sender.ts'
import type { SendingNeeds } from '../callbacks/logged-sending.ts'
import { makeSignedPost } from '../../infrastructure/callbacks/signed-post.ts'
import type { Core } from '../core.ts'
import {
  makeMessageLimits,
  type MessageLimits,
} from '../../infrastructure/people/message-limits.ts'
import { isMailServer, mailServer } from '../../infrastructure/people/mail-server.ts'
import type { Log } from '../../infrastructure/logs/log.ts'
import type { Traceparent } from '../../application/tracing.ts'
import { nextTurn, pause, randomUUID, wallClock } from '../../application/machine.ts'

/** `to` is a number such as `+4799999901`, or an e-mail address, which has a subject. */
type Addressed = { readonly to: string; readonly subject?: string; readonly text: string }

/** A message that the sandbox shows instead of sending it. */
type SandboxMessage = Omit<Addressed, 'subject'> & { readonly at: number }

type Sent = {
  readonly isDelivered: boolean
  readonly status: number | null
  readonly problem: string | null
}

/** Hands a message over once. */
type HandOver = (id: string, message: Addressed, trace?: Traceparent) => Promise<Sent>

const mostMessages = 1_000
/** Delays before the second and third attempts, in ms. */
const waits = [2_000, 10_000]

/** For the sandbox: shows messages through a route and in the log. */
const showMessages = (log: Log, now: () => number) => {
  const messages: SandboxMessage[] = []
  const show = (to: string, text: string): void => {
    messages.push({ to, text, at: now() })
    if (messages.length > mostMessages) messages.shift()
    log.info({ to, text }, 'a message')
  }
  return {
    handOver: (async (_, { to, text }) => {
      show(to, text)
      return { isDelivered: true, status: null, problem: null }
    }) satisfies HandOver,
    /** Newest first. */
    sentTo: (to: string | undefined): readonly SandboxMessage[] =>
      messages.filter((message) => to === undefined || message.to === to).reverse(),
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

/** How long a mail server that was not reached is left alone, so that nothing waits for it. */
const mailRestMs = 5_000

const byMailServer = ({ settings, now }: Pick<Core, 'settings' | 'now'>) => {
  const server = mailServer(settings)
  let failedAt = -Infinity
  const handOver: HandOver = async (id, { to, text, subject = text }) => {
    const since = now() - failedAt
    if (since >= 0 && since < mailRestMs)
      return { isDelivered: false, status: null, problem: 'the mail server failed a moment ago' }
    const problem = await server.send(id, { to, subject, text })
    if (problem?.status === null) failedAt = now()
    return { isDelivered: !problem, status: null, problem: null, ...problem }
  }
  return { handOver, close: server.close }
}

/** Sends in the background, at most three attempts. */
const sending = (
  { log, begin }: { readonly log: Log; readonly begin: ReturnType<typeof workUnderWay>['begin'] },
  signal: AbortSignal,
) => {
  const attempt = async (handOver: HandOver, message: Addressed, trace?: Traceparent) => {
    const id = randomUUID()
    for (const wait of [...waits, undefined]) {
      const { isDelivered, status, problem } = await handOver(id, message, trace)
      if (isDelivered || signal.aborted) return
      const details = { message: id, status, problem }
      const setting = message.to.includes('@') ? 'MAIL_URL' : 'MESSAGE_URL'
      if (wait === undefined)
        return log.error(details, `a message was not sent: look at ${setting}`)
      log.warn(details, 'a message was not sent: it will be tried again')
      const isOver = await pause(wait, { signal }).then(
        () => true,
        () => false,
      )
      if (!isOver) return
    }
  }
  return (handOver: HandOver | undefined): SendMessage | undefined =>
    handOver && ((to, text, trace) => begin(() => attempt(handOver, { to, text }, trace)))
}

type Sender = ReturnType<typeof makeCallbackSender>

/** The operator's gateways take what is posted to them, signed like callbacks. */
const byGateway =
  ({ send }: Pick<Sender, 'send'>, url: string): HandOver =>
  async (id, message, trace) => {
    const sent = await send(id, url, JSON.stringify(message), [], undefined, trace)
    const { result, httpStatus: status, problem } = sent
    return { isDelivered: result === 'delivered', status, problem }
  }

export type Messages = {
  /** Undefined in production without MESSAGE_URL. */
  readonly send: SendMessage | undefined
  /** The same to an e-mail address; undefined in production without MAIL_URL. */
  readonly sendMail: SendMessage | undefined
  /** Sends once; whether it has arrived. */
  readonly deliver: (id: string, message: Addressed) => Promise<boolean>
  readonly limits: MessageLimits
  /** Runs work that composes and sends a message, after the response. */
  readonly afterAnswer: (work: () => Promise<void>) => void
  readonly sentTo: ReturnType<typeof showMessages>['sentTo']
  /** Resolves when all messages are sent or have failed. */
  readonly settled: () => Promise<void>
  readonly stop: () => void
}

type Surroundings = Omit<SendingNeeds, 'countAttempt'>

const openSender = (settings: Core['settings'], { wire, signer }: Surroundings): Sender =>
  makeCallbackSender({
    names: wire.names,
    stringToSign: wire.stringToSign,
    signer,
    machineNow: wallClock,
    signedPost: makeSignedPost({
      // The operator's own gateway may be on a private network.
      arePrivateAddressesAllowed: true,
      certificates: settings.CALLBACK_CA_FILE,
      otherCertificates: settings.NODE_EXTRA_CA_CERTS,
    }),
  })

/**
 * How this service sends text messages and mails (interface 12.2); without `surroundings`, to no
 * gateway.
 */
export const openMessages = (
  core: Pick<Core, 'now' | 'settings' | 'log' | 'securityLog'>,
  surroundings: Surroundings | undefined,
): Messages => {
  const { now, settings, log, securityLog } = core
  const { MODE, MESSAGE_URL, MAIL_URL } = settings
  const { begin, settled } = workUnderWay(log)
  const stopping = new AbortController()
  const sandboxMessages = showMessages(log, now)
  const otherwise = MODE === 'sandbox' ? sandboxMessages.handOver : undefined
  const mails = isMailServer(MAIL_URL) ? byMailServer(core) : undefined
  const urls = [MESSAGE_URL, mails ? undefined : MAIL_URL]
  const hasGateway = surroundings && urls.some((url) => url !== undefined)
  const sender = hasGateway ? openSender(settings, surroundings) : undefined
  const [byText, byMail] = urls.map((url) =>
    sender && url !== undefined ? byGateway(sender, url) : otherwise,
  )
  const handOver = (to: string) => (to.includes('@') ? (mails?.handOver ?? byMail) : byText)
  const sendBy = sending({ log, begin }, stopping.signal)
  const sendText = sendBy(byText)
  if (!sendText)
    log.warn('nobody can prove a phone number: set MESSAGE_URL to the address of your gateway')
  return {
    send: sendText && ((phone, ...message) => sendText(`+${phone}`, ...message)),
    sendMail: sendBy(handOver('@')),
    deliver: async (id, message) =>
      (await handOver(message.to)?.(id, message))?.isDelivered ?? false,
    limits: makeMessageLimits({ log, securityLog, perHour: settings.MESSAGES_PER_HOUR }),
    // The time that work takes reveals nothing.
    afterAnswer: (work) => begin(() => nextTurn().then(work)),
    sentTo: sandboxMessages.sentTo,
    settled,
    stop: () => {
      stopping.abort()
      sender?.close()
      mails?.close()
    },
  }
}
