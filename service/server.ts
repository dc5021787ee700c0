import { answersBeforeStore } from '../http/service.ts'
import { openApi } from '../http/openapi.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { addedMessage } from '../web/operator/people.tsx'
import { aboutOf, type About } from './about.ts'
import { callbackWire, linksWith } from './callback-wire.ts'
import { signerIn } from './callbacks/own-signer.ts'
import type { Core } from './core.ts'
import { openMessages } from './people/messages.ts'
import { allRoutes, type RouteNeeds } from './routes.ts'
import { randomUUID, wallClock } from '../application/machine.ts'

export { textOfRefusal } from '../http/refusal-answers.ts'

export { openService } from './answer.ts'

export { callbackWire } from './callback-wire.ts'

/** For the time before `openService` can reach the store. */
export const answersWhileWaiting = (settings: Settings) => {
  const { names, isSecure } = aboutOf(settings)
  return answersBeforeStore({ names, isSecure, newId: randomUUID })
}

/** Sends messages for the operator's commands, beside a running service. */
export const messagesBeside = async (core: Core) => {
  const { MESSAGE_URL, DATA_DIR } = core.settings
  // Only a gateway needs signatures.
  const sending = MESSAGE_URL !== undefined && {
    wire: await callbackWire(core),
    signer: await signerIn(core, DATA_DIR, wallClock),
  }
  const { send, sentTo, settled, stop } = openMessages(core, sending || undefined)
  return { send, sentTo, settled, stop, addedMessage: addedMessage('en', linksWith(core)) }
}

/** Routes are made to be described, and never called: what they call is left out. */
const describedNeeds = (about: About): RouteNeeds => {
  const needs = {
    names: about.names,
    version: about.version,
    publicUrl: about.publicUrl,
    isSandbox: about.isSandbox,
    isSecure: about.isSecure,
    footer: about.footer,
    readAsset: about.readAsset,
    renderMarkdown: about.renderMarkdown,
    signExample: about.signExample,
    // Pages of a sandbox are described of any service.
    simulator: {},
  }
  return {
    asOf: needs,
    accounting: needs,
    merchants: needs,
    payments: needs,
    people: needs,
    transparency: needs,
    callbacks: needs,
    payers: needs,
    service: needs,
    portal: needs,
    operator: needs,
    audit: needs,
    sandbox: needs,
  } as unknown as RouteNeeds
}

/** The OpenAPI document, without a running service. */
export const described = (settings: Settings): object => {
  const about = aboutOf(settings)
  return openApi(allRoutes(describedNeeds(about)), about)
}
