import { findProfile } from '../../application/people.ts'
import { merchantViews } from '../../application/merchant-views.ts'
import { showTokens } from '../../application/show-tokens.ts'
import type { Core } from '../core.ts'
import { addIdTokenKey, makeIdTokens } from './id-tokens.ts'

/** What the authorization server and the outcomes have in common: ID tokens, and tokens shown again. */
export const makeAuthorizationServer = async (core: Core, issuer: () => string) => {
  const {
    find,
    people: { vault, tokens, derive },
  } = core
  if (vault.secrets('id_token_key:').length === 0) await addIdTokenKey(vault, () => 0)
  const idTokens = makeIdTokens(vault, issuer, core.machineTime)
  const profileOf = findProfile({ find, people: vault })
  const subjectOf = (payer: string, merchant: string) => derive('subject', payer, merchant)
  const show = showTokens({
    tokens,
    findProfile: profileOf,
    subjectOf,
    signIdToken: idTokens.sign,
  })
  return {
    issuer,
    idTokens,
    findProfile: profileOf,
    subjectOf,
    showTokens: show,
    views: merchantViews({ find, showCustomer: core.people.payers.show, showTokens: show }),
  }
}

export type AuthorizationServer = Awaited<ReturnType<typeof makeAuthorizationServer>>
