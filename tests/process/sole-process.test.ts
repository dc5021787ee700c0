import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { soleProcess } from '../../infrastructure/leases/leases.ts'
import { newFolder } from '../../harness/in-process.ts'

const folderOfTest = (): string => {
  const folder = newFolder()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('of all that ask for one file one is the sole process, until it resigns', () => {
  const file = join(folderOfTest(), 'sole.lock')
  const [one, other] = [soleProcess(file), soleProcess(file)]
  expect([one.isOurs(), other.isOurs(), one.isOurs()]).toEqual([true, false, true])
  one.resign()
  expect(other.isOurs()).toBe(true)
  other.resign()
})
