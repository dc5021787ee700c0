import type { Child } from 'hono/jsx'

/** What stands in a page; text is escaped when the page is rendered. */
export type Html = Child

export type Children = { readonly children?: Html }

type LinkProps = {
  readonly href: string
  readonly text: Html
  readonly class?: string
  readonly rel?: string
  readonly download?: boolean
  readonly 'aria-current'?: 'page' | 'true' | undefined
}

export const Link = ({ text, ...attributes }: LinkProps): Html => <a {...attributes}>{text}</a>

/** On to what a list has no room for. */
export const MoreLink = ({ href, text }: Pick<LinkProps, 'href' | 'text'>): Html => (
  <p>
    <Link class="lone" href={href} text={text} />
  </p>
)

/** The pages that lead to this one, the nearest last. */
export const Crumbs = ({
  links,
}: {
  readonly links: readonly (readonly [href: string, name: string])[]
}): Html => (
  <p class="crumbs">
    {links.map(([href, name]) => (
      <a href={href}>{name}</a>
    ))}
  </p>
)

/** The title of a page, and beside it what can be done there. */
export const Title = ({ text, children }: Children & { readonly text: Html }): Html => (
  <div class="head">
    <h1>{text}</h1>
    {children}
  </div>
)

type ListProps = { readonly kind?: string; readonly items: readonly Html[] }

export const List = ({ kind, items }: ListProps): Html => (
  <ul class={kind}>
    {items.map((item) => (
      <li>{item}</li>
    ))}
  </ul>
)

type ButtonProps = {
  readonly text: Html
  readonly class?: string | undefined
  readonly type?: 'button' | 'submit'
  readonly name?: string
  readonly value?: string | number
  readonly hidden?: boolean
  readonly disabled?: boolean
  readonly formnovalidate?: boolean
  readonly 'aria-live'?: 'polite'
  readonly 'aria-controls'?: string
  readonly [data: `data-${string}`]: string | number | undefined
}

export const Button = ({ text, ...attributes }: ButtonProps): Html => (
  <button {...attributes}>{text}</button>
)

type ActionsProps = {
  readonly button: Html
  /** The class of the button. */
  readonly kind?: string
  /** Where one goes without sending the form. */
  readonly back?: string
  readonly cancel?: Html
}

/** The end of a form: what sends it, and the way out. */
export const Actions = ({ button, kind, back, cancel = '' }: ActionsProps): Html => (
  <div class="actions">
    <button class={kind}>{button}</button>
    {back !== undefined && <Link class="button second" href={back} text={cancel} />}
  </div>
)

type HiddenFields = Readonly<Record<string, string>>

export const Hidden = ({ fields }: { readonly fields: HiddenFields }): Html => (
  <>
    {Object.entries(fields).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
)

type FormProps = Children & {
  readonly action: string
  readonly class?: string
  readonly hidden: HiddenFields
  readonly enctype?: 'multipart/form-data'
  readonly id?: string
  readonly [data: `data-${string}`]: string | number | undefined
}

/** A form that changes something; `hidden` has the token that keeps other sites from sending it. */
export const Form = ({ hidden, children, ...attributes }: FormProps): Html => (
  <form method="post" {...attributes}>
    <Hidden fields={hidden} />
    {children}
  </form>
)

export const Card = ({ title, children }: Children & { readonly title: Html }): Html => (
  <section class="card">
    <h2>{title}</h2>
    {children}
  </section>
)

export const Quiet = ({ text }: { readonly text: Html }): Html => <p class="quiet">{text}</p>

type Note = { readonly text: Html }

/** What has been done, if anything. */
export const Done = ({ text }: Note): Html =>
  text === undefined ? null : (
    <p class="state good" role="status">
      {text}
    </p>
  )

/** What is wrong, if anything. */
export const Wrong = ({ text }: Note): Html =>
  text === undefined ? null : (
    <p class="problem" role="alert">
      {text}
    </p>
  )

export type Fact = readonly [name: string, value: Html]

/** Names and values; `kind` is the class of their list. */
export const Facts = ({
  kind,
  of,
}: {
  readonly kind: string
  readonly of: readonly Fact[]
}): Html => (
  <dl class={kind}>
    {of.map(([name, value]) => (
      <div>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** Over a column of text or of numbers, or of one that not every screen has room for. */
export type Head =
  Html | { readonly number: string } | { readonly roomy: string; readonly isNumber?: boolean }

const headHtml = (head: Head): Html => {
  if (head === '') return <td></td>
  if (typeof head !== 'object' || head === null) return <th scope="col">{head}</th>
  if ('number' in head)
    return (
      <th scope="col" class="number">
        {head.number}
      </th>
    )
  if ('roomy' in head)
    return (
      <th scope="col" class={head.isNumber ? 'number roomy' : 'roomy'}>
        {head.roomy}
      </th>
    )
  return <th scope="col">{head}</th>
}

const nameOf = (head: Head): string | undefined => {
  if (typeof head === 'string') return head === '' ? undefined : head
  return typeof head === 'object' && head !== null && 'number' in head ? head.number : undefined
}

/** A value, or one that names its row, is a number, or has a class. */
export type Cell =
  | Html
  | { readonly head: Html }
  | { readonly number: Html }
  | { readonly kind: string; readonly text: Html }

export type Row = readonly Cell[] | { readonly kind: string; readonly cells: readonly Cell[] }

const cellHtml = (cell: Cell, name: string | undefined): Html => {
  if (typeof cell !== 'object' || cell === null) return <td data-label={name}>{cell}</td>
  if ('head' in cell) return <th scope="row">{cell.head}</th>
  if ('number' in cell)
    return (
      <td class="number" data-label={name}>
        {cell.number}
      </td>
    )
  if ('kind' in cell)
    return (
      <td class={cell.kind} data-label={name}>
        {cell.text}
      </td>
    )
  return <td data-label={name}>{cell}</td>
}

type RowsProps = { readonly rows: readonly Row[]; readonly names?: readonly (string | undefined)[] }

/** `names` are those of the columns, for where rows become blocks. */
export const Rows = ({ rows, names = [] }: RowsProps): Html => (
  <>
    {rows.map((row) => {
      const [kind, cells] = 'cells' in row ? [row.kind, row.cells] : [undefined, row]
      return <tr class={kind}>{cells.map((cell, index) => cellHtml(cell, names[index]))}</tr>
    })}
  </>
)

type HeadsProps = { readonly heads: readonly Head[] }

export const Heads = ({ heads }: HeadsProps): Html => (
  <thead>
    <tr>{heads.map(headHtml)}</tr>
  </thead>
)

/** What scrolls where it does not fit; `label` names it. */
export const Scroll = ({ label, children }: Children & { readonly label: string }): Html => (
  <div class="scroll" tabindex={0} role="region" aria-label={label}>
    {children}
  </div>
)

type TableProps = Pick<RowsProps, 'rows'> &
  Partial<HeadsProps> & {
    readonly kind?: string
    /** Names a table that scrolls where it does not fit. */
    readonly label?: string
  }

/** Kinds of tables whose rows become blocks on a phone. */
const isNamed = (kind = ''): boolean => /\b(?:stacks|lines)\b/.test(kind)

/**
 * A table with a head for each column; `kind` is its class. On a phone rows of those that stack
 * become blocks, where each value has the name of its column beside it; those of lines have the
 * third value beside the head of the row, and the others below.
 */
export const Table = ({ kind, heads = [], rows, label }: TableProps): Html => {
  const table = (
    <table class={kind}>
      {heads.length > 0 && <Heads heads={heads} />}
      <tbody>
        <Rows rows={rows} names={isNamed(kind) ? heads.map(nameOf) : []} />
      </tbody>
    </table>
  )
  return label === undefined ? table : <Scroll label={label}>{table}</Scroll>
}
