import { html } from 'hono/html'
import type { Queries } from '../../projections/read-models.ts'
import { z } from 'zod'
import type { Html } from '../payer/page.ts'
import { headedTable } from '../portal/parts.ts'
import type { Route } from '../route.ts'
import { shownTime } from './page.ts'
import { auditPages, type AuditVisits } from './visits.ts'

type Checkpoint = ReturnType<Queries['transparency']['checkpoints']['before']>[number]

export type AuditCheckpointNeeds = Pick<Queries['transparency'], 'checkpoints'> & {
  readonly caughtUp: () => Promise<void>
}

const onPage = 50

const query = z.object({
  before: z
    .string()
    .regex(/^\d{0,15}$/)
    .optional()
    .meta({ description: 'Of fewer events than this, to look further back.' }),
})

/** A row, with the proof that the checkpoint before is its beginning. */
const rowHtml = ({ size, root, signedAt, cosigned }: Checkpoint, before?: Checkpoint): Html => {
  const proof = `/transparency/proof/consistency?from=${before?.size}&to=${size}`
  return html`<tr>
    <td>${size}</td>
    <td>${shownTime(signedAt)}</td>
    <td><code>${root}</code></td>
    <td>${cosigned}</td>
    <td>${before ? html`<a href="${proof}">since ${before.size}</a>` : ''}</td>
  </tr>`
}

const pageHtml = (found: readonly Checkpoint[]): Html => {
  const last = found.at(-1)
  const more =
    found.length === onPage && last
      ? html`<p><a href="/audit/checkpoints?before=${last.size}">Look further back</a></p>`
      : ''
  const heads = ['Events', 'Signed (UTC)', 'Root', 'Witnesses', 'Proof']
  const rows = found.map((one, index) => rowHtml(one, found[index + 1]))
  return html`<h1>Checkpoints</h1>
    <p>
      Each stands for all events before it. Keep one where the operator cannot reach it:
      <a href="/transparency/checkpoint">the newest, signed</a>,
      <a href="/transparency/key">the key</a>.
    </p>
    <div class="card scroll">${headedTable('', heads, rows)}</div>
    ${more}`
}

export const auditCheckpointRoute = (needs: AuditCheckpointNeeds, visits: AuditVisits): Route =>
  auditPages.get('/audit/checkpoints', {
    summary: 'The checkpoints of the log, newest first',
    query,
    handle: (call) =>
      visits.look(call, async () => {
        await needs.caughtUp()
        const before = Number(call.query.before) || Number.MAX_SAFE_INTEGER
        const found = needs.checkpoints.before(before, onPage)
        return { title: 'Checkpoints', body: pageHtml(found), json: { checkpoints: found } }
      }),
  })
