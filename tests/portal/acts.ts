import { formIn, type Shown, type TestVisitor } from '../people/visitor.ts'

type Values = Readonly<Record<string, string>>

/** Sends the form of a page with this hidden `change`. */
export const act = (
  visitor: TestVisitor,
  page: Pick<Shown, 'html'>,
  change: string,
  values: Values = {},
): Promise<Shown> => {
  const { action, fields } = formIn(page.html, `change" value="${change}`)
  const body = new URLSearchParams(
    [...fields].map(([name, value]): [string, string] => [name, value]),
  )
  for (const [name, value] of Object.entries(values)) body.set(name, value)
  return visitor.visit(action, { method: 'POST', body })
}

export const textOf = ({ html }: Pick<Shown, 'html'>, id: string): string =>
  new RegExp(`id="${id}"[^>]*>([^<]*)<`).exec(html)?.[1]?.trim() ?? ''
