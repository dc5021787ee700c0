import { html } from 'hono/html'
import { filledText } from '../../application/filled-text.ts'
import type { Queries } from '../../projections/read-models.ts'
import { z } from 'zod'
import type { Html } from '../ui/page.ts'
import { filled } from '../ui/words.ts'
import { headedTable } from '../portal/parts.ts'
import type { Route } from '../../http/route.ts'
import { shownTime } from './page.ts'
import { auditTexts, type AuditTexts } from './texts.ts'
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
const rowHtml = (
  { size, root, signedAt, cosigned }: Checkpoint,
  before: Checkpoint | undefined,
  texts: AuditTexts,
): Html => {
  const proof = `/transparency/proof/consistency?from=${before?.size}&to=${size}`
  return html`<tr>
    <td>${size}</td>
    <td>${shownTime(signedAt)}</td>
    <td><code>${root}</code></td>
    <td>${cosigned}</td>
    <td>
      ${before ? html`<a href="${proof}">${filledText(texts.proofSince, before.size)}</a>` : ''}
    </td>
  </tr>`
}

const pageHtml = (found: readonly Checkpoint[], texts: AuditTexts): Html => {
  const last = found.at(-1)
  const more =
    found.length === onPage && last
      ? html`<p><a href="/audit/checkpoints?before=${last.size}">${texts.lookBack}</a></p>`
      : ''
  const heads = [texts.events, texts.signed, texts.root, texts.witnesses, texts.proof]
  const rows = found.map((one, index) => rowHtml(one, found[index + 1], texts))
  const newest = html`<a href="/transparency/checkpoint">${texts.newestSigned}</a>`
  const key = html`<a href="/transparency/key">${texts.key}</a>`
  return html`<h1>${texts.checkpoints}</h1>
    <p>${filled(texts.checkpointsWhat, newest, key)}</p>
    <div class="card scroll">${headedTable('', heads, rows)}</div>
    ${more}`
}

export const auditCheckpointRoute = (needs: AuditCheckpointNeeds, visits: AuditVisits): Route =>
  auditPages.get('/audit/checkpoints', {
    summary: 'The checkpoints of the log, newest first',
    query,
    handle: (call) =>
      visits.look(call, async (language) => {
        const texts = auditTexts[language]
        await needs.caughtUp()
        const before = Number(call.query.before) || Number.MAX_SAFE_INTEGER
        const found = needs.checkpoints.before(before, onPage)
        const body = pageHtml(found, texts)
        return { title: texts.checkpoints, body, json: { checkpoints: found } }
      }),
  })
