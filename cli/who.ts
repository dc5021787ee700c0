import { hostname, userInfo } from 'node:os'
import type { OperatorAccount } from '../domain/cause.ts'

/** As in the system; a container's user may have no name. */
const systemUser = (): string => {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}

/** Who runs a command, and where. `sudoUser` is the user who ran sudo. */
export const operatorOf = (sudoUser: string | undefined): OperatorAccount => ({
  account: sudoUser === undefined ? systemUser() : `${sudoUser} as ${systemUser()}`,
  machine: hostname(),
})
