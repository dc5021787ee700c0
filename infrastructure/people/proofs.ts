import { calculateJwkThumbprint, EmbeddedJWK, errors, jwtVerify, type JWK } from 'jose'
import { proofAlgorithms } from '../../application/tokens.ts'
import { aside } from '../../application/machine.ts'
import { sha256 } from './tokens.ts'
import type { UsedOnce } from './used-once.ts'

/** How far a proof's time may differ from the machine's. */
const toleranceSeconds = 60

type Asked = { readonly method: string; readonly url: string; readonly accessToken?: string }

/** Query and fragment are ignored (RFC 9449, 4.2). */
const withoutQuery = (text: string): string | undefined => {
  if (!URL.canParse(text)) return undefined
  const { origin, pathname } = new URL(text)
  return origin + pathname
}

/**
 * Checks DPoP proofs (RFC 9449, 4.3). Each can be used once across all nodes. Uses the machine's
 * clock, which the sandbox does not move.
 */
export const makeProofCheck = (
  machineNow: () => number,
  { isFirst }: Pick<UsedOnce, 'isFirst'>,
) => {
  const options = { typ: 'dpop+jwt', algorithms: [...proofAlgorithms] }

  const verified = async (proof: string) => {
    const currentDate = new Date(machineNow())
    const { payload, protectedHeader } = await aside(() =>
      jwtVerify(proof, EmbeddedJWK, { ...options, currentDate }),
    )
    return { payload, jkt: await aside(() => calculateJwkThumbprint(protectedHeader.jwk as JWK)) }
  }

  return async (
    proof: string,
    { method, url, accessToken }: Asked,
  ): Promise<{ readonly jkt: string } | { readonly problem: string }> => {
    const known = await verified(proof).catch((error: unknown) => {
      if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
      throw error
    })
    if (!known) return { problem: 'The DPoP proof is malformed, or its signature is wrong.' }
    const { payload, jkt } = known
    const { htm, htu, iat, jti, ath } = payload
    if (htm !== method) return { problem: 'The DPoP proof is for another method.' }
    if (typeof htu !== 'string' || withoutQuery(htu) !== withoutQuery(url))
      return { problem: 'The DPoP proof is for another URL.' }
    const now = machineNow()
    const seconds = now / 1000
    if (typeof iat !== 'number' || Math.abs(seconds - iat) > toleranceSeconds)
      return { problem: 'The DPoP proof is stale: too far from the real time.' }
    if (accessToken !== undefined && ath !== sha256(accessToken))
      return { problem: 'The DPoP proof is for another access token.' }
    if (typeof jti !== 'string' || jti === '') return { problem: 'The DPoP proof has no jti.' }
    const until = now + 2 * toleranceSeconds * 1000
    const isNew = await isFirst(`proof ${jkt} ${jti}`, now, until)
    return isNew ? { jkt } : { problem: 'The DPoP proof has been used.' }
  }
}
