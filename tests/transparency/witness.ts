import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { sha256 } from '../../infrastructure/keys/keys.ts'
import { isConsistent } from './proof-checks.ts'

type Answer = { readonly status: number; readonly type?: string; readonly text?: string }

const rawKeyOf = (key: KeyObject): Buffer =>
  key.export({ type: 'spki', format: 'der' }).subarray(-32)

/** A named key, as in c2sp.org/tlog-cosignature. */
const makeKey = (name: string) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const kindAndKey = Buffer.concat([Buffer.of(4), rawKeyOf(publicKey)])
  const id = createHash('sha256').update(`${name}\n`).update(kindAndKey).digest().subarray(0, 4)
  return {
    verifierKey: `${name}+${id.toString('hex')}+${kindAndKey.toString('base64')}`,
    publicKey,
    /** The line of a cosignature at that second. */
    cosign: (text: string, seconds: number): string => {
      const time = Buffer.alloc(8)
      time.writeBigUInt64BE(BigInt(seconds))
      const message = `cosignature/v1\ntime ${seconds}\n${text}`
      const signature = sign(null, Buffer.from(message), privateKey)
      return `— ${name} ${Buffer.concat([id, time, signature]).toString('base64')}\n`
    },
  }
}

const requestOf = (body: string) => {
  const [head = '', ...rest] = body.split('\n\n')
  const [first = '', ...hashes] = head.split('\n')
  const text = `${rest[0] ?? ''}\n`
  const [origin = '', size = '', root = ''] = text.split('\n')
  return {
    old: Number(/^old (0|[1-9]\d*)$/.exec(first)?.[1] ?? NaN),
    proof: hashes.map((hash) => Buffer.from(hash, 'base64')),
    ...{ text, origin, size: Number(size), root: Buffer.from(root, 'base64') },
  }
}

type Seen = { readonly size: number; readonly root: Buffer }

/**
 * A small witness of one log, implementing c2sp.org/tlog-witness. It accepts any log signer. If
 * `answer` is set, that answers instead.
 */
export const startWitness = async (origin: string, name = 'witness.example/w1') => {
  const key = makeKey(name)
  const requests: string[] = []
  const witness = {
    ...key,
    requests,
    seen: { size: 0, root: Buffer.alloc(0) } as Seen,
    answer: undefined as ((body: string) => Answer | Promise<Answer>) | undefined,
  }

  const answerTo = (body: string): Answer => {
    const { old, proof, text, size, root, ...asked } = requestOf(body)
    if (asked.origin !== origin) return { status: 404 }
    if (!(old <= size)) return { status: 400 }
    const { seen } = witness
    const isOther = old === size && !seen.root.equals(root)
    if (old !== seen.size || isOther)
      return { status: 409, type: 'text/x.tlog.size', text: `${seen.size}\n` }
    const between = { size: old, root: seen.root, laterSize: size, laterRoot: root, proof }
    const isFirst = old === 0 && proof.length === 0
    if (!isFirst && !isConsistent(sha256, between)) return { status: 422 }
    witness.seen = { size, root }
    return { status: 200, text: key.cosign(text, 1_767_225_600) }
  }

  const server = createServer((request: IncomingMessage, response) => {
    const reply = async () => {
      const body = (await buffer(request)).toString('utf8')
      requests.push(body)
      const isAsked = request.method === 'POST' && request.url === '/log/add-checkpoint'
      const answer = isAsked ? await (witness.answer ?? answerTo)(body) : { status: 404 }
      response.writeHead(answer.status, { 'Content-Type': answer.type ?? 'text/plain' })
      response.end(answer.text)
    }
    void reply()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(witness, {
    /** In the format of the setting. */
    setting: `http://127.0.0.1:${port}/log/ ${key.verifierKey}`,
    answerTo,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  })
}

export type TestWitness = Awaited<ReturnType<typeof startWitness>>
