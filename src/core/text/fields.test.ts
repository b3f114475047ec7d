import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { FieldFailure } from '../errors/errors.ts'
import { Fields } from './fields.ts'

/** Returns the year of a text that begins with an ISO date. */
function parseYear(text: string): number | undefined {
  return /^\d{4}-/.test(text) ? Number(text.slice(0, 4)) : undefined
}

function read<T>(values: unknown, work: (fields: Fields) => T): T | Record<string, string[]> {
  const fields = new Fields(values, parseYear)
  const result = work(fields)
  try {
    fields.finish()
    return result
  } catch (error) {
    if (error instanceof FieldFailure) return error.fields
    throw error
  }
}

describe('Fields', () => {
  it('reads an absent and an empty field as undefined', () => {
    const values = { a: '' }
    for (const name of ['a', 'b']) {
      assert.equal(
        read(values, (fields) => fields.text(name)),
        undefined,
      )
      assert.equal(
        read(values, (fields) => fields.integer(name)),
        undefined,
      )
      assert.equal(
        read(values, (fields) => fields.flag(name)),
        undefined,
      )
      assert.equal(
        read(values, (fields) => fields.time(name)),
        undefined,
      )
      assert.equal(
        read(values, (fields) => fields.choice(name, ['x'])),
        undefined,
      )
    }
    assert.equal(
      read(values, (fields) => fields.text('a', { keepsEmpty: true })),
      '',
    )
  })

  it('refuses a field that was given several times', () => {
    assert.deepEqual(
      read({ a: ['1', '2'] }, (fields) => fields.integer('a')),
      { a: ['Enter one value: this one was given 2 times.'] },
    )
  })

  it('reads whole numbers within bounds', () => {
    const bounded = (a: unknown) => read({ a }, (fields) => fields.integer('a', { min: 60, max: 100 }))
    assert.equal(bounded('60'), 60)
    assert.equal(bounded(' 61.0 '), 61)
    assert.equal(bounded(62), 62)
    assert.deepEqual(bounded('59'), { a: ['Ensure this value is greater than or equal to 60.'] })
    assert.deepEqual(bounded('101'), { a: ['Ensure this value is less than or equal to 100.'] })
    for (const text of ['60.5', 'x', '1e3', '0x40', '9'.repeat(16)])
      assert.deepEqual(bounded(text), { a: ['Enter a whole number.'] }, text)
  })

  it('reads numbers within bounds', () => {
    const bounded = (a: unknown) => read({ a }, (fields) => fields.number('a', { min: 0, max: 10 }))
    assert.equal(bounded('3.33'), 3.33)
    assert.equal(bounded(0.5), 0.5)
    assert.equal(bounded('.5'), 0.5)
    assert.deepEqual(bounded('-1'), { a: ['Ensure this value is greater than or equal to 0.'] })
    for (const text of ['NaN', 'Infinity', '1,5', '.', '1e3'])
      assert.deepEqual(bounded(text), { a: ['Enter a number.'] }, text)
  })

  it('reads one of some choices, and tells at most 100 characters of another', () => {
    assert.equal(
      read({ a: 'x' }, (fields) => fields.choice('a', ['x', 'y'])),
      'x',
    )
    const { a } = read({ a: 'z'.repeat(500) }, (fields) => fields.choice('a', ['x'])) as { a: string[] }
    assert.equal(a[0], `Select a valid choice. ${'z'.repeat(100)}... is not one of the available choices.`)
  })

  it('reads true, false, 0 and 1 in any case', () => {
    const values = { a: 'True', b: 'true', c: '1', d: 'False', e: 'false', f: '0', g: true }
    assert.deepEqual(
      read(values, (fields) => Object.keys(values).map((name) => fields.flag(name))),
      [true, true, true, false, false, false, true],
    )
    assert.deepEqual(
      read({ a: 'yes' }, (fields) => fields.flag('a')),
      { a: ['Select a valid choice. yes is not one of the available choices.'] },
    )
  })

  it('reads times as it is told to', () => {
    assert.equal(
      read({ a: ' 2026-02-30 ' }, (fields) => fields.time('a')),
      2026,
    )
    assert.deepEqual(
      read({ a: 'soon' }, (fields) => fields.time('a')),
      { a: ['Enter a valid date/time.'] },
    )
  })

  it('refuses texts that are too long or have null characters, and names with control characters', () => {
    assert.deepEqual(
      read({ a: 'xxxx', b: '\0' }, (fields) => [fields.text('a', { maxLength: 3 }), fields.text('b')]),
      {
        a: ['Ensure this value has at most 3 characters (it has 4).'],
        b: ['Null characters are not allowed.'],
      },
    )
    assert.deepEqual(
      read({ a: 'x\ny' }, (fields) => fields.name('a', 10)),
      { a: ['Enter text without control characters.'] },
    )
    assert.deepEqual(
      read({ a: {} }, (fields) => fields.text('a')),
      { a: ['Enter text.'] },
    )
  })

  it('says once what is required, and nothing more of a field that is wrong already', () => {
    assert.deepEqual(
      read({ b: 'x' }, (fields) => [fields.requiredText('a'), fields.required('b', fields.integer('b'))]),
      { a: ['This field is required.'], b: ['Enter a whole number.'] },
    )
  })

  it('reads fields inside an object, and those of a form by their dotted names', () => {
    for (const values of [{ source: { kind: 'x' } }, { 'source.kind': 'x' }])
      assert.deepEqual(
        read(values, (fields) => fields.inside('source').choice('kind', ['y'])),
        { 'source.kind': ['Select a valid choice. x is not one of the available choices.'] },
      )
    assert.deepEqual(
      read({ source: 'x' }, (fields) => fields.inside('source').names),
      { source: ['Enter an object.'] },
    )
  })

  it('gives a value or a message for anything that JSON can hold', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (a) => {
        read({ a }, (fields) => {
          fields.text('a')
          fields.integer('a')
          fields.number('a')
          fields.flag('a')
          fields.time('a')
          fields.choice('a', ['x'])
          fields.inside('a').text('b')
        })
      }),
    )
  })
})
