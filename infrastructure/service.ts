import { randomUUID } from 'node:crypto'
import type { FundingSource } from '../application/funding.ts'
import { runBackgroundWork } from './background-work.ts'
import type { CallbackWire } from './callbacks/logged-sending.ts'
import { accessOf } from './callers.ts'
import type { Core } from './core.ts'
import type { Signer } from './keys.ts'
import { makeLive } from './live.ts'
import type { Log } from './log.ts'
import { makeMetrics } from './metrics.ts'
import { openMessages } from './people/messages.ts'
import { makeSecretCheck } from './people/secrets.ts'
import { qrImage } from './qr-image.ts'
import { makeReadiness } from './readiness.ts'
import type { Settings } from './settings.ts'
import { shopsOf } from './shops.ts'
import { accountingSlice } from './slices/accounting.ts'
import { callbackSlice } from './slices/callbacks.ts'
import { merchantSlice } from './slices/merchants.ts'
import { paymentSlice } from './slices/payments.ts'
import { peopleSlice, type Granted } from './slices/people.ts'
import { sandboxSlice } from './slices/sandbox.ts'

export type ServiceParts = {
  readonly settings: Settings
  readonly log: Log
  readonly wire: CallbackWire
  readonly signer: Signer
  readonly funding: FundingSource
  readonly granted: Granted
  readonly listenerCount: () => number
}

/** The slices, made of their needs and of one another. */
export const composeSlices = async (
  core: Core,
  { granted, ...parts }: ServiceParts & { readonly countAttempt: (result: string) => void },
) => {
  const merchants = merchantSlice(core)
  const payments = await paymentSlice(core, parts.funding, merchants, granted.views)
  const messages = openMessages(core, parts)
  const people = peopleSlice(core, { ...parts, messages }, merchants, payments, granted)
  const accounting = accountingSlice(core, parts.settings)
  const callbacks = callbackSlice(core, parts)
  return { payments, people, accounting, merchants, callbacks }
}

/** The running service: what its routes need, and its work beside the requests. */
export const composeService = async (core: Core, parts: ServiceParts) => {
  const { settings, log } = parts
  const { handle, find, now, readModels } = core
  const metrics = makeMetrics({ ...core, settings, listenerCount: parts.listenerCount })
  const slices = await composeSlices(core, { ...parts, countAttempt: metrics.countAttempt })
  const { payments, people, accounting, merchants, callbacks } = slices
  const work = Object.values(slices).flatMap((slice) => slice.work)
  const background = runBackgroundWork({ core, settings, log, work })
  const live = makeLive()
  core.onFolded(live.onFolded)
  const verifySecret = makeSecretCheck(Date.now)
  const access = { ...accessOf(core, settings, parts.signer), verifySecret }
  const { guardGuesses, securityLog } = access
  return {
    access,
    /** What routes of several slices need. */
    shared: {
      ...core.people.tokens,
      ...{ handle, find, now, verifySecret, guardGuesses, securityLog, qrImage },
      caughtUp: readModels.caughtUp,
      newId: randomUUID,
      reportHolding: core.accounting.reportHolding,
      shopName: shopsOf(core).shopName,
      watch: live.watch,
    },
    needs: {
      payments: payments.needs,
      accounting: accounting.needs,
      merchants: merchants.needs,
      people: people.needs,
      callbacks: callbacks.needs,
      service: {
        ready: makeReadiness(core, background),
        metrics: metrics.text,
        securityContact: settings.SECURITY_CONTACT,
        machineNow: Date.now,
      },
      sandbox: {
        ...sandboxSlice(core, background.settle),
        ...people.answers,
        sentTo: people.sentTo,
        acceptPayment: payments.acceptPayment,
        settleNow: accounting.settleNow,
        scanShortlink: merchants.scanShortlink,
        sendTestCallback: callbacks.sendTest,
      },
    },
    metrics: metrics.text,
    observe: metrics.observeRequest,
    /** Ends what would keep connections open. */
    endStreams: (): void => {
      live.end()
      callbacks.endStreams()
    },
    begin: background.begin,
    stop: background.stop,
  }
}

export type Service = Awaited<ReturnType<typeof composeService>>
