import { z } from 'zod'
import { momentForms, readMoment, type MomentRequest } from '../../audit/as-of/asked-moment.ts'
import { views } from '../../audit/query/views.ts'
import { malformed } from '../../http/errors.ts'
import type { Route } from '../../http/route.ts'
import { csvDownload } from '../../http/text-stream.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { Catalogue } from '../../texts/generated/texts.ts'
import { Quiet, Scroll, Table, type Html } from '../ui/components.tsx'
import { Area, exact } from '../ui/fields.tsx'
import { filled } from '../ui/words.tsx'
import { fieldHtml, filledIn, searchOfFields } from './query.tsx'
import { auditPages, type AuditVisits } from './visits.tsx'

type LogQuery = {
  readonly sql: string
  /** The head of the log if it is undefined. */
  readonly moment: MomentRequest | undefined
  readonly mostRows: number
  readonly mostSeconds: number
  readonly mostFolding: number
}

type Answer = {
  readonly query: string
  readonly position: number
  readonly time: string | null
  readonly tree: { readonly size: number; readonly root: string }
  readonly made_by: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  readonly has_more: boolean
}

export type AuditSqlNeeds = {
  readonly askLog: (request: LogQuery) => Promise<Answer | { readonly problem: string }>
  readonly textCell: (text: string | null) => string
}

const path = '/audit/query'
const file = `${path}/rows.csv`

const [rowsOnPage, rowsInFile] = [500, 100_000]

const bounds = { mostSeconds: 10, mostFolding: 45 }

const query = z.object({
  sql: z.string().max(4_000).optional().meta({ description: 'One select, with or values.' }),
  as_of: z
    .string()
    .max(40)
    .optional()
    .meta({ description: `${momentForms}; else now.` }),
})

type QueryFields = z.output<typeof query>

/** @throws Malformed for what cannot be answered */
const answerTo = async ({ askLog }: AuditSqlNeeds, values: QueryFields, mostRows: number) => {
  const wrong = (field: keyof QueryFields, message: string) =>
    malformed({ issues: [{ path: [field], message }] })
  const asOf = filledIn(values.as_of)
  const moment = asOf === undefined ? undefined : readMoment(asOf)
  if (asOf !== undefined && !moment) throw wrong('as_of', `as_of must be ${momentForms}.`)
  const sql = filledIn(values.sql)
  if (sql === undefined) throw wrong('sql', 'sql is missing.')
  const answer = await askLog({ sql, moment, mostRows, ...bounds })
  if ('problem' in answer) throw wrong('sql', answer.problem)
  return answer
}

/** What is needed to ask it again, and to compare. */
const headOf = ({ query: sql, position, time, tree, made_by }: Answer) =>
  [
    ['query', sql],
    ['position', String(position)],
    ['time', time ?? ''],
    ['tree_size', String(tree.size)],
    ['tree_root', tree.root],
    ['made_by', made_by],
  ] as const

const formHtml = ({ sql, as_of: value }: QueryFields, texts: Catalogue['auditor']): Html => (
  <form class="card" method="get" action={path}>
    <Area
      name="sql"
      label={texts.sql}
      rows={6}
      maxlength={4_000}
      text={sql ?? ''}
      {...exact}
      required
    />
    {fieldHtml({ name: 'as_of', label: texts.sqlAsOf, example: '2026-10-31', value })}
    <div class="actions">
      <button>{texts.sqlAsk}</button>
    </div>
  </form>
)

const viewsHtml = (texts: Catalogue['auditor']): Html => (
  <details class="card">
    <summary>{texts.sqlViews}</summary>
    {Object.entries(views).map(([name, { columns }]) => (
      <p>
        <b>
          <code>{name}</code>
        </b>
        {': '}
        <code>{Object.keys(columns).join(', ')}</code>
      </p>
    ))}
  </details>
)

const cellHtml = (cell: unknown) =>
  typeof cell === 'number' ? { number: cell } : cell === null ? '' : String(cell)

const answerHtml = (answer: Answer, texts: Catalogue['auditor']): Html => {
  const { columns, rows, has_more, position, query: sql } = answer
  const again = searchOfFields({ sql, as_of: String(position) })
  return [
    <section class="card">
      <h2>{texts.sqlAnswer}</h2>
      <Table
        kind="plain"
        rows={headOf(answer).map(([name, value]) => [{ head: name }, <code>{value}</code>])}
      />
      <p>
        {filled(texts.sqlAgain, { link: <a href={`${path}?${again}`}>{texts.sqlAgainLink}</a> })}
      </p>
      <p>
        <a href={`${file}?${again}`}>{texts.sqlCsv}</a>
      </p>
    </section>,
    has_more && <Quiet text={texts.sqlMore({ count: rows.length })} />,
    <div class="card">
      <Scroll label={texts.sqlAnswer}>
        <Table heads={[...columns]} rows={rows.map((row) => row.map(cellHtml))} />
      </Scroll>
    </div>,
  ]
}

const csvOf = ({ textCell }: AuditSqlNeeds, answer: Answer): string => {
  const cell = (one: unknown) => (typeof one === 'string' ? textCell(one) : String(one ?? ''))
  const line = (cells: readonly unknown[]) => `${cells.map(cell).join(',')}\r\n`
  const more = answer.has_more ? [['has_more', 'true']] : []
  return [...headOf(answer), ...more, [], answer.columns, ...answer.rows].map(line).join('')
}

/** SQL over documented views, as of a moment; personal data is in none of them. */
export const auditSqlRoutes = (needs: AuditSqlNeeds, visits: AuditVisits): Route[] => [
  auditPages.get(path, {
    summary: 'Ask the log with SQL',
    query,
    handle: (call) => {
      const values = call.query
      return visits.look(
        call,
        async (language) => {
          const texts = textsIn[language].auditor
          const answer =
            filledIn(values.sql) === undefined
              ? undefined
              : await answerTo(needs, values, rowsOnPage)
          const body = [
            <h1>{texts.query}</h1>,
            <p>{texts.sqlWhat}</p>,
            formHtml(values, texts),
            viewsHtml(texts),
            answer && answerHtml(answer, texts),
          ]
          return { title: texts.query, body, json: answer ?? { views: Object.keys(views) } }
        },
        (texts) => formHtml(values, texts),
      )
    },
  }),
  auditPages.get(file, {
    summary: 'The answer to SQL as CSV, with what is needed to ask it again above it',
    query,
    replyTypes: ['text/csv', 'application/json', 'text/html'],
    handle: (call) =>
      visits.look(call, async () => {
        const answer = await answerTo(needs, call.query, rowsInFile)
        return csvDownload('query.csv', new Blob([csvOf(needs, answer)]).stream(), {})
      }),
  }),
]
