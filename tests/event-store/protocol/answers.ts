import { status } from '@grpc/grpc-js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import grpcStatus from '@eventstore/db-client/generated/status_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import any from 'google-protobuf/google/protobuf/any_pb.js'
import { noStream, type Revision } from '../../../application/event-store.ts'
import { maximumAppendSize } from '../../../infrastructure/event-store/event-entry.ts'
import type { Outcome } from './expectations.ts'
import { failure } from '../../../audit/eventstoredb-server/messages.ts'
import type { Expectation } from '../../../infrastructure/event-store/sqlite-event-writer.ts'

type BatchResponse = InstanceType<typeof streams.BatchAppendResp>

type AppendResponse = InstanceType<typeof streams.AppendResp>

const empty = new shared.Empty()

const wrongVersion = (expected: Expectation, actual: Revision) => {
  const wrong = new shared.WrongExpectedVersion()
  if (actual === noStream) wrong.setCurrentNoStream(empty)
  else wrong.setCurrentStreamRevision(`${actual}`)
  if (expected === 'any') wrong.setExpectedAny(empty)
  else if (expected === 'exists') wrong.setExpectedStreamExists(empty)
  else if (expected === noStream) wrong.setExpectedNoStream(empty)
  else wrong.setExpectedStreamPosition(`${expected}`)
  return wrong
}

const statusWith = (code: status, message: string, name: string, details: Uint8Array) => {
  const packed = new any.Any()
  packed.pack(details, `event_store.client.${name}`)
  return new grpcStatus.Status()
    .setCode(code as never)
    .setMessage(message)
    .setDetails(packed)
}

/** The response of a former leader to each append of a call opened while it was the leader. */
export const leadsNoMore = (): BatchResponse =>
  new streams.BatchAppendResp().setError(
    statusWith(status.UNKNOWN, 'Leader info available', 'Empty', empty.serializeBinary()),
  )

/** The response to one append of a batch call. */
export const batchResponse = (outcome: Outcome, expected: Expectation): BatchResponse => {
  const response = new streams.BatchAppendResp()
  switch (outcome.kind) {
    case 'appended': {
      const { revision, position } = outcome.appended
      const place = new shared.AllStreamPosition()
        .setCommitPosition(`${position}`)
        .setPreparePosition(`${position}`)
      const success = new streams.BatchAppendResp.Success()
      return response.setSuccess(success.setCurrentRevision(`${revision}`).setPosition(place))
    }
    case 'wrong': {
      const details = wrongVersion(expected, outcome.actual).serializeBinary()
      return response.setError(
        statusWith(
          status.ALREADY_EXISTS,
          'Wrong expected version',
          'WrongExpectedVersion',
          details,
        ),
      )
    }
    case 'too large': {
      const details = new shared.MaximumAppendSizeExceeded().setMaxappendsize(maximumAppendSize)
      const [name, bytes] = ['MaximumAppendSizeExceeded', details.serializeBinary()]
      return response.setError(statusWith(status.INVALID_ARGUMENT, 'Too large', name, bytes))
    }
  }
}

/** The response to a unary append. @throws ProtocolFailure */
export const unaryResponse = (outcome: Outcome, expected: Expectation): AppendResponse => {
  const response = new streams.AppendResp()
  switch (outcome.kind) {
    case 'appended': {
      const { revision, position } = outcome.appended
      const place = new streams.AppendResp.Position()
        .setCommitPosition(`${position}`)
        .setPreparePosition(`${position}`)
      const success = new streams.AppendResp.Success()
      return response.setSuccess(success.setCurrentRevision(`${revision}`).setPosition(place))
    }
    case 'wrong': {
      const wrong = new streams.AppendResp.WrongExpectedVersion()
      if (outcome.actual === noStream) wrong.setCurrentNoStream(empty)
      else wrong.setCurrentRevision(`${outcome.actual}`)
      if (expected === 'any') wrong.setExpectedAny(empty)
      else if (expected === 'exists') wrong.setExpectedStreamExists(empty)
      else if (expected === noStream) wrong.setExpectedNoStream(empty)
      else wrong.setExpectedRevision(`${expected}`)
      return response.setWrongExpectedVersion(wrong)
    }
    case 'too large':
      throw failure(status.INVALID_ARGUMENT, 'Too large', {
        exception: 'maximum-append-size-exceeded',
        'maximum-append-size': `${maximumAppendSize}`,
      })
  }
}
