import type { Call } from '../call.ts'
import { OAuthError } from './reply.ts'

export type ProofNeeds = {
  /** The thumbprint of the key that signed the proof, or what is wrong with it. */
  readonly checkProof: (
    proof: string,
    request: {
      readonly method: string
      readonly url: string
      /** Of a request with a token, which the proof must name. */
      readonly accessToken?: string
    },
  ) => Promise<{ readonly jkt: string } | { readonly problem: string }>
}

export const proofHeader = ({ request }: Call): string | undefined => request.header('dpop')

/**
 * The thumbprint of the key that a token request proves; undefined without a proof.
 * @throws OAuthError
 */
export const provedKey = async (
  { checkProof }: ProofNeeds,
  call: Call,
): Promise<string | undefined> => {
  const proof = proofHeader(call)
  if (proof === undefined) return undefined
  const { method, url } = call.request
  const checked = await checkProof(proof, { method, url: url() })
  if ('problem' in checked) throw new OAuthError('invalid_dpop_proof', checked.problem)
  return checked.jkt
}
