type Stored = {
  readonly data: unknown
  readonly metadata: { readonly actor?: unknown }
}

/** A payer's id in JSON, or the person id in a sealed name. */
const idOfPerson = /"payer":"|"sealed:/

/**
 * Whether an event contains a payer id that is the same for all merchants. Two merchants could use
 * it to find common customers (docs/decisions/0016).
 */
export const namesPayer = ({ data, metadata }: Stored): boolean =>
  String(metadata.actor).startsWith('payer:') || idOfPerson.test(JSON.stringify(data))
