import type { Html } from './components.tsx'
import { searchOf, type Call } from '../../http/call.ts'
import { pageOf } from '../../http/lists.ts'
import type { Visitor } from '../payer/session.tsx'

const rowsOnPage = 50

/** The rows of a page, newest first, and the link to older ones. */
export const pageIn = <Row extends { readonly position: number }>(
  call: Call,
  path: string,
  list: (before: number, limit: number) => readonly Row[],
) => {
  const before = Number(searchOf(call).get('before'))
  const from = Number.isSafeInteger(before) && before > 0 ? before : undefined
  const { rows, last } = pageOf(from, rowsOnPage, list)
  return { rows, older: last && `${path}?before=${last.position}` }
}

export const linkToOlder = ({ texts }: Visitor, older: string | undefined): Html =>
  older === undefined ? null : (
    <p>
      <a href={older}>{texts.older}</a>
    </p>
  )
