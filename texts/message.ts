import { IntlMessageFormat } from 'intl-messageformat'

/** A text with values in it, such as `Capture {amount}`; parsed when it is first used. */
export type Message<Name extends string> = {
  (values: Readonly<Record<Name, string | number>>): string
  /** The pieces of the text and the values in order, for values that are no plain text. */
  parts(values: Readonly<Record<Name, unknown>>): readonly unknown[]
}

/** Some texts of a group have values, others have none. */
export type Text<Name extends string> = string | Message<Name>

/** Takes a text in ICU MessageFormat, in a language (BCP 47). */
export const messageOf = (source: string, language: string): Message<string> => {
  let parsed: IntlMessageFormat | undefined
  const parts = (values: Readonly<Record<string, unknown>>): readonly unknown[] => {
    parsed ??= new IntlMessageFormat(source, language, undefined, { ignoreTag: true })
    return parsed.formatToParts(values).map(({ value }) => value)
  }
  return Object.assign((values: Readonly<Record<string, unknown>>) => parts(values).join(''), {
    parts,
  })
}

/** A text with its values. */
export const filledText = <Name extends string>(
  text: Text<Name>,
  values: Readonly<Record<Name, string | number>>,
): string => (typeof text === 'string' ? text : text(values))

/** Names of texts without values. */
export type PlainKey<Texts> = {
  [Key in keyof Texts]: Texts[Key] extends string ? Key : never
}[keyof Texts]

/** The text of a name that may be none of theirs. */
export const plainText = (texts: object, name: string): string | undefined => {
  const text: unknown = texts[name as keyof typeof texts]
  return typeof text === 'string' ? text : undefined
}
