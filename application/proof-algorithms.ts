/** Algorithms of the proofs by which a client shows that it has a key (RFC 9449, 5.1). */
export const proofAlgorithms = ['ES256', 'ES384', 'Ed25519', 'EdDSA', 'PS256', 'RS256'] as const
