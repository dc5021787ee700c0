/** Algorithms of DPoP proofs (RFC 9449, 5.1). */
export const proofAlgorithms = ['ES256', 'ES384', 'Ed25519', 'EdDSA', 'PS256', 'RS256'] as const
