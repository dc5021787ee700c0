import { expect, test } from 'vitest'
import { noPng } from '../../domain/merchant/attachment.ts'
import { pngOf } from '../fuzz/hostile-bodies.ts'
import { problemOfPng } from '../../infrastructure/pictures/png-job.ts'

/** 16 pixels, with a million times as many packed behind the header. */
const bomb = pngOf(4, 4, 20_000_000)

test('a picture that unpacks to more than its header says is not unpacked', () => {
  const times = [1, 2, 3].map(() => {
    const began = performance.now()
    expect(problemOfPng(bomb)).toBe(noPng)
    return performance.now() - began
  })
  // Unpacking takes seconds.
  expect(Math.min(...times)).toBeLessThan(200)
  expect(problemOfPng(pngOf(4, 4))).toBeNull()
})
