import type { sendUnaryData } from '@grpc/grpc-js'
import features from '@eventstore/db-client/generated/serverfeatures_pb.js'
import gossip from '@eventstore/db-client/generated/gossip_pb.js'

type Features = InstanceType<typeof features.SupportedMethods>
type Cluster = InstanceType<typeof gossip.ClusterInfo>

const streamsService = 'event_store.client.streams.streams'

/** The supported features, which a client checks before it appends. */
export const answerFeatures = {
  getSupportedMethods: (_: unknown, answer: sendUnaryData<Features>): void =>
    answer(
      null,
      new features.SupportedMethods()
        .setEventStoreServerVersion('daybook')
        .setMethodsList(
          ['read', 'append', 'batchappend'].map((method) =>
            new features.SupportedMethod().setServiceName(streamsService).setMethodName(method),
          ),
        ),
    ),
}

/** A cluster of one node, at the address the client used. */
export const answerGossip = (port: () => number) => ({
  read: (call: { getHost(): string }, answer: sendUnaryData<Cluster>): void => {
    const [, name = '', requestedPort] = /^(.+?)(?::(\d{1,5}))?$/.exec(call.getHost()) ?? []
    const place = new gossip.EndPoint().setAddress(name).setPort(Number(requestedPort ?? port()))
    const member = new gossip.MemberInfo()
      .setState(gossip.MemberInfo.VNodeState.LEADER)
      .setIsAlive(true)
      .setHttpEndPoint(place)
    answer(null, new gossip.ClusterInfo().setMembersList([member]))
  },
})
