import type { sendUnaryData, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js'
import { accessDenied, failureOf } from './messages.ts'
import type { AnyCall } from './admission.ts'

/**
 * Answers every method of a service as a node answers a user without permissions. Calls `checked`
 * first. @throws what `checked` throws, to the client
 */
export const refuseAll = (
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
