import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { DefinitionBounds } from './model.ts'
import { calculatedSteps, limitProblem, stepCount } from './steps.ts'

function bounds(min: number | null, max: number | null, steps: DefinitionBounds['steps']): DefinitionBounds {
  return { min, max, steps, usesService: false, usesResource: false, usesLabel: false, usesOwsService: false }
}

describe('steps of a field', () => {
  it('go from the minimum to the maximum in so many steps, with 2 decimals', () => {
    assert.deepEqual(calculatedSteps(bounds(0, 10, 3)), ['0.00', '3.33', '6.67', '10.00'])
    assert.deepEqual(calculatedSteps(bounds(0, 100, 4)), ['0.00', '25.00', '50.00', '75.00', '100.00'])
  })

  it('are effective only if both bounds are given', () => {
    assert.equal(calculatedSteps(bounds(null, 10, 3)), undefined)
    assert.equal(calculatedSteps(bounds(0, null, 3)), undefined)
    assert.equal(calculatedSteps(bounds(0, 10, null)), undefined)
  })

  it('may be a list, whose choices are themselves', () => {
    assert.deepEqual(calculatedSteps(bounds(null, null, [1, 2.5])), ['1.00', '2.50'])
    assert.equal(stepCount(bounds(null, null, [1, 2.5])), 2)
  })

  it('can each be posted again, whatever the bounds', () => {
    assert.equal(limitProblem(bounds(0.001, 9.999, 2), 0), undefined)
    assert.equal(limitProblem(bounds(0.001, 9.999, 2), 10), undefined)
    assert.match(limitProblem(bounds(0.001, 9.999, 2), -1) ?? '', /^Ensure/)
    fc.assert(
      fc.property(
        fc.float({ min: -1e6, max: 1e6, noNaN: true }),
        fc.integer({ min: 1, max: 50 }),
        (start, count) => {
          const min = Math.round(start * 100) / 100
          const field = bounds(min, min + 7, count)
          for (const one of calculatedSteps(field) ?? [])
            assert.equal(limitProblem(field, Number(one)), undefined)
        },
      ),
    )
  })
})

describe('a limit for a field', () => {
  it('lies within the bounds', () => {
    assert.equal(limitProblem(bounds(1, 5, null), 3), undefined)
    assert.equal(limitProblem(bounds(1, 5, null), 0.5), 'Ensure this value is greater than or equal to 1.')
    assert.equal(limitProblem(bounds(1, 5, null), 5.5), 'Ensure this value is less than or equal to 5.')
  })

  it('is one of the choices, compared as numbers', () => {
    assert.equal(limitProblem(bounds(0, 10, 2), 5), undefined)
    assert.match(limitProblem(bounds(0, 10, 2), 4) ?? '', /^Select a valid choice/)
  })
})
