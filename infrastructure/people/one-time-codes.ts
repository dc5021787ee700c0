import { Secret, TOTP } from 'otpauth'
import { isNewPin } from '../../domain/people/payer.ts'
import { randomBytes, randomInt, aside } from '../../application/machine.ts'
import { calculateJwkThumbprint, EmbeddedJWK, errors, jwtVerify, type JWK } from 'jose'
import { proofAlgorithms } from '../../application/tokens.ts'
import { sha256 } from './id-tokens.ts'
import type { UsedOnce } from './used-once.ts'

/** How far a proof's time may differ from the machine's. */
const toleranceSeconds = 60

type DpopRequest = { readonly method: string; readonly url: string; readonly accessToken?: string }

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
    { method, url, accessToken }: DpopRequest,
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

const periodMs = 30_000

const totp = (secret: string, phone = ''): TOTP =>
  new TOTP({ issuer: 'daybook', label: phone, secret: Secret.fromBase32(secret) })

/** 160 random bits in base32. */
const newSecret = (size: number): string =>
  new Secret({ buffer: Uint8Array.from(randomBytes(size)).buffer }).base32

export const newCodeSecret = (): string => newSecret(20)

/** The content of the QR code for authenticator apps. */
export const codeUri = (secret: string, phone: string): string => totp(secret, phone).toString()

export const codeAt = (secret: string, machine: number): string =>
  totp(secret).generate({ timestamp: machine })

/** Checks one-time codes (RFC 6238) against the machine's clock, as authenticator apps do. */
export const makeCodeCheck =
  (machineNow: () => number) =>
  (secret: string, code: string): number | null => {
    if (!/^\d{6}$/.test(code)) return null
    const timestamp = machineNow()
    const delta = totp(secret).validate({ token: code, timestamp, window: 1 })
    return delta === null ? null : Math.floor(timestamp / periodMs) + delta
  }

const recoveryCodeCount = 10

/** Each 80 random bits in base32, in groups of four. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodeCount }, () =>
    (newSecret(10).toLowerCase().match(/.{4}/g) ?? []).join('-'),
  )

/** Six random digits that a payer would be allowed to choose. */
export const newPin = (draw: () => number = () => randomInt(1_000_000)): string => {
  let pin = ''
  while (!isNewPin(pin)) pin = String(draw()).padStart(6, '0')
  return pin
}
