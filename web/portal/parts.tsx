import { Actions, Hidden, type Html } from '../ui/components.tsx'
import { Field, type FieldProps } from '../ui/fields.tsx'
import type { FramedPage, LobbyVisitor } from '../staff/frame.tsx'

/** What somebody wants to know before they send a form, each under its head. */
export type Beside = readonly (readonly [head: string, says: readonly Html[]])[]

/** A form, and beside it on a wide screen what it does, costs, and leads to. */
export const formSheet = (form: Html, beside: Beside): Html => (
  <div class="sheet">
    {form}
    <aside class="card notes">
      {beside.map(([head, says]) => [<h2>{head}</h2>, says.map((one) => <div>{one}</div>)])}
    </aside>
  </div>
)

type FormPart = {
  readonly title: string
  readonly action: string
  readonly hidden?: Readonly<Record<string, string>>
  readonly fields: Html
  readonly button: string
  readonly isDangerous?: boolean
  readonly isWrong?: boolean
  /** Where one goes without sending it. */
  readonly back: string
  readonly backText?: string
  readonly beside?: Beside | undefined
  readonly above?: Html
  readonly below?: Html
}

/** A page of one form. */
export const formPage = (
  { csrf, texts }: Pick<LobbyVisitor, 'csrf' | 'texts'>,
  part: FormPart,
): FramedPage => {
  const { title, action, hidden, fields, button, isDangerous, isWrong, back, beside } = part
  const { backText = texts.cancel, above = '', below = '' } = part
  const form = (
    <form class="card narrow-card" method="post" action={action}>
      <h1>{title}</h1>
      <Hidden fields={{ csrf, ...hidden }} />
      {fields}
      <Actions kind={isDangerous ? 'danger' : ''} button={button} back={back} cancel={backText} />
    </form>
  )
  const body = [above, ' ', beside ? formSheet(form, beside) : form, ' ', below]
  return { title, status: isWrong ? 400 : 200, body }
}

const zones = Intl.supportedValuesOf('timeZone')

/** A time zone of the IANA database, typed or out of a list. */
export const TimeZoneField = (field: Omit<FieldProps, 'name'>): Html => [
  <Field
    {...field}
    name="time_zone"
    list="zones"
    maxlength={64}
    autocomplete="off"
    spellcheck={false}
    required
  />,
  <datalist id="zones">
    {zones.map((zone) => (
      <option value={zone}></option>
    ))}
  </datalist>,
]
