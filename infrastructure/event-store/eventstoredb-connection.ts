import { EventStoreDBClient } from '@eventstore/db-client'
import { ChannelCredentials, Metadata } from '@grpc/grpc-js'
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import gossip from '@eventstore/db-client/generated/gossip_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import { readFileSync } from 'node:fs'
import { parseConnectionString } from '@eventstore/db-client/dist/Client/parseConnectionString.js'
import { StoreUnavailable } from '../../application/event-store.ts'
import { ignore } from './eventstoredb-calls.ts'
import { pause, steadyTime, wallClock } from '../../application/machine.ts'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

type Node = { readonly address: string; readonly port: number }

/** Timeout of one question to a node, in ms. A frozen node accepts connections, but is silent. */
const askMs = 1_000

/** How often the nodes are asked while there is no leader, in ms. */
const askEveryMs = 100

const forStockClient = (connectionString: string): string =>
  connectionString.replace(/^kurrentdb(?=:|\+)/, 'esdb')

export const partsOf = (connectionString: string) =>
  parseConnectionString(forStockClient(connectionString))

type MakeClient = (connectionString: string) => EventStoreDBClient

const stockClient: MakeClient = (connectionString) =>
  EventStoreDBClient.connectionString(forStockClient(connectionString))

let makeClient = stockClient

/** For the simulator, whose clients use no network; returns how to bring back real ones. */
export const installClients = (make: MakeClient): (() => void) => {
  makeClient = make
  return () => (makeClient = stockClient)
}

export const clientOf: MakeClient = (connectionString) => makeClient(connectionString)

/** The members of a cluster, in the view of one. */
const membersBy = ({ address, port }: Node, credentials: ChannelCredentials) =>
  new Promise<readonly (Node & { readonly leads: boolean })[]>((resolve, reject) => {
    const client = new gossipService.GossipClient(`${address}:${port}`, credentials, {
      // Back-off of earlier connections would hide that a node is back.
      'grpc.use_local_subchannel_pool': 1,
    })
    const options = { deadline: wallClock() + askMs }
    client.read(new shared.Empty(), new Metadata(), options, (error, info) => {
      client.close()
      if (error) return reject(error)
      const { LEADER } = gossip.MemberInfo.VNodeState
      const members = info.getMembersList().map((member) => member.toObject())
      resolve(
        members.flatMap(({ httpEndPoint: at, isAlive, state }) =>
          at ? { ...at, leads: isAlive && state === LEADER } : [],
        ),
      )
    })
  })

const nameOf = ({ address, port }: Node): string => `${address}:${port}`

/**
 * Finds the node that says of itself that it leads: others believe for some seconds that a frozen
 * leader still leads. Members that are not in the connection string are asked too.
 */
const findLeader = (
  hosts: readonly Node[],
  credentials: ChannelCredentials,
  signal: AbortSignal,
): Promise<Node> =>
  new Promise((resolve, reject) => {
    const queried = new Set<string>()
    let isOver = false
    const end = (): void => {
      isOver = true
      signal.removeEventListener('abort', abort)
    }
    const abort = (): void => {
      end()
      reject(signal.reason)
    }
    const ask = async (node: Node): Promise<void> => {
      while (!isOver) {
        const members = await membersBy(node, credentials).catch(() => [])
        if (members.some((one) => one.leads && nameOf(one) === nameOf(node))) {
          end()
          return resolve(node)
        }
        askAll(members)
        await pause(askEveryMs)
      }
    }
    const askAll = (nodes: readonly Node[]): void => {
      for (const node of nodes.filter((one) => !queried.has(nameOf(one)))) {
        queried.add(nameOf(node))
        ask(node).catch(reject)
      }
    }
    signal.addEventListener('abort', abort)
    askAll(hosts)
  })

/** The connection string of a cluster's leader alone; undefined if one names a single host. */
const leaderFinder = (connectionString: string) => {
  const { hosts, dnsDiscover, tls, tlsCAFile, userKeyFile, userCertFile } =
    partsOf(connectionString)
  if (hosts.length === 1 && !dnsDiscover) return
  const contents = (file?: string) => (file === undefined ? null : readFileSync(file))
  const files = [tlsCAFile, userKeyFile, userCertFile].map(contents)
  const credentials =
    tls === false ? ChannelCredentials.createInsecure() : ChannelCredentials.createSsl(...files)
  const before = /^esdb(?:\+discover)?:\/\/((?:[^@/?]*@)?)[^/?]*/
  return async (signal: AbortSignal): Promise<string> => {
    const leader = await findLeader(hosts, credentials, signal)
    return forStockClient(connectionString).replace(before, `esdb://$1${nameOf(leader)}`)
  }
}

type Needs<Connection> = {
  readonly connectionString: string
  readonly connect: (client: EventStoreDBClient) => Connection
  /** Ends what a lost connection has under way. */
  readonly end: (connection: Connection) => Promise<unknown>
}

/**
 * A connection that is replaced when lost: with a cluster, by one to the leader of then. With a
 * single host the client itself connects again.
 */
export const renewable = <Connection>({ connectionString, connect, end }: Needs<Connection>) => {
  const closed = new AbortController()
  const placeOfLeader = leaderFinder(connectionString)
  let connection: Connection | undefined
  let renewal: Promise<void> | undefined
  let madeAt = -Infinity

  const make = async (): Promise<void> => {
    const lost = connection
    connection = undefined
    if (lost !== undefined) await end(lost).catch(ignore)
    closed.signal.throwIfAborted()
    const found = placeOfLeader ? await placeOfLeader(closed.signal) : connectionString
    connection = connect(clientOf(found))
    madeAt = steadyTime()
  }

  const renew = (): void => {
    if (renewal || closed.signal.aborted) return
    renewal = make().finally(() => (renewal = undefined))
    renewal.catch(ignore)
  }

  if (!placeOfLeader) connection = connect(clientOf(connectionString))
  return {
    current: async (): Promise<Connection> => {
      if (connection === undefined) renew()
      while (renewal) await renewal
      if (connection === undefined) throw new StoreUnavailable('the event store is closed')
      return connection
    },
    /** Replaces this connection, unless that was done already. */
    renew: (used: Connection): void => {
      if (used === connection) renew()
    },
    /** A call that began then shows that its connection is lost. */
    lost: (began: number): void => {
      if (placeOfLeader && connection !== undefined && began >= madeAt) renew()
    },
    close: async (): Promise<void> => {
      closed.abort()
      await renewal?.catch(ignore)
      if (connection !== undefined) await end(connection)
    },
  }
}

/** The client of the moment. */
export type CurrentClient = () => Promise<EventStoreDBClient>

/** A client of its own, for what is not appended in batches. */
export const clientFor = (connectionString: string) =>
  renewable({ connectionString, connect: (client) => client, end: (client) => client.dispose() })

/** Timeout of one handshake, in ms. */
const handshakeMs = 1_000

/** Why a handshake failed; undefined if it succeeded. */
export const failureOf = (
  socket: Socket,
  done: 'connect' | 'secureConnect',
): Promise<string | undefined> =>
  new Promise((resolve) => {
    const end = (failure?: string): void => {
      socket.destroy()
      resolve(failure)
    }
    socket.setTimeout(handshakeMs, () => end('ETIMEDOUT'))
    socket.once(done, () => end())
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
  })

const ofCertificate = (code: string): string | undefined => {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'its certificate is for other names: connect to one of them'
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired: renew it'
  if (!/CERT|SIGNATURE|ISSUER/.test(code)) return
  return `no authority that is trusted here signed its certificate (${code}): name it in tlsCAFile`
}

type TlsOptions = { readonly isSecure: boolean; readonly ca: Buffer | undefined }

type Host = { readonly address: string; readonly port: number }

/** What is wrong with a host, and what to change; undefined if it can be connected to. */
const problemOf = async (
  { address, port }: Host,
  { isSecure, ca }: TlsOptions,
): Promise<string | undefined> => {
  const refused = await failureOf(connectTcp(port, address), 'connect')
  if (refused === 'ENOTFOUND') return 'there is no such host (ENOTFOUND): correct its name'
  if (refused)
    return `nothing answers there (${refused}): start EventStoreDB, or correct host and port`
  const options = {
    host: address,
    port,
    rejectUnauthorized: isSecure,
    ALPNProtocols: ['h2'],
    ...(ca && { ca }),
    ...(isIP(address) === 0 && { servername: address }),
  }
  const failure = await failureOf(connectTls(options), 'secureConnect')
  if (!isSecure) return failure ? undefined : 'it wants TLS: remove tls=false'
  if (!failure) return
  return (
    ofCertificate(failure) ??
    `it does not speak TLS (${failure}): add tls=false, or give it a certificate`
  )
}

/** Why no host of a connection string can be connected to, in one line; undefined if one can. */
export const problemOfContact = async (connectionString: string): Promise<string | undefined> => {
  if (makeClient !== stockClient) return undefined
  const { hosts, tls, tlsCAFile } = partsOf(connectionString)
  const ca = tlsCAFile === undefined ? undefined : readFileSync(tlsCAFile)
  const options = { isSecure: tls !== false, ca }
  const problems = new Map<string, string[]>()
  const found = await Promise.all(hosts.map((host) => problemOf(host, options)))
  for (const [index, { address, port }] of hosts.entries()) {
    const problem = found[index]
    if (problem === undefined) return undefined
    problems.set(problem, [...(problems.get(problem) ?? []), `${address}:${port}`])
  }
  return [...problems].map(([problem, at]) => `${at.join(', ')}: ${problem}`).join('; ')
}
