import type { Message, QueuedMessage } from '../../domain/callback.ts'
import { receivedId } from '../../domain/callback-names.ts'
import { channelOf } from '../../domain/merchant/channel.ts'
import { keyOfAddress, secretIdOf } from '../../domain/merchant/event-destination.ts'
import type { Core } from '../core.ts'
import type { Traceparent } from '../../application/tracing.ts'
import type { Where } from '../../infrastructure/worker.ts'
import type { Signer } from '../../infrastructure/keys/keys.ts'
import type { Log } from '../../infrastructure/logs/log.ts'
import {
  makeCallbackSender,
  type SendResult,
  signedPostInWorker,
} from '../../infrastructure/callbacks/callback-sender.ts'
import {
  type FindCallbackSecrets,
  makeSignedPost,
  type SignedPost,
} from '../../infrastructure/callbacks/signed-post.ts'
import { wallClock } from '../../application/machine.ts'
import type { CountAttempt } from '../metrics/counters.ts'

type Worded = { readonly text: string; readonly traceparent: Traceparent | undefined }

/** The wire format of callbacks, which belongs to `http`. */
export type CallbackWire = {
  readonly message: (message: Message, uri: string) => Promise<string>
  readonly tell: (message: Message, uri: string) => Promise<Worded>
} & Pick<Parameters<typeof makeCallbackSender>[0], 'names' | 'stringToSign'>

/** An address's path may contain a token of the receiver, so only the host is logged. */
const logUndelivered = (
  log: Log,
  { id, event }: QueuedMessage,
  uri: string,
  { result, httpStatus, problem }: SendResult,
): void => {
  const { host } = new URL(uri)
  const details = { callback: id, event, host, result, status: httpStatus, problem }
  log.info(details, 'a callback was not delivered')
}

const removed: SendResult = {
  result: 'gone',
  httpStatus: null,
  problem: 'the event destination was removed',
  durationMs: 0,
}

/** Who gets the messages of an address, and whose secrets sign them. */
const receivers =
  ({ findByKey }: Pick<Core['callbacks']['eventDestinations'], 'findByKey'>) =>
  (address: string, merchant: string | null) => {
    const key = keyOfAddress(address)
    if (key === undefined) return { uri: address, secretId: merchant }
    const found = findByKey(merchant ?? '', key)
    if (!found) return undefined
    return { uri: found.uri, secretId: found.signature === 'hmac' ? secretIdOf(key) : merchant }
  }

export type SendingNeeds = {
  readonly wire: CallbackWire
  readonly signer: Signer
  readonly countAttempt: CountAttempt
  /** By default over the network. */
  readonly signedPost?: SignedPost | undefined
}

/** Sends messages as configured, counts attempts, and logs failures. */
export const loggedSending = (
  {
    now,
    settings,
    log,
    callbacks,
    merchantRequests,
  }: Pick<Core, 'now' | 'settings' | 'log' | 'callbacks' | 'merchantRequests'>,
  beside: Where,
  findSecrets: FindCallbackSecrets,
  { wire, signer, countAttempt, signedPost }: SendingNeeds,
) => {
  const privateCallbacks = settings.MODE === 'sandbox' ? 'allow' : 'refuse'
  const options = {
    arePrivateAddressesAllowed: (settings.PRIVATE_CALLBACKS ?? privateCallbacks) === 'allow',
    certificates: settings.CALLBACK_CA_FILE,
    otherCertificates: settings.NODE_EXTRA_CA_CERTS,
  }
  const { send, close } = makeCallbackSender({
    names: wire.names,
    stringToSign: wire.stringToSign,
    signer,
    machineNow: wallClock,
    signedPost:
      signedPost ?? (beside === 'worker' ? signedPostInWorker(options) : makeSignedPost(options)),
  })
  const receiverAt = receivers(callbacks.eventDestinations)
  return {
    close,
    send: async (
      message: QueuedMessage,
      address: string,
      merchant: string | null,
      leftMs: () => number = () => Infinity,
    ): Promise<SendResult> => {
      const receiver = receiverAt(address, merchant)
      if (!receiver) return removed
      const { uri, secretId } = receiver
      if (channelOf(uri) !== undefined) {
        // Channels publish the recorded attempt, on every node.
        countAttempt('delivered', 0, merchant)
        return { result: 'delivered', httpStatus: null, problem: null, durationMs: 0 }
      }
      const { text, traceparent } = await wire.tell(message, uri)
      const secrets = secretId === null ? [] : await findSecrets(secretId, now())
      const signing = secrets.map(({ secret }) => secret)
      const id = receivedId(message.id)
      const sent = await send(id, uri, text, signing, leftMs, traceparent)
      // Not for the log of events: a receiver may answer with what it knows of a person.
      const { beginning = '', ...answer } = sent
      if (merchant !== null && beginning !== '' && answer.httpStatus !== null) {
        const about = { merchant, callback: message.id, status: answer.httpStatus }
        merchantRequests.onDelivered({ ...about, answer: beginning })
      }
      countAttempt(answer.result, answer.durationMs, merchant)
      if (answer.result !== 'delivered') logUndelivered(log, message, uri, answer)
      return answer
    },
  }
}
