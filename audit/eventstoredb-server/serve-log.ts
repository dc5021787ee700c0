import {
  Server,
  ServerCredentials,
  type sendUnaryData,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import operationsService from '@eventstore/db-client/generated/operations_grpc_pb.js'
import persistentService from '@eventstore/db-client/generated/persistent_grpc_pb.js'
import projectionsService from '@eventstore/db-client/generated/projections_grpc_pb.js'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import usersService from '@eventstore/db-client/generated/users_grpc_pb.js'
import type { SecurityLog } from '../../application/security-log.ts'
import type { EventLog } from '../../infrastructure/event-store/sqlite-event-log.ts'
import { admission, type AnyCall } from './admission.ts'
import type { HolderOf } from './tokens.ts'
import { answerFeatures, answerGossip } from './cluster.ts'
import { answerReads } from './reads.ts'
import { accessDenied, failureOf } from './messages.ts'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { clearTimeout, setTimeout } from '../../application/machine.ts'

const mostConnections = 64

/** How long a client may stay connected without a token. */
const strangerMs = 10_000

/** Accepts a limited number of connections for a server, and drops unauthenticated ones. */
const acceptConnections = (server: Server, credentials: ServerCredentials) => {
  const injector = server.createConnectionInjector(credentials)
  const open = new Map<string, { readonly socket: Socket; readonly timer: NodeJS.Timeout }>()

  const listener = createServer((socket) => {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`
    const timer = setTimeout(() => socket.destroy(), strangerMs).unref()
    open.set(peer, { socket, timer })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      open.delete(peer)
    })
    injector.injectConnection(socket)
  })
  listener.maxConnections = mostConnections

  return {
    known: (peer: string): void => clearTimeout(open.get(peer)?.timer),
    port: (): number => (listener.address() as AddressInfo).port,
    /** @throws Error from the system */
    listen: async (host: string, port: number): Promise<void> => {
      listener.listen(port, host)
      await once(listener, 'listening')
    },
    stop: (): void => {
      listener.close()
      server.forceShutdown()
      injector.destroy()
      for (const { socket } of open.values()) socket.destroy()
    },
  }
}

/**
 * Answers every method of a service as a node answers a user without permissions. Calls `checked`
 * first. @throws what `checked` throws, to the client
 */
const refuseAll = (
  service: ServiceDefinition,
  checked: (call: AnyCall) => Promise<void>,
): UntypedServiceImplementation => {
  const refusal = async (call: AnyCall) => {
    try {
      await checked(call)
      return accessDenied()
    } catch (error) {
      return failureOf(error)
    }
  }
  const unary = async (call: AnyCall, answer: sendUnaryData<unknown>): Promise<void> =>
    answer(await refusal(call))
  const streaming = async (call: AnyCall): Promise<void> =>
    void call.emit('error', await refusal(call))
  return Object.fromEntries(
    Object.entries(service).map(([name, { responseStream }]) => [
      name,
      responseStream ? streaming : unary,
    ]),
  )
}

type Needs = {
  readonly log: EventLog
  readonly record: SecurityLog['record']
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** Absent for clients without TLS. */
  readonly tls?: { readonly key: Buffer; readonly cert: Buffer } | undefined
  /** Absent if anyone who can connect may read. */
  readonly holderOf?: HolderOf | undefined
}

/** Requests contain only names and numbers: nobody sends events here. */
const largestRequest = 65_536

const limits = {
  'grpc.max_receive_message_length': largestRequest,
  'grpc.max_concurrent_streams': 32,
  // Detects clients that vanished, to free their places.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.max_connection_idle_ms': 300_000,
}

const others = [
  operationsService.OperationsService,
  persistentService.PersistentSubscriptionsService,
  projectionsService.ProjectionsService,
  usersService.UsersService,
]

/**
 * Serves a log to EventStoreDB clients, for reading and following. @throws Error from the system if
 * it cannot listen
 */
export const serveLog = async ({ log, record, host, port, tls, holderOf }: Needs) => {
  const server = new Server(limits)
  const credentials = tls
    ? ServerCredentials.createSsl(null, [{ private_key: tls.key, cert_chain: tls.cert }])
    : ServerCredentials.createInsecure()
  const connections = acceptConnections(server, credentials)
  const { admit, refuse } = admission({ holderOf, record, known: connections.known })

  // Clients make these two calls before they present a token.
  server.addService(featuresService.ServerFeaturesService, answerFeatures)
  server.addService(gossipService.GossipService, answerGossip(connections.port))
  server.addService(streamsService.StreamsService, {
    ...refuseAll(streamsService.StreamsService, refuse),
    read: answerReads(log, { admit }),
  })
  for (const service of others) server.addService(service, refuseAll(service, refuse))

  await connections.listen(host, port)
  return { port: connections.port(), stop: connections.stop }
}
