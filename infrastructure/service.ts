import { randomUUID } from 'node:crypto'
import { merchants, users } from '../domain/aggregates.ts'
import { acceptPayment } from '../application/answer-payment.ts'
import type { FundingSource } from '../application/funding.ts'
import { informFunding } from '../application/inform-funding.ts'
import { answerPermission, requestPermission } from '../application/permissions.ts'
import { requestPayment } from '../application/request-payment.ts'
import type { Message, QueuedMessage } from '../domain/callback.ts'
import { within } from '../domain/stream.ts'
import { trustingAlso } from './callbacks/authorities.ts'
import { makeCallbackSender, type SendResult } from './callbacks/callback-sender.ts'
import { secretsOfMerchants } from './callbacks/merchant-secrets.ts'
import { makeResolve } from './callbacks/name-resolution.ts'
import { callbackKeysIn, signerIn } from './callbacks/own-signer.ts'
import type { Core } from './core.ts'
import { contentDigest, makeSignatureCheck, publishedKey, readPublicKey } from './keys.ts'
import { makeLive } from './live.ts'
import type { Log } from './log.ts'
import { makeMerchantSide } from './merchant-side.ts'
import { makeMetrics } from './metrics.ts'
import { isNetmask, isWithin } from './networks.ts'
import type { AuthorizationServer } from './people/authorization-server.ts'
import { makePayerSide } from './people/payer-side.ts'
import { hashSecret, makeSecretCheck } from './people/secrets.ts'
import { makeProcesses } from './processes.ts'
import { makeReadiness } from './readiness.ts'
import { makeSandboxSide } from './sandbox-side.ts'
import type { Settings } from './settings.ts'

/** What the wire form of callbacks is made with; the wire belongs to `http`. */
export type CallbackWire = {
  readonly message: (message: Message, uri: string) => Promise<string>
} & Pick<Parameters<typeof makeCallbackSender>[0], 'names' | 'stringToSign'>

type MerchantEntry = typeof merchants.decider.initial
type UserEntry = typeof users.decider.initial

const userOf = (shop: MerchantEntry, user: UserEntry) => {
  if (shop.status !== 'present' || user.status !== 'present') return undefined
  const disabled = (shop.isDisabled && 'merchant') || (user.isDisabled && 'user') || undefined
  return { user: user.data, merchantNetmask: shop.data.netmask, disabled } as const
}

/** The path of an address may hold a token of the receiver: only its host is logged. */
const logUndelivered = (
  log: Log,
  { id, event }: QueuedMessage,
  uri: string,
  { result, httpStatus, problem }: SendResult,
): void => {
  const { host } = new URL(uri)
  const told = { callback: id, event, host, result, status: httpStatus, problem }
  log.info(told, 'a callback was not delivered')
}

/** The running service: what its routes need, and the processes that work beside the requests. */
export const startService = async (
  core: Core,
  settings: Settings,
  log: Log,
  wire: CallbackWire,
  server: AuthorizationServer,
  funding: FundingSource,
  callbackKeys = callbackKeysIn(settings.DATA_DIR),
) => {
  const { handle, find, readModels } = core
  const { caughtUp } = readModels
  const signer = await signerIn(core, settings.DATA_DIR, Date.now, callbackKeys)
  const { tokens } = core.people
  const isSandbox = settings.MODE === 'sandbox'
  const privateCallbacks = settings.PRIVATE_CALLBACKS ?? (isSandbox ? 'allow' : 'refuse')
  const sender = makeCallbackSender({
    ...wire,
    signer,
    machineNow: Date.now,
    resolve: makeResolve(),
    arePrivateAddressesAllowed: privateCallbacks === 'allow',
    secureContext: trustingAlso(settings.CALLBACK_CA_FILE, settings.NODE_EXTRA_CA_CERTS),
  })
  const findCallbackSecrets = secretsOfMerchants({ find, derive: core.people.derive })
  const metrics = makeMetrics({
    mode: settings.MODE,
    eventCounts: core.eventCounts,
    directory: settings.DATA_DIR,
    progress: readModels.progress,
    storesWork: core.storesWork,
    queued: core.callbacks.queue.unfinishedCount,
    trialBalance: core.accounting.journal.trialBalance,
  })
  const side = makeMerchantSide(core)
  const { identify } = side
  const processes = makeProcesses({
    core,
    settings,
    log,
    matchScans: side.scanMatching.work,
    informFunding:
      funding.movements &&
      (await informFunding({
        store: core.store,
        handle,
        find,
        movements: funding.movements,
        context: () => core.contextOf('daybook'),
        outageOf: core.outagesOf('telling the funding'),
      })),
    sendCallback: async (message, uri, merchant) => {
      const text = await wire.message(message, uri)
      const secrets = merchant === null ? [] : await findCallbackSecrets(merchant, core.now())
      const signing = secrets.map(({ secret }) => secret)
      const answer = await sender.send(message.id, uri, text, signing)
      metrics.countAttempt(answer.result)
      if (answer.result !== 'delivered') logUndelivered(log, message, uri, answer)
      return answer
    },
  })

  const accept = acceptPayment({ handle, find, funding, tokens })
  const answers = answerPermission({ handle, find, tokens, findTerms: core.accounting.findTerms })
  const live = makeLive()
  core.onFolded(live.onFolded)
  const verifySecret = makeSecretCheck(Date.now)
  return {
    access: {
      recallUser: (merchant: string, id: string) => {
        const shop = core.recall(merchants, merchant)
        const user = core.recall(users, within(merchant, id))
        return shop && user && userOf(shop, user)
      },
      findUser: async (merchant: string, id: string) =>
        userOf(
          await find(merchants, merchant, 'log'),
          await find(users, within(merchant, id), 'log'),
        ),
      ...side.access,
      verifySecret,
      verifySignature: makeSignatureCheck(signer.rsaPem),
      contentDigest,
      isWithin,
      machineNow: Date.now,
      clockToleranceMs: settings.CLOCK_TOLERANCE_SECONDS * 1000,
    },
    routes: {
      handle,
      find,
      caughtUp,
      pointsOfSale: core.merchants.pointsOfSale,
      users: core.merchants.users,
      findOutcome: server.views.findOutcome,
      findRequested: server.views.findRequested,
      findPermission: server.views.findPermission,
      ledgers: core.accounting.ledgers,
      reports: core.accounting.reports,
      reportHolding: core.accounting.reportHolding,
      settlements: core.accounting.settlements,
      settlementAccounts: core.accounting.settlementAccounts,
      readLog: processes.accounting.readLog,
      newId: randomUUID,
      findTerms: core.accounting.findTerms,
      hashSecret,
      verifySecret,
      readPublicKey,
      isNetmask,
      requestPayment: requestPayment({
        handle,
        find,
        tidOf: core.payments.tidOf,
        identify,
        awaitScan: side.scanMatching.awaitScan,
      }),
      requestPermission: requestPermission({
        handle,
        find,
        ridOf: core.people.ridOf,
        identify,
      }),
      ...side.routes,
      ...makePayerSide(core, settings, server),
      scanShortlink: side.scanShortlink,
      acceptPayment: accept,
      ...answers,
      watch: live.watch,
      ready: makeReadiness(core, processes),
      metrics: metrics.text,
      findCallbackSecrets,
      callbackKeyPem: signer.rsaPem,
      callbackKeys: async () => {
        await caughtUp()
        return core.callbacks.signingKeys.all().map(({ data }) => publishedKey(data))
      },
      sandbox: isSandbox
        ? {
            ...makeSandboxSide(core, processes),
            acceptPayment: accept,
            ...answers,
            scanShortlink: side.scanShortlink,
          }
        : undefined,
    },
    observe: metrics.observeRequest,
    /** Ends what would keep connections open. */
    endStreams: live.end,
    begin: processes.begin,
    stop: async (): Promise<void> => {
      await processes.stop()
      sender.close()
    },
  }
}
