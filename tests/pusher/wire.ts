// A client's WebSocket frames, valid or not.
import fc from 'fast-check'

/** A WebSocket frame, valid or not. */
type Wire = {
  readonly opcode: number
  readonly isLast: boolean
  readonly reserved: number
  readonly isMasked: boolean
  readonly payload: Buffer
  /** Sent instead of the payload's length. */
  readonly lie: bigint | undefined
}

const lengthOf = (length: bigint, isMasked: boolean): Buffer => {
  const mask = isMasked ? 128 : 0
  if (length < 126n) return Buffer.from([mask | Number(length)])
  if (length < 65_536n)
    return Buffer.from([mask | 126, Number(length >> 8n), Number(length & 255n)])
  const long = Buffer.alloc(9)
  long[0] = mask | 127
  long.writeBigUInt64BE(length, 1)
  return long
}

/** The masking key is 0, so the payload is unchanged. */
export const bytesOf = ({ opcode, isLast, reserved, isMasked, payload, lie }: Wire): Buffer => {
  const head = Buffer.from([(isLast ? 128 : 0) | (reserved << 4) | opcode])
  const length = lengthOf(lie ?? BigInt(payload.length), isMasked)
  return Buffer.concat([head, length, Buffer.alloc(isMasked ? 4 : 0), payload])
}

export const frameOf = (text: string | Buffer, opcode = 1, isLast = true): Buffer =>
  bytesOf({
    ...{ opcode, isLast, reserved: 0, isMasked: true, lie: undefined },
    payload: Buffer.from(text),
  })

const asked = fc.oneof(
  fc.constantFrom('pusher:subscribe', 'pusher:unsubscribe', 'pusher:ping', 'pusher:pong'),
  fc.constantFrom('pusher:signin', 'client-x', 'pusher:error', '__proto__'),
  fc.string(),
)
const member = fc.oneof(
  fc.constantFrom('m-sandbox-a', 'private-m-sandbox-a', 'presence-a', '', 'a b', '__proto__'),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.jsonValue(),
)
const data = fc.oneof(
  fc.record({ channel: member, auth: member }, { requiredKeys: [] }),
  fc.jsonValue(),
)
const message = fc.oneof(
  fc.record({ event: asked, data }).map((value) => JSON.stringify(value)),
  fc
    .record({ event: asked, data: data.map((value) => JSON.stringify(value)) })
    .map((value) => JSON.stringify(value)),
  fc.json(),
  fc.constantFrom('[', '['.repeat(8000), '{"event":', 'null', '"', '{"event":{}}'),
  fc.string(),
)
const payload = fc.oneof(
  message.map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 9000 }).map((bytes) => Buffer.from(bytes)),
)
export const wire: fc.Arbitrary<Wire> = fc.record({
  opcode: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.nat(15)),
  isLast: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.boolean()),
  reserved: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.nat(7)),
  isMasked: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.boolean()),
  payload,
  lie: fc.oneof(
    { weight: 9, arbitrary: fc.constant(undefined) },
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  ),
})
