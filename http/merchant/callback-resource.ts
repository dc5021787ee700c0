import { displayOf } from '../../domain/callback-names.ts'
import { categoryOf, idIn, merchantAndIdIn, within } from '../../domain/stream.ts'
import { merchantPrefix } from '../addresses.ts'
import { afterOrigin } from '../call.ts'

/** Kinds of resources by the category of the streams that tell of them. */
const kinds: Readonly<Record<string, string>> = {
  payment: 'payment_request',
  permission: 'permission_request',
  scans: 'shortlink',
}

/** The path of the resource that a message is about; null if it is about none. */
export const resourcePathOf = (subject: string): string | null => {
  const [stream = '', part = ''] = subject.split('#')
  const category = categoryOf(stream)
  const kind = kinds[category]
  if (kind !== undefined) return `${merchantPrefix}/${kind}/${idIn(stream)}/`
  if (category === 'settlement') return `${merchantPrefix}/settlement/`
  if (category !== 'ledger') return null
  const [, ledger] = merchantAndIdIn(idIn(stream))
  return `${merchantPrefix}/ledger/${encodeURIComponent(ledger)}/report/${part}/`
}

const subjectsOfKind = (kind: string, id: string): readonly string[] =>
  Object.entries(kinds)
    .filter(([, name]) => name === kind)
    .map(([category]) => `${category}-${id}`)
    .flatMap((stream) => (kind === 'payment_request' ? [stream, displayOf(stream)] : [stream]))

/** The subjects of a resource, given as its URI or its id. */
export const subjectsOf = (resource: string, merchant: string): readonly string[] => {
  const path = resource.includes('://') ? afterOrigin(resource) : resource
  const [kind = '', id = '', , report = ''] = path
    .replace(`${merchantPrefix}/`, '')
    .split('/')
    .filter((part) => part !== '')
  if (kind === 'settlement') return [`settlement-${merchant}`]
  if (kind === 'ledger') return [`ledger-${within(merchant, decodeURIComponent(id))}#${report}`]
  if (Object.values(kinds).includes(kind)) return subjectsOfKind(kind, id)
  return Object.values(kinds).flatMap((any) => subjectsOfKind(any, kind))
}
