import { checkPrimeSync, createHash, createPrivateKey, sign, type KeyObject } from 'node:crypto'
import { randomBytes } from '../application/machine.ts'
import { readAndTry, type SlowCrypto } from '../infrastructure/keys/slow-crypto.ts'
import { randomFrom, type Random } from './random.ts'

const bytesFrom = (random: Random, count: number): Buffer =>
  Buffer.from(Array.from({ length: count }, () => Math.floor(random() * 256)))

const numberOf = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`)

const smallPrimes = Array.from({ length: 2_000 }, (_, at) => at + 3).filter((number) =>
  Array.from({ length: 45 }, (_, at) => at + 2).every((by) => by === number || number % by !== 0),
)

/** The next prime after a drawn number of 1024 bits, whose two highest are set. */
const primeFrom = (random: Random): bigint => {
  const bytes = bytesFrom(random, 128)
  bytes[0] = (bytes[0] ?? 0) | 0xc0
  bytes[127] = (bytes[127] ?? 0) | 1
  const from = numberOf(bytes)
  const rests = smallPrimes.map((prime) => Number(from % BigInt(prime)))
  for (let more = 0; ; more += 2) {
    if (rests.some((rest, at) => (rest + more) % (smallPrimes[at] ?? 1) === 0)) continue
    const number = from + BigInt(more)
    if (number % 65_537n !== 1n && checkPrimeSync(number, { checks: 8 })) return number
  }
}

/** By the extended algorithm of Euclid. */
const inverse = (value: bigint, modulus: bigint): bigint => {
  let [low, high, a, b] = [value % modulus, modulus, 1n, 0n]
  while (low > 1n) {
    const times = high / low
    ;[low, high] = [high - times * low, low]
    ;[a, b] = [b - times * a, a]
  }
  return a < 0n ? a + modulus : a
}

const textOf = (number: bigint): string => {
  const hex = number.toString(16)
  return Buffer.from(hex.length % 2 === 1 ? `0${hex}` : hex, 'hex').toString('base64url')
}

const rsaFrom = (random: Random): KeyObject => {
  const [p, q, e] = [primeFrom(random), primeFrom(random), 65_537n]
  const d = inverse(e, (p - 1n) * (q - 1n))
  const [dp, dq, qi] = [d % (p - 1n), d % (q - 1n), inverse(q, p)]
  const parts = Object.entries({ n: p * q, e, d, p, q, dp, dq, qi })
  const members = Object.fromEntries(parts.map(([name, part]) => [name, textOf(part)]))
  return createPrivateKey({ key: { kty: 'RSA', ...members }, format: 'jwk' })
}

/** PKCS #8 of an Ed25519 key (RFC 8410) is this and the 32 bytes of its seed. */
const ed25519Head = Buffer.from('302e020100300506032b657004220420', 'hex')

const ed25519From = (random: Random): KeyObject => {
  const key = Buffer.concat([ed25519Head, bytesFrom(random, 32)])
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}

const made = new Map<string, KeyObject>()
const read = new Map<string, ReturnType<typeof readAndTry>>()

/** The same keys in the same order for each world; a fast hash in the place of a slow one. */
export const simulatedCrypto = (): SlowCrypto => {
  let count = 0
  const hashed = (salt: string, secret: string): string =>
    `$simulated$${salt}$${createHash('sha256').update(`${salt} ${secret}`).digest('hex')}`
  return {
    makePrivateKey: async (type) => {
      const name = `${type} ${(count += 1)}`
      const key =
        made.get(name) ?? (type === 'rsa' ? rsaFrom : ed25519From)(randomFrom(count, 0x6b6579))
      made.set(name, key)
      return key
    },
    readPrivateKey: (pem) => {
      const known = read.get(pem) ?? readAndTry(pem)
      read.set(pem, known)
      return known
    },
    signRsa: async (text, key) => sign('sha256', text, key),
    hashSlowly: async (secret) => hashed(randomBytes(8).toString('hex'), secret),
    verifySlowly: async (slowHash, secret) =>
      hashed(slowHash.split('$')[2] ?? '', secret) === slowHash,
  }
}
