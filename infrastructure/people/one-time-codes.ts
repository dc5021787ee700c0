import { Secret, TOTP } from 'otpauth'
import { isNewPin } from '../../domain/people/payer.ts'
import { randomInt } from '../../application/machine.ts'

const periodMs = 30_000

const totp = (secret: string, phone = ''): TOTP =>
  new TOTP({ issuer: 'daybook', label: phone, secret: Secret.fromBase32(secret) })

/** 160 random bits in base32. */
export const newCodeSecret = (): string => new Secret({ size: 20 }).base32

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
    (new Secret({ size: 10 }).base32.toLowerCase().match(/.{4}/g) ?? []).join('-'),
  )

/** Six random digits that a payer would be allowed to choose. */
export const newPin = (draw: () => number = () => randomInt(1_000_000)): string => {
  let pin = ''
  while (!isNewPin(pin)) pin = String(draw()).padStart(6, '0')
  return pin
}
