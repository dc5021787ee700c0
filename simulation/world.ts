import { createHash, createPrivateKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Position, RecordedEvent } from '../application/event-store.ts'
import { Refusal } from '../domain/refusal.ts'
import { operatorHere } from '../harness/operator.ts'
import { secretHeaders, signedHeaders } from '../harness/signing.ts'
import type { Core } from '../service/core.ts'
import { simulatedDisk, type DiskFault } from './disk.ts'
import type { StoreFault } from './event-store.ts'
import { keyFile, ofOperator, secret, type Seller } from './furnish.ts'
import { Stuck } from './machine.ts'
import {
  base,
  beginning,
  copyOf,
  foldersIn,
  furnishedOnce,
  openNode,
  outsideOf,
  remove,
  type Node,
} from './node.ts'
import { pick, randomFrom } from './random.ts'
import type { Attempt } from './receivers.ts'

export type Who = Seller | 'sandbox'

export type SentRequest = {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** Nobody for routes that need no credentials. */
  readonly as?: Who | undefined
  readonly isSigned?: boolean
  readonly headers?: Readonly<Record<string, string>>
  /** Signed as if it were so many seconds ago. */
  readonly secondsAgo?: number
  /** The address that it comes from. */
  readonly from?: string
}

export type Answered = {
  readonly status: number
  readonly type: string
  readonly text: string
  readonly location: string | null
  /** The id that events of the request carry. */
  readonly requestId: string
  readonly cookies: readonly string[]
  readonly body: any
}

/** What a command of the operator has printed. */
export type Ran = { readonly code: number; readonly errors: string; readonly printed: any }

/** The nodes of a world; one lies on a file, more share an EventStoreDB. */
export type Nodes = 1 | 2 | 3 | 4 | 5

const clockPath = '/sandbox/v1/clock/'

/** How far the clocks of nodes are apart at most, in ms. */
const mostDrift = 300

/** Until the leases of a node that is gone are with the others, in ms. */
const sharedAfterMs = 14_000
const sharedAtFirstMs = 9_000

/**
 * A service in folders of its own, with everything outside it simulated.
 * Long because all that a world can do shares the nodes that run.
 */
export const openWorld = async (
  seed: number,
  onAnswer: (sent: SentRequest, answer: Answered) => void = () => {},
  count: Nodes = 1,
) => {
  const isCluster = count > 1
  const template = await furnishedOnce(isCluster)
  const { document, contents } = template
  const shared = copyOf(template.shared)
  const random = randomFrom(seed, 9)
  const trace = createHash('sha256')
  const attempts: (Attempt & { readonly time: number })[] = []
  const outside = outsideOf({
    seed,
    at: beginning + 60_000,
    ...(isCluster && { shared, contents, foreign: pick(random, [0, 0.1, 0.6]) }),
    note: (attempt) => {
      attempts.push({ ...attempt, time: steady() })
      trace.update(`callback ${JSON.stringify(attempt)}\n`)
    },
  })
  const { machine, bank, receivers, logged, store } = outside
  const steady = (): number => machine.machine.steadyTime()
  const disk = simulatedDisk()
  const nodes: Node[] = []
  for (const folder of foldersIn(shared, count, isCluster)) {
    const drift = isCluster ? Math.round((random() - 0.5) * 2 * mostDrift) : 0
    nodes.push(await openNode(folder, outside, drift))
  }
  const first = nodes[0] as Node
  const key: KeyObject = createPrivateKey(readFileSync(join(first.folder, keyFile)))
  let ahead = 0
  const now = (): number => machine.machine.wallClock() + ahead
  const furthest = Math.max(...nodes.map(({ drift }) => Math.abs(drift)))

  /** One that answers, as a proxy finds it. */
  const anyNode = (): Node =>
    isCluster
      ? pick(
          random,
          nodes.filter(({ isFrozen }) => !isFrozen),
        )
      : first

  const credentials = (sent: SentRequest, url: string, body: string): Record<string, string> => {
    const { method, as, isSigned, secondsAgo = 0 } = sent
    if (as === undefined) return {}
    if (!isSigned) return secretHeaders(as, 'pos1', as === 'sandbox' ? 'sandbox-secret' : secret)
    const headers = { 'X-Service-Merchant': as, 'X-Service-User': 'admin' }
    const at = machine.machine.wallClock() - secondsAgo * 1000
    return signedHeaders({ method, url, body, key, headers, at })
  }

  const requestFor = (sent: SentRequest): Request => {
    const url = sent.path.startsWith('http') ? sent.path : base + sent.path
    const { body } = sent
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
    const headers = {
      ...(text !== '' && { 'Content-Type': 'application/json' }),
      ...credentials(sent, url, text),
      ...sent.headers,
    }
    const { method } = sent
    return new Request(url, { method, headers, ...(text !== '' && { body: text }) })
  }

  const send = (sent: SentRequest, node = anyNode()): Promise<Response> => {
    // Wrong secrets lock out a network, and the wanderer must not lock out the shops.
    const remoteAddress = sent.from ?? (sent.as === 'sandbox' ? '192.0.2.1' : '127.0.0.1')
    const environment = { incoming: { socket: { remoteAddress } } }
    const request = requestFor(sent)
    return node.as(() => Promise.resolve(node.opened.app.fetch(request, environment)))
  }

  const answerOf = async (response: Response): Promise<Answered> => {
    const type = response.headers.get('content-type') ?? ''
    if (type.startsWith('text/event-stream')) await response.body?.cancel()
    // Some bodies are made while they are read, as receipts are.
    const read = () => machine.until(response.text(), Infinity, true)
    const text = response.bodyUsed ? '' : await read()
    const body = type.includes('json') && text !== '' ? JSON.parse(text) : undefined
    const { status, headers } = response
    const requestId = headers.get('x-request-id') ?? ''
    const about = { status, type, text, location: headers.get('location'), requestId }
    return { ...about, cookies: headers.getSetCookie(), body }
  }

  const note = (sent: SentRequest, answer: Answered): Answered => {
    const { method, path, body } = sent
    trace.update(`${machine.machine.wallClock()} ${method} ${path} ${JSON.stringify(body)}\n`)
    // Metrics tell of the machine that plays, such as its memory.
    const text = path.startsWith('/metrics') ? '' : answer.text
    trace.update(`${answer.status} ${answer.location} ${text}\n`)
    onAnswer(sent, answer)
    return answer
  }
  const ask = async (sent: SentRequest): Promise<Answered> =>
    note(sent, await answerOf(await machine.until(send(sent))))

  /** What a moved clock makes due is done by each node; and again if that made something due. */
  const settleOthers = async (sent: Node): Promise<void> => {
    const settled: SentRequest = { method: 'POST', path: clockPath, body: { advance_seconds: 0 } }
    for (const node of [...nodes.filter((one) => one !== sent), ...nodes])
      if (isCluster && !node.isFrozen) await answerOf(await machine.until(send(settled, node)))
  }

  const untilShared = (ms = sharedAfterMs): Promise<void> =>
    isCluster ? machine.pass(ms) : Promise.resolve()
  await untilShared(sharedAtFirstMs)

  const interrupt = async (
    how: 'kill' | 'freeze',
    node: Node,
    work: Promise<unknown>,
    steps: number,
  ): Promise<void> => {
    work.catch(() => {})
    await machine.until(work, steps).catch((error: unknown) => {
      if (!(error instanceof Stuck)) throw error
    })
    if (how === 'kill') await node.kill()
    else {
      node.freeze(true)
      await untilShared()
      node.freeze(false)
      await machine.until(work)
    }
    await untilShared()
    trace.update(`${how}\n`)
  }

  return {
    machine,
    document,
    bank,
    receivers,
    attempts,
    logged,
    nodes,
    get folder() {
      return first.folder
    },
    get routes() {
      return first.opened.routes
    },
    get store() {
      return anyNode().opened.core.store
    },
    eventsAfter: async (position: Position): Promise<readonly RecordedEvent[]> => {
      const all: RecordedEvent[] = []
      const { store: read } = anyNode().opened.core
      for await (const batch of read.readAll(position)) all.push(...batch)
      return all
    },
    /** Milliseconds that never go back. */
    steady,
    clock: (): number => machine.machine.wallClock(),
    /** The time of the service, as its operator knows it. */
    now,
    /** What the clocks of nodes may have shown since then. */
    span: (from: number) => ({ from: from - furthest, to: now() + furthest }),
    ask,
    /** What the operator does: 204, or 400 if it is refused. */
    operate: async (act: (core: Core) => Promise<unknown>): Promise<204 | 400> => {
      const node = anyNode()
      try {
        await machine.until(node.as(() => act(node.opened.core)))
        return 204
      } catch (error) {
        if (error instanceof Refusal) return 400
        throw error
      }
    },
    /** The operator's command, as a person at a terminal runs it; what it prints. */
    command: async (person: string, words: readonly string[]): Promise<Ran> => {
      const node = anyNode()
      const core = ofOperator(node.opened.core, person)
      const filled = words.map((word) => word.replaceAll('{folder}', first.folder))
      const run = node.as(() => operatorHere(node.opened.settings, core)('--json', ...filled))
      const { code, output, errors } = await machine.until(run, Infinity, true)
      trace.update(`${machine.machine.wallClock()} ${words.join(' ')}: ${code}\n`)
      return { code, errors, printed: code === 0 && output !== '' ? JSON.parse(output) : undefined }
    },
    /** The answers to requests that are sent at the same time. */
    askTogether: async (asked: readonly SentRequest[]): Promise<readonly Answered[]> => {
      const responses = await machine.until(Promise.all(asked.map((one) => send(one))))
      const answers: Answered[] = []
      for (const [at, response] of responses.entries())
        answers.push(note(asked[at] as SentRequest, await answerOf(response)))
      return answers
    },
    /** Moves the clock of the sandbox to a whole second, and does what is due by then. */
    advanceTo: async (instant: number): Promise<Answered> => {
      const now = new Date(instant).toISOString().slice(0, 19).replace('T', ' ')
      const node = anyNode()
      const askedAt = machine.machine.wallClock()
      const asked: SentRequest = { method: 'POST', path: clockPath, body: { now } }
      const answer = note(asked, await answerOf(await machine.until(send(asked, node))))
      if (answer.status !== 200) return answer
      // With nodes, time passes until the clock is moved.
      const moved = isCluster
        ? node.as(() => node.opened.core.now() - machine.machine.wallClock())
        : Math.floor(instant / 1000) * 1000 - askedAt
      ahead = Math.max(ahead, moved)
      await settleOthers(node)
      return answer
    },
    /** Asks while the disk of the event log fails. */
    askOnDisk: async (asked: SentRequest, fault: DiskFault): Promise<Answered> => {
      disk.fail(fault)
      const answer = await ask(asked)
      disk.fail()
      return answer
    },
    /** Asks while the store fails so. */
    askOnStore: async (asked: SentRequest, fault: StoreFault, ms: number): Promise<Answered> => {
      store.fail(fault, ms)
      const answer = await ask(asked)
      store.fail()
      if (answer.status >= 500) await untilShared()
      return answer
    },
    /** Sends a request and kills the process after some steps; nobody sees an answer. */
    askAndKill: async (asked: SentRequest, steps: number): Promise<void> => {
      const node = anyNode()
      await interrupt('kill', node, send(asked, node), steps)
    },
    /** Sends a request to a process that is then frozen for longer than it may hold leases. */
    askAndFreeze: async (asked: SentRequest, steps: number): Promise<void> => {
      const node = anyNode()
      await interrupt('freeze', node, send(asked, node), steps)
    },
    /** The same amid what a node does in the background. */
    disturb: (how: 'kill' | 'freeze', steps: number): Promise<void> =>
      interrupt(how, anyNode(), machine.pass(steps), Infinity),
    failStore: async (fault: StoreFault, ms: number): Promise<void> => {
      store.fail(fault, ms)
      await machine.pass(ms)
      store.fail()
      await untilShared()
    },
    /** Ends a process in order, and starts it; the caller may change its folder between. */
    restart: async (change: (folder: string) => void = () => {}): Promise<void> => {
      await anyNode().restart(change)
      await untilShared()
      trace.update('restarted\n')
    },
    /** A digest of all requests, answers and callbacks so far. */
    trace: (): string => trace.copy().digest('hex').slice(0, 16),
    stop: async (): Promise<void> => {
      for (const node of nodes) await node.stop()
    },
    end: (): void => {
      outside.uninstall()
      disk.uninstall()
      machine.end()
      for (const folder of [shared, ...nodes.map((node) => node.folder)]) remove(folder)
    },
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>
