import { html } from 'hono/html'
import { expect, test } from 'vitest'
import { Form, Table, type Html, type Row } from '../../web/ui/components.tsx'
import { Field } from '../../web/ui/fields.tsx'

const rendered = async (page: Html): Promise<string> => String(await html`${page}`)

test('a table that stacks names the column of each value, others do not', async () => {
  const heads = ['Name', { number: 'Sum' }, '']
  const rows: Row[] = [[{ head: 'a' }, { number: '<1>' }, 'x'], { kind: 'sum', cells: ['b'] }]
  const stacked = await rendered(Table({ kind: 'grid stacks', heads, rows }))
  expect(stacked).toContain(
    '<tr><th scope="row">a</th><td class="number" data-label="Sum">&lt;1&gt;</td><td>x</td></tr>',
  )
  expect(stacked).toContain('<tr class="sum"><td data-label="Name">b</td></tr>')
  expect(await rendered(Table({ kind: 'grid', heads, rows }))).not.toContain('data-label')
  expect(await rendered(Table({ heads, rows, label: 'All' }))).toMatch(/^<div class="scroll"/)
})

test('a field is described by its problem and hint, and what is typed is escaped', async () => {
  const page = await rendered(
    Field({ name: 'a', label: 'A', hint: 'H', problem: 'P', value: '"><b>', required: true }),
  )
  expect(page).toContain('aria-invalid="true" aria-describedby="a-problem a-hint"')
  expect(page).toContain('value="&quot;&gt;&lt;b&gt;" required=""')
  expect(page).toContain('<p id="a-problem" class="wrong small" role="alert">P</p>')
  expect(await rendered(Field({ name: 'a', label: 'A' }))).not.toContain('aria-')
})

test('a form is sent with its hidden fields', async () => {
  expect(await rendered(Form({ action: '/x', hidden: { csrf: '<' }, children: 'c' }))).toBe(
    '<form method="post" action="/x"><input type="hidden" name="csrf" value="&lt;"/>c</form>',
  )
})
