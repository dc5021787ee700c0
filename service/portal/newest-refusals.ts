import { existsSync } from 'node:fs'
import type { RefusalLine } from '../../application/refused-request.ts'
import type { Core } from '../core.ts'
import { refusalFiles, type SealedPart } from '../../infrastructure/logs/refusals.ts'
import { endOf } from '../../infrastructure/logs/security-reader.ts'
import { unseal } from '../../infrastructure/people/sealing.ts'

const daysRead = 7
const mostShown = 50

const refusalIn = (text: string): RefusalLine | undefined => {
  try {
    const line = JSON.parse(text) as RefusalLine | { readonly more: number }
    return 'request' in line ? line : undefined
  } catch {
    return undefined
  }
}

/** Keeps personal data sealed, except for the address and the text to sign. */
const opened = (key: Buffer, { sealed, ...line }: RefusalLine) => {
  const text = sealed === undefined ? undefined : unseal(key, sealed)
  const { target, toSign } = text === undefined ? {} : (JSON.parse(text) as SealedPart)
  return { ...line, target, toSign }
}

type ShownRefusal = ReturnType<typeof opened>

/** A merchant's newest refused requests, newest first. */
export const newestRefusals = ({ vault, refusals, settings: { DATA_DIR } }: Core) => {
  const key = vault.secret('refusals')
  return (merchant: string): readonly ShownRefusal[] => {
    refusals.flush()
    const found: ShownRefusal[] = []
    if (!existsSync(DATA_DIR)) return found
    for (const { file } of refusalFiles(DATA_DIR).slice(-daysRead).toReversed())
      for (const text of endOf(file).toReversed()) {
        const line = text.includes(merchant) ? refusalIn(text) : undefined
        if (line?.merchant === merchant) found.push(opened(key, line))
        if (found.length === mostShown) return found
      }
    return found
  }
}
