import {
  Server,
  ServerCredentials,
  type sendUnaryData,
  type ServerDuplexStream,
} from '@grpc/grpc-js'
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import features from '@eventstore/db-client/generated/serverfeatures_pb.js'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { answerAppends } from './appends.ts'
import { accessDenied } from './messages.ts'
import { answerReads } from './reads.ts'
import type { EventLog } from '../../../infrastructure/event-store/sqlite-event-log.ts'

type Features = InstanceType<typeof features.SupportedMethods>

export type ProtocolSettings = {
  /** TCP port; 0 takes a free one. */
  readonly port?: number
  /** Whether clients may write. They are not asked who they are: appends are for tests. */
  readonly accepts?: 'reads' | 'reads and appends'
  /** Events that a live subscription may be behind before it is ended, as a node does; without a limit unless given. */
  readonly maximumLag?: number
  /** Whether it answers reads just now; else it says that it is not ready, as a node does that is starting. */
  readonly isReady?: () => boolean
  /** Of its leadership: appends of a call that was opened in an earlier one are refused, as by a node that leads no more. */
  readonly term?: () => number
}

export type ProtocolServer = {
  readonly port: number
  /** Ends every call and stops listening; the log stays open. */
  stop(): void
}

// Nobody is authenticated here, so nobody else may reach it.
const host = '127.0.0.1'

/** As much as a node receives in one message. */
const maximumMessageSize = 17 * 1_024 * 1_024

const service = 'event_store.client.streams.streams'

const supportedMethods = (methods: readonly string[]): Features =>
  new features.SupportedMethods()
    .setEventStoreServerVersion('daybook')
    .setMethodsList(
      methods.map((method) =>
        new features.SupportedMethod().setServiceName(service).setMethodName(method),
      ),
    )

const refuseAppends = {
  append: (_: unknown, answer: sendUnaryData<unknown>) => answer(accessDenied()),
  batchAppend: (call: ServerDuplexStream<unknown, unknown>) =>
    void call.emit('error', accessDenied()),
}

/** Speaks the EventStoreDB protocol over an embedded log, to clients on this machine. @throws Error when the port is taken */
export const serveEventStoreProtocol = (
  log: EventLog,
  settings: ProtocolSettings = {},
): Promise<ProtocolServer> => {
  const { port = 0, accepts = 'reads', maximumLag = Infinity } = settings
  const { isReady = () => true, term = () => 0 } = settings
  const server = new Server({ 'grpc.max_receive_message_length': maximumMessageSize })
  server.addService(featuresService.ServerFeaturesService, {
    getSupportedMethods: (_: unknown, answer: sendUnaryData<Features>) =>
      answer(null, supportedMethods(['read', 'append', 'batchappend'])),
  })
  server.addService(streamsService.StreamsService, {
    read: answerReads(log, maximumLag, isReady),
    ...(accepts === 'reads' ? refuseAppends : answerAppends(log, term)),
  })
  return new Promise((resolve, reject) => {
    server.bindAsync(`${host}:${port}`, ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error)
      else resolve({ port: bound, stop: () => server.forceShutdown() })
    })
  })
}
