import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readFilterQuery } from '../../src/api/filter-query.ts'
import { parameters } from '../../src/api/ogcapi/api-parameters.ts'
import { Failure } from '../../src/core/errors/errors.ts'
import { checkFilter } from '../../src/filters/check-filter.ts'
import { filterLanguages } from '../../src/filters/filter-languages.ts'
import { rowFilter } from '../../src/filters/row-filter.ts'
import { batchesOf, schemaOf } from '../support/batches.ts'

const schema = schemaOf({ name: 'text', size: 'int32' }, 'Point')
const rows = [
  ['Ulm', 100],
  ['Ulm', 101],
  ['Bonn', 101],
  ['Ulm', null],
  [null, 101],
] as const

/** Numbers of the rows that a filter selects, from 0. */
async function selectedRows(filter: ReturnType<typeof checkFilter>): Promise<number[]> {
  const [batch] = await Array.fromAsync(
    batchesOf(
      schema,
      rows.map((values) => ({ values: [...values] })),
    ),
  )
  assert.ok(batch !== undefined)
  const isSelected = rowFilter(filter, schema)
  return rows.flatMap((_, row) => (isSelected(batch, row) ? [row] : []))
}

describe('the registry of filter languages', () => {
  it('has unique names, which the API description lists', () => {
    const names = filterLanguages.map(({ name }) => name)
    assert.equal(new Set(names).size, names.length)
    assert.deepEqual(parameters['filter-lang'].schema, { type: 'string', enum: names, default: names[0] })
  })

  for (const { name, parse, example } of filterLanguages)
    describe(`filter language ${name}`, () => {
      it('selects the rows of its example', async () => {
        assert.deepEqual(await selectedRows(checkFilter(parse(example), schema)), [1])
        assert.ok(readFilterQuery({ filter: example, 'filter-lang': name }, schema) !== undefined)
      })

      it('refuses a filter that exceeds the limits', () => {
        const limits = { filterNodes: 2, coordinates: 0 }
        assert.throws(() => parse(example, limits), { code: 'invalid-filter' })
      })

      it('parses an incomplete filter, or refuses it with a reason', () => {
        for (let length = 0; length < example.length; length += 1)
          try {
            parse(example.slice(0, length))
          } catch (error) {
            assert.ok(error instanceof Failure && error.kind === 'invalid', example.slice(0, length))
            assert.notEqual(error.message, '')
          }
      })
    })
})
