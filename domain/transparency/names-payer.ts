type Stored = {
  readonly data: unknown
  readonly metadata: { readonly actor?: unknown }
}

/** A payer's id in JSON, or the id of the person that a sealed name is of. */
const idOfPerson = /"payer":"|"sealed:/

/**
 * Whether an event names a payer by an id that is the same for all merchants, who could tell by it
 * that they have a customer in common (docs/decisions/0016).
 */
export const namesPayer = ({ data, metadata }: Stored): boolean =>
  String(metadata.actor).startsWith('payer:') || idOfPerson.test(JSON.stringify(data))
