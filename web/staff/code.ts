import { Refusal } from '../../domain/refusal.ts'
import type { Call } from '../../http/call.ts'
import { compactFieldOf, type Fields } from '../../http/forms.ts'
import type { LobbyVisitor } from './frame.ts'

/** What is wrong with the one-time code of a form; undefined when it is right. */
export const codeProblem = async <Visitor extends LobbyVisitor>(
  confirm: (visitor: Visitor, code: string, call: Call) => Promise<void>,
  visitor: Visitor,
  call: Call<unknown, undefined, Fields<'code'>>,
): Promise<string | undefined> => {
  try {
    await confirm(visitor, compactFieldOf(call.body, 'code'), call)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.code === 'second_factor_is_needed') return visitor.texts.stepUpNeeded
    if (error.code === 'sign_in_is_wrong') return visitor.texts.wrongCode
    throw error
  }
}
