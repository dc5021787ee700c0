import { describe, expect, test } from 'vitest'
import { fold } from '../../domain/decider.ts'
import { funding } from '../../domain/payment/funding.ts'

const note = (position: number, informedTo: number | null) =>
  funding.decide({ type: 'NoteInformed', position }, { informedTo })

describe('how far the funding source knows', () => {
  test.each([
    [0, null],
    [7, null],
    [8, 7],
  ])('is noted: %s after %s', (position, before) => {
    const events = note(position, before)
    expect(events).toEqual([{ type: 'FundingInformed', data: { position } }])
    expect(fold(funding, events, { informedTo: before })).toEqual({ informedTo: position })
  })

  test.each([
    [7, 7],
    [6, 7],
    [0, 0],
  ])('never goes back: %s after %s is nothing new', (position, before) => {
    expect(note(position, before)).toEqual([])
  })

  test('is where the note stands, in a log that was copied from another store', () => {
    const events = note(9_824, 7)
    const place = { at: 0, position: 12 }
    expect(fold(funding, events, { informedTo: 7 }, place)).toEqual({ informedTo: 12 })
  })

  test('is nothing before there was a source', () => {
    expect(funding.initial).toEqual({ informedTo: null })
  })
})
