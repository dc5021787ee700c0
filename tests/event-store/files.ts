import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'

export const freshFile = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-damage-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'events.sqlite')
}

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
export const captured = (n: number) => ({
  id: uuid(n),
  type: 'Captured',
  data: { amount: 770_000 + n, text: 'a pair of skis' },
  metadata: { actor: 'user:pos1' },
})

export const streams = ['skis', 'boots', 'poles']
/** Three streams of four events each, interleaved. */
export const write = async (file: string) => {
  const store = openSqliteEventStore(file)
  let n = 0
  for (let revision = 0; revision < 4; revision++)
    for (const stream of streams) await store.append(stream, [captured((n += 1))], revision - 1)
  return store
}
export const written = async (): Promise<string> => {
  const file = freshFile()
  const store = await write(file)
  await store.close()
  return file
}

export const change = (file: string, from: string, to: string): void => {
  const bytes = readFileSync(file)
  const at = bytes.indexOf(from)
  expect(at).toBeGreaterThan(0)
  bytes.write(to, at)
  writeFileSync(file, bytes)
}

export const open = (file: string) => {
  const store = openSqliteEventStore(file)
  onTestFinished(() => store.close())
  return store
}

export const copied = (from: string, parts: readonly string[]): string => {
  const file = freshFile()
  for (const part of parts) if (existsSync(from + part)) copyFileSync(from + part, file + part)
  return file
}
