import type { Find } from '../../application/find-state.ts'
import { isLedgerOpen, isPosKnown } from '../../application/request-payment.ts'
import { holding } from '../../domain/refusal.ts'
import { callerOf, type Call } from '../call.ts'
import type { Issue } from '../errors.ts'
import { issuesOf } from '../refusal-answers.ts'

type Named = { readonly pos_id?: string | undefined; readonly ledger?: string | undefined }

/** What else is wrong with a new request, of a payment or of permissions. */
export const requestFaults =
  (needs: { readonly find: Find }) =>
  async (call: Call<unknown, unknown, Named>): Promise<readonly Issue[]> => {
    const { merchant } = callerOf(call)
    const { pos_id: pos, ledger } = call.body
    const codes = {
      pos_is_unknown: pos !== undefined && !(await isPosKnown(needs, merchant, pos)),
      ledger_is_unknown: ledger !== undefined && !(await isLedgerOpen(needs, merchant, ledger)),
    }
    return issuesOf(holding(codes))
  }
