/** Variables of Node, of the client of HashiCorp Vault and of Kubernetes that begin as ours do. */
const ofOthers = new RegExp(
  [
    '^NODE_',
    '^VAULT_(?:ADDR|AGENT_ADDR|CACERT|CAPATH|CLIENT_CERT|CLIENT_KEY|FORMAT)$',
    '^VAULT_(?:NAMESPACE|ROLE|SKIP_VERIFY|TLS_SERVER_NAME|TOKEN)$',
    '_SERVICE_(?:HOST|PORT)',
    '_PORT_\\d+_(?:TCP|UDP)',
  ].join('|'),
)

const plain = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')

/** How many letters to add, remove or replace (Levenshtein). */
const distance = (one: string, other: string): number => {
  let above = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [row, letter] of [...one].entries()) {
    const line = [row + 1]
    for (const [at, its] of [...other].entries()) {
      const [left = 0, diagonal = 0, top = 0] = [line[at], above[at], above[at + 1]]
      line.push(Math.min(left + 1, top + 1, diagonal + (letter === its ? 0 : 1)))
    }
    above = line
  }
  return above.at(-1) ?? 0
}

/** Short names are near too many others: npm sets NODE, which is one letter from MODE. */
const allowedDistance = (name: string): number => (name.length >= 8 ? 2 : name.length >= 5 ? 1 : 0)

const firstWord = (name: string): string | undefined => /^[A-Z0-9]+_/.exec(name)?.[0]

/** The setting that a variable of the environment seems to mean. */
const settingMeant = (given: string, names: readonly string[]): string | undefined => {
  const [nearest] = names
    .map((name) => ({ name, far: distance(plain(given), plain(name)) }))
    .toSorted((one, other) => one.far - other.far)
  if (nearest && nearest.far <= allowedDistance(plain(nearest.name))) return nearest.name
  if (ofOthers.test(given)) return undefined
  const begun = firstWord(given)
  const alike = begun === undefined ? [] : names.filter((name) => name.startsWith(begun))
  return alike.toSorted((one, other) => distance(given, one) - distance(given, other))[0]
}

/** Variables that are no settings, but whose names are near those of settings or begin alike. */
export const unknownSettings = (
  environment: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): readonly string[] => {
  const known = new Set(names)
  return Object.entries(environment).flatMap(([name, given]) => {
    if (known.has(name) || given === undefined || given === '') return []
    const meant = settingMeant(name, names)
    return meant === undefined ? [] : `${name}: is no setting; did you mean ${meant}?`
  })
}
