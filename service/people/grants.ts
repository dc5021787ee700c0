import type { Position } from '../../application/event-store.ts'
import { findProfile } from '../../application/people.ts'
import { merchantViews } from '../../application/merchant-views.ts'
import { showTokens } from '../../application/show-tokens.ts'
import type { Core } from '../core.ts'
import { addIdTokenKey, makeIdTokens } from '../../infrastructure/people/id-tokens.ts'

/** ID tokens and payers' grants, for the authorization server and for outcomes. */
export const openGranted = async (core: Core, issuer = core.publicUrl) => {
  const { find, handle, newId, machineTime } = core
  const { vault, tokens, derive, payerDirectory: directory } = core
  if (vault.secrets('id_token_key:').length === 0) await addIdTokenKey(vault, () => 0)
  const { sign: signIdToken, published, subjectOf } = makeIdTokens(vault, issuer, machineTime)
  const profileOf = findProfile({ find, people: vault })
  const subject = (payer: string, merchant: string) => derive('subject', payer, merchant)
  const show = showTokens({ tokens, findProfile: profileOf, subjectOf: subject, signIdToken })
  return {
    views: merchantViews({
      find,
      findNow: find,
      showCustomer: directory.show,
      showTokens: show,
      recording: { handle, newId, isShared: core.settings.EVENT_STORE !== 'sqlite' },
    }),
    /** As of a position of the log; a payer erased since stays erased. */
    viewsAsOf: (log: Pick<Core, 'find'>, position: Position, showCustomer: typeof directory.show) =>
      merchantViews({
        find: log.find,
        findNow: find,
        showCustomer,
        showTokens: (granted, at) => show(granted, at, position),
      }),
    findProfile: profileOf,
    subjectOf: subject,
    showTokens: show,
    issuer,
    publishedKeys: published,
    subjectOfIdToken: subjectOf,
  }
}
export type Granted = Awaited<ReturnType<typeof openGranted>>
